# Prints what zsh offers after each of some lines, one word a line, with "end:" after the last of each.
# Usage: zsh -f zsh_completions.zsh FOLDER LINE...; FOLDER is put into fpath.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=(${(q)1:A} \$fpath); autoload -U compinit; compinit -u -D"
zpty -w shell '
offer() {
  # What the completion system would show goes through compadd: tell it instead.
  function compadd {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
    local -a hits
    builtin compadd -A hits "$@"
    local hit
    for hit in $hits; do print; print -r -- "hit:$hit"; done
  }
  _main_complete
  print; print -r -- "end:"
  compstate[insert]=
  compstate[list]=
}
zle -C offer .complete-word offer
bindkey "^I" offer
print -r -- rea""dy'
zpty -r shell out '*ready*'
for line in "${@[2,-1]}"; do
  # First the rest of the line before goes.
  zpty -w -n shell $'\C-U'"$line"$'\t'
  zpty -r shell out '*end:*'
  print -r -- $out | tr -d '\r' | sed -n 's/^hit://p'
  print -r -- end:
done

/**
 * The completions: for each shell a function that asks the program itself, by its hidden command `complete`,
 * what may stand where the cursor is. Files, folders, and the command after `--` are left to the shell.
 */

/** For bash 3.2 (which macOS has) and later; `bash-completion` is used where it is, not needed. */
const BASH = `# bash completions for lock_folder_util

_lock_folder_util() {
  local word=\${COMP_WORDS[COMP_CWORD]} line at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    [[ \${COMP_WORDS[at]} == -- ]] || continue
    if declare -F _command_offset >/dev/null; then
      _command_offset $((at + 1))
    elif ((at + 1 == COMP_CWORD)); then
      COMPREPLY=($(compgen -c -- "$word"))
    else
      compopt -o default 2>/dev/null
      COMPREPLY=($(compgen -f -- "$word"))
    fi
    return
  done
  [[ $word == = ]] && word=
  local IFS=$'\\n'
  while read -r line; do
    case $line in
      :folders) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$word")) ;;
      :files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$word")) ;;
      "$word"*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -F _lock_folder_util lock_folder_util
`;

/** For zsh: loaded by the completion system it completes at once; sourced it registers itself. */
const ZSH = `#compdef lock_folder_util
# zsh completions for lock_folder_util

_lock_folder_util() {
  local at=$words[(i)--] program=$words[1] line
  if ((at < CURRENT)); then
    shift at words
    ((CURRENT -= at))
    _normal
    return
  fi
  local -a found kinds
  for line in "\${(@f)$(\${~program} complete "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    case $line in
      :*) kinds+=($line) ;;
      ?*) found+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  local result=1
  (($#found)) && _describe word found && result=0
  [[ $kinds == :folders ]] && _directories && result=0
  [[ $kinds == :files ]] && _files && result=0
  return result
}

if [[ $funcstack[1] == _lock_folder_util ]]; then
  _lock_folder_util "$@"
else
  compdef _lock_folder_util lock_folder_util
fi
`;

const FISH = `# fish completions for lock_folder_util

function __lock_folder_util
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    if set -l at (contains -i -- -- $words)
        set -e words[1..$at]
        complete -C (string join ' ' -- (string escape -- $words) $word)
        return
    end
    set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
    set -l flag (string match -r '^--[^=]*=' -- $word)
    set -l rest (string replace -r '^--[^=]*=' '' -- $word)
    for line in ($program complete $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case :folders
                printf '%s\\n' "$flag"(__fish_complete_directories "$rest")
            case :files
                printf '%s\\n' "$flag"(__fish_complete_path "$rest")
            case '*'
                printf '%s\\n' "$flag$line"
        end
    end
end

complete -c lock_folder_util -f -a '(__lock_folder_util)'
`;

/**
 * For PowerShell 5.1 and later, on every system that it runs on. Where ours offers nothing, PowerShell's own
 * completion of files and folders steps in. PowerShell 5.1 passes no empty word on, so a blank stands for it.
 */
const POWERSHELL = `# PowerShell completions for lock_folder_util

Register-ArgumentCompleter -Native -CommandName lock_folder_util, lock_folder_util.exe -ScriptBlock {
    param($word, $line, $position)
    $program = $line.GetCommandName()
    $words = @()
    foreach ($element in $line.CommandElements | Select-Object -Skip 1) {
        if ($element.Extent.EndOffset -ge $position -and $word -ne '') { break }
        $words += $element.ToString()
    }
    $words += if ($word -eq '') { ' ' } else { $word }
    & $program complete @words 2>$null | ForEach-Object {
        $text, $about = $_ -split '\\t', 2
        if ($about -and $text -like "$word*") {
            [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
        }
    }
}
`;

/** The shells that there are completions for. */
export const COMPLETIONS: Readonly<Record<string, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};

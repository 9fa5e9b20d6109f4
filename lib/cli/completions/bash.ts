/** Completions for bash 3.2 (which macOS has) and later; `bash-completion` is used where it is, not needed. */

import { ALONE, type Completion, flagsOf, operandOf, valueOf, WITH_VALUE } from "./completions.ts";
import { COMMANDS } from "../commands.ts";

export function bashCompletions(): string {
  return `# bash completions for lock_folder_util

_lock_folder_util() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
      --)
        if declare -F _command_offset >/dev/null; then
          _command_offset $((at + 1))
        elif ((at + 1 == COMP_CWORD)); then
          COMPREPLY=($(compgen -c -- "$word"))
        else
          compopt -o default 2>/dev/null
          COMPREPLY=($(compgen -f -- "$word"))
        fi
        return ;;
      ${WITH_VALUE.map(flagWord).join("|")}) ((at++)) ;;
      -*) ;;
      *) [[ $command ]] || command=\${COMP_WORDS[at]} ;;
    esac
  done
  case $before in
${WITH_VALUE.map((flag) => `    ${flagWord(flag)}) ${reply(valueOf(flag))}; return ;;`).join("\n")}
  esac
  case $command in
    "") ${reply(words([...COMMANDS.map(({ name }) => name), ...ALONE.map(flagWord)]))} ;;
${
    COMMANDS.map((command) => {
      const flags = [...flagsOf(command).map(flagWord), ...command.takesCommand ? ["--"] : []];
      const operand = operandOf(command);
      const ownFlags = reply(words(flags));
      const answer = operand
        ? `if [[ $word == -* ]]; then ${ownFlags}; else ${reply(operand)}; fi`
        : ownFlags;
      return `    ${command.name}) ${answer} ;;`;
    }).join("\n")
  }
  esac
}

complete -F _lock_folder_util lock_folder_util
`;
}

function words(list: readonly string[]): Completion {
  return { kind: "words", words: list };
}

function flagWord({ name }: { readonly name: string }): string {
  return `--${name}`;
}

/** A command of bash that sets the answer. Names of files may have spaces, so they are lines, not words. */
function reply(completion: Completion): string {
  switch (completion.kind) {
    case "words":
      return `COMPREPLY=($(compgen -W '${completion.words.join(" ")}' -- "$word"))`;
    case "folder":
      return `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -W $'${
        completion.words.join("\\n")
      }' -- "$word"; compgen -d -- "$word"))`;
    case "file":
      return `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word"))`;
    case "anything":
      return ":";
  }
}

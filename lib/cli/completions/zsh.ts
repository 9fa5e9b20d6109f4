/** Completions for zsh, by its own `_arguments`. */

import { ALONE, type Completion, flagsOf, operandOf, valueOf } from "./completions.ts";
import { COMMANDS, type CommandSpec, type Flag, flagNamed } from "../commands.ts";

/** The function that completes a folder or one of the words that stand for one. */
const FOLDER = "_lock_folder_util_folder";

export function zshCompletions(): string {
  return `#compdef lock_folder_util
# zsh completions for lock_folder_util

_lock_folder_util() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \\
${ALONE.map((flag) => `    ${spec(flag)} \\`).join("\n")}
    '1: :->command' \\
    '*:: :->rest' && return
  case $state in
    command)
      local -a commands
      commands=(
${COMMANDS.map(({ name, summary }) => `        ${quoted(`${name}:${summary}`)}`).join("\n")}
      )
      _describe -t commands command commands ;;
    rest)
      curcontext=\${curcontext%:*:*}:lock_folder_util-$words[1]:
      case $words[1] in
${COMMANDS.map(branch).join("\n")}
      esac ;;
  esac
}

${FOLDER}() {
  _alternative 'words:word:(${
    (flagNamed("dir").words ?? []).join(" ")
  })' 'folders:folder:_directories'
}

# Loaded by the completion system it completes at once; sourced it registers itself.
if [[ $funcstack[1] == _lock_folder_util ]]; then
  _lock_folder_util "$@"
else
  compdef _lock_folder_util lock_folder_util
fi
`;
}

function branch(command: CommandSpec): string {
  const operand = operandOf(command);
  const rest = command.takesCommand
    ? [`'(-)*::command:_normal'`]
    : operand
    ? [quoted(`1:${command.name === "help" ? "command" : "word"}:${action(operand)}`)]
    : [];
  const specs = [...flagsOf(command).map(spec), ...rest].map((one) => `            ${one}`);
  return `        ${command.name})\n          _arguments -S \\\n${specs.join(" \\\n")} ;;`;
}

function spec(flag: Flag): string {
  const { name, value, help } = flag;
  const about = `--${name}[${inSpec(help)}]`;
  return quoted(value === null ? about : `${about}:${value}:${action(valueOf(flag))}`);
}

function action(completion: Completion): string {
  switch (completion.kind) {
    case "words":
      return `(${completion.words.join(" ")})`;
    case "folder":
      return FOLDER;
    case "file":
      return "_files";
    case "anything":
      return " ";
  }
}

/** A colon or a bracket would end its part of the spec. */
function inSpec(text: string): string {
  return text.replace(/[:\\[\]]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Completions for fish. */

import { ALONE, type Completion, flagsOf, operandOf, valueOf } from "./completions.ts";
import { COMMANDS, type CommandSpec, type Flag } from "../commands.ts";

export function fishCompletions(): string {
  return `# fish completions for lock_folder_util

function __lock_folder_util_after_dashes
    contains -- -- (commandline -opc)
end

function __lock_folder_util_uses
    not __lock_folder_util_after_dashes; and __fish_seen_subcommand_from $argv
end

complete -c lock_folder_util -f
complete -c lock_folder_util -n __lock_folder_util_after_dashes -x -a '(__lock_folder_util_command)'

# What follows -- is completed as the command that it is.
function __lock_folder_util_command
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    set -e words[1..$at]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

${ALONE.map((flag) => flagLine("not __fish_seen_subcommand_from " + NAMES, flag)).join("\n")}
${
    COMMANDS.map(({ name, summary }) =>
      `complete -c lock_folder_util -n 'not __fish_seen_subcommand_from ${NAMES}' -a ${name} -d ${
        quoted(summary)
      }`
    ).join("\n")
  }
${COMMANDS.map(commandLines).join("\n")}
`;
}

const NAMES = COMMANDS.map(({ name }) => name).join(" ");

function commandLines(command: CommandSpec): string {
  const uses = `__lock_folder_util_uses ${command.name}`;
  const lines = flagsOf(command).map((flag) => flagLine(uses, flag));
  const operand = operandOf(command);
  if (operand) lines.push(`complete -c lock_folder_util -n '${uses}'${answer(operand)}`);
  return lines.join("\n");
}

function flagLine(condition: string, flag: Flag): string {
  const value = flag.value === null ? "" : flagValue(valueOf(flag));
  return `complete -c lock_folder_util -n '${condition}' -l ${flag.name}${value} -d ${
    quoted(flag.help)
  }`;
}

/** Exclusive (`-x`) means that no files are offered; fish refuses it together with `-F`. */
function flagValue(completion: Completion): string {
  return `${completion.kind === "file" ? " -r" : " -x"}${answer(completion)}`;
}

function answer(completion: Completion): string {
  switch (completion.kind) {
    case "words":
      return ` -a '${completion.words.join(" ")}'`;
    case "folder":
      return ` -a '${completion.words.join(" ")} (__fish_complete_directories)'`;
    case "file":
      return ` -F`;
    case "anything":
      return "";
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

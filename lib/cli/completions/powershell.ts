/** Completions for PowerShell 5.1 and later, on every system that it runs on. */

import { ALONE, type Completion, flagsOf, operandOf, valueOf, WITH_VALUE } from "./completions.ts";
import { COMMANDS, type CommandSpec, type Flag } from "../commands.ts";

export function powershellCompletions(): string {
  return `# PowerShell completions for lock_folder_util

Register-ArgumentCompleter -Native -CommandName lock_folder_util, lock_folder_util.exe -ScriptBlock {
    param($word, $line, $position)
    $answer = {
        param($text, $about)
        if ($text -like "$word*") {
            [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
        }
    }
    $values = @{
${WITH_VALUE.map(valueLine).filter((one) => one !== "").join("\n")}
    }
    $takesValue = @(${WITH_VALUE.map(({ name }) => quoted(`--${name}`)).join(", ")})
    $command = ''
    $before = ''
    foreach ($element in $line.CommandElements | Select-Object -Skip 1) {
        if ($element.Extent.EndOffset -ge $position -and $word -ne '') { break }
        $text = $element.ToString()
        if ($text -eq '--') { return }
        if ($command -eq '' -and -not $text.StartsWith('-') -and $before -notin $takesValue) { $command = $text }
        $before = $text
    }
    if ($before -in $takesValue) {
        foreach ($one in $values[$before]) { & $answer $one $before }
        return
    }
    switch ($command) {
        '' {
${
    [
      ...COMMANDS.map(({ name, summary }) => answerLine(name, summary)),
      ...ALONE.map(({ name, help }) => answerLine(`--${name}`, help)),
    ].join("\n")
  }
        }
${COMMANDS.map(branch).join("\n")}
    }
}
`;
}

/** For files and folders PowerShell's own completion steps in where we answer nothing. */
function wordsOf(completion: Completion | null): readonly string[] {
  return completion && "words" in completion ? completion.words : [];
}

function valueLine(flag: Flag): string {
  const words = wordsOf(valueOf(flag));
  if (words.length === 0) return "";
  return `        ${quoted(`--${flag.name}`)} = @(${words.map(quoted).join(", ")})`;
}

function branch(command: CommandSpec): string {
  const lines = [
    ...wordsOf(operandOf(command)).map((word) => answerLine(word, command.summary)),
    ...flagsOf(command).map(({ name, help }) => answerLine(`--${name}`, help)),
    ...command.takesCommand ? [answerLine("--", "the command follows")] : [],
  ];
  return `        ${quoted(command.name)} {\n${lines.join("\n")}\n        }`;
}

function answerLine(text: string, about: string): string {
  return `            & $answer ${quoted(text)} ${quoted(about)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

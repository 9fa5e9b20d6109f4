/** The completions, asked for by the shells themselves. */

import { assertEquals, assertMatch } from "@std/assert";
import { COMMANDS, type FlagName } from "../../lib/cli/commands.ts";
import { LockFolder } from "./lock_folder.ts";
import { type Need, needProgram, test } from "./needs.ts";
import { programOnPath } from "./on_path.ts";
import { runCommand, runProgram } from "./program.ts";

interface Shell {
  readonly name: string;
  readonly need: Need;
  /** The program with arguments to which lines are added; what it offers for each ends with a line `end:`. */
  readonly command: readonly [string, ...string[]];
}

const BASH_SCRIPT = `
source ./completions
for line; do
  eval "COMP_WORDS=($line)"
  [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _lock_folder_util
  ((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"
  echo end:
done`;

const FISH_SCRIPT = `
source ./completions
for line in $argv
  complete -C $line
  echo end:
end`;

const POWERSHELL_SCRIPT = `
Get-Content -Raw ./completions | Invoke-Expression
foreach ($line in $args) {
  [System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null).CompletionMatches |
    ForEach-Object { $_.CompletionText }
  'end:'
}`;

const SHELLS: readonly Shell[] = [
  {
    name: "bash",
    need: await needProgram("bash", ["--version"]),
    command: ["bash", "--norc", "-c", BASH_SCRIPT, "bash"],
  },
  {
    name: "zsh",
    need: await needProgram(
      "zsh",
      ["-f", "-c", "zmodload zsh/zpty"],
      "zsh with its module zsh/zpty",
    ),
    command: ["zsh", "-f", `${import.meta.dirname}/zsh_completions.zsh`, "."],
  },
  {
    name: "fish",
    need: await needProgram("fish", ["--version"]),
    command: ["fish", "-c", FISH_SCRIPT],
  },
  {
    name: "powershell",
    need: await needProgram("pwsh", ["-Version"]),
    command: ["pwsh", "-NoProfile", "-File", "ask.ps1"],
  },
];

/** What a shell offers at the end of each line, sorted; a description after a tab is left out. */
async function offers({ name, command }: Shell, rests: readonly string[]): Promise<string[][]> {
  await using folder = await LockFolder.make();
  const completions = await runProgram(["completions", name]);
  assertEquals([completions.code, completions.err], [0, ""]);
  // zsh finds them by the second name.
  for (const file of ["completions", "_lock_folder_util"]) {
    await folder.write(file, completions.out);
  }
  await folder.write("ask.ps1", POWERSHELL_SCRIPT);
  await Deno.mkdir(`${folder.root}/a folder`);
  const path = await programOnPath(folder.root);
  const env = { ...path, HOME: folder.root, XDG_CONFIG_HOME: folder.root, LC_ALL: "C.UTF-8" };
  const [program, ...args] = command;
  const lines = rests.map((rest) => `lock_folder_util ${rest}`);
  const { code, out, err } = await runCommand(program, [...args, ...lines], {
    cwd: folder.root,
    env,
  });
  assertEquals([code, err], [0, ""]);
  const answers = out.split(/^end:\n/m).slice(0, -1);
  assertEquals(answers.length, rests.length);
  return answers.map((answer) => {
    const words = answer.split("\n").map((line) => line.split("\t")[0]!);
    return [...new Set(words.filter((word) => word !== ""))].sort();
  });
}

function flagsOf(name: string): string[] {
  return COMMANDS.find((command) => command.name === name)!.flags
    .map((flag: FlagName) => `--${flag}`).sort();
}

const NAMES = COMMANDS.map(({ name }) => name);

/** The end of a line, and what every shell has to offer there. */
const EXPECTED: readonly (readonly [rest: string, offered: readonly string[]])[] = [
  ["rel", ["release"]],
  ["--vers", ["--version"]],
  ...NAMES.map((name) => [`${name} --`, flagsOf(name)] as const),
  ["run --on-lost ", ["terminate", "warn"]],
  // The value of a flag is no command, whatever it is called.
  ["run --slug check --on-lost t", ["terminate"]],
  ["run --dir @", ["@git", "@user"]],
  ["completions ", ["bash", "fish", "powershell", "zsh"]],
  ["help acq", ["acquire"]],
];

for (const shell of SHELLS) {
  test(`${shell.name} completes commands, flags, and the words that they take`, async () => {
    const [first, ...answers] = await offers(shell, ["", ...EXPECTED.map(([rest]) => rest)]);
    assertEquals(first!.filter((word) => word[0] !== "-"), NAMES.toSorted());
    for (const [index, [rest, offered]] of EXPECTED.entries()) {
      assertEquals(answers[index]!.filter((word) => word !== "--"), offered, `after "${rest}"`);
    }
  }, [shell.need]);

  // PowerShell's own completion does that, and only where ours offers nothing.
  if (shell.name === "powershell") continue;

  test(
    `${shell.name} completes folders after --dir, files, and after -- the command that it is`,
    async () => {
      const [command, flag, folder, file, svg] = await offers(shell, [
        "run --slug a -- mkdi",
        "run --slug a -- mkdir --po",
        "release --dir a",
        "report as",
        "report --svg as",
      ]);
      assertEquals(command!.includes("mkdir"), true);
      assertEquals(flag!.includes("--poll"), false);
      // Where zsh is told of nothing that was added, it goes on to offer other files.
      assertMatch(folder!.join(), /^a\\? folder\/?(,ask.ps1)?$/);
      assertEquals([file, svg], [["ask.ps1"], ["ask.ps1"]]);
    },
    [shell.need],
  );

  // To this test, bash's completion is called with words that are cut by blanks alone.
  if (shell.name === "bash") continue;

  test(`${shell.name} completes the value after --flag=`, async () => {
    const [words, folder] = await offers(shell, ["run --on-lost=t", "release --dir=a"]);
    assertMatch(words!.join(), /^(--on-lost=)?terminate$/);
    assertMatch(folder!.join(), /^(--dir=)?a\\? folder\/?(,ask.ps1)?$/);
  }, [shell.need]);
}

test("completions asks for a shell that it knows", async () => {
  const none = await runProgram(["completions"]);
  assertEquals([none.code, none.out], [64, ""]);
  assertMatch(none.err, /needs a shell: one of bash, zsh, fish, powershell\n$/);
  const unknown = await runProgram(["completions", "csh"]);
  assertEquals([unknown.code, unknown.out], [64, ""]);
  assertMatch(unknown.err, /no completions for "csh"; there are some for bash, /);
}, []);

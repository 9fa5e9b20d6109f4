/**
 * `complete WORD...`, which the completions of every shell call: what may stand in the place of the last word,
 * one candidate a line, with a few words about it after a tab. A command of ours, hidden from help. It reads
 * nothing but the command table, so that it is quick and meets no lock.
 *
 * The shell picks those that begin as the last word does, each in its own way. Two lines are no candidates:
 * `:folders` and `:files` leave it to the shell to offer those.
 */

import { EXIT } from "../../lock/exit_codes.ts";
import type { Host } from "../../sys/sys.ts";
import {
  commandNamed,
  COMMANDS,
  type CommandSpec,
  type Flag,
  flagIn,
  flagNamed,
  FLAGS,
} from "../commands.ts";

export const COMPLETE = "complete";

export async function completeCommand(words: readonly string[], host: Host): Promise<number> {
  await host.terminal.out(candidates(words).map((candidate) => `${candidate}\n`).join(""));
  return EXIT.done;
}

function candidates(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? "";
  let command: string | undefined;
  let flag: Flag | undefined;
  for (const word of words.slice(0, -1)) {
    // The words from there on are another program's.
    if (word === "--") return [];
    // bash cuts `--dir=x` into three words.
    if (flag && word === "=") continue;
    if (flag) flag = undefined;
    else if (word.startsWith("-")) flag = flagWithValue(word);
    else command ??= word;
  }
  flag ??= last.includes("=") ? flagWithValue(last.split("=")[0]!) : undefined;
  if (flag) return valuesOf(flag);
  if (command === undefined) return last.startsWith("-") ? ALONE.map(flagLine) : NAMES;
  const spec = commandNamed(command);
  if (!spec) return [];
  return spec.operands > 0 && !last.startsWith("-") ? operandsOf(spec) : flagsOf(spec);
}

const NAMES: readonly string[] = COMMANDS.map(({ name, summary }) => `${name}\t${summary}`);

/** What may stand where no command does. */
const ALONE: readonly Flag[] = [flagNamed("help"), flagNamed("version")];

function flagWithValue(word: string): Flag | undefined {
  return FLAGS.find(({ name, value }) => value !== null && `--${name}` === word);
}

function valuesOf({ value, words = [], help }: Flag): string[] {
  const values = words.map((word) => `${word}\t${help}`);
  if (value === "DIR") values.push(":folders");
  if (value === "FILE") values.push(":files");
  return values;
}

function operandsOf({ name, words, summary }: CommandSpec): readonly string[] {
  if (name === "help") return NAMES;
  return words ? words.map((word) => `${word}\t${summary}`) : [":files"];
}

function flagsOf(command: CommandSpec): string[] {
  const flags = command.flags.map((name) => flagLine(flagIn(command, name)));
  return command.takesCommand ? [...flags, "--\tthe command follows"] : flags;
}

function flagLine({ name, help }: Flag): string {
  return `--${name}\t${help}`;
}

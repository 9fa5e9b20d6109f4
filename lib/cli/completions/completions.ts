/** What completions for every shell are made from: the table of commands, looked at as a shell needs it. */

import { COMMANDS, type CommandSpec, type Flag, flagIn, flagNamed, FLAGS } from "../commands.ts";

/** What a word may be. */
export type Completion =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** A folder, or one of these words. */
  | { readonly kind: "folder"; readonly words: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "anything" };

export function valueOf(flag: Flag): Completion {
  const { value, words = [] } = flag;
  if (value === "DIR") return { kind: "folder", words };
  if (value === "FILE") return { kind: "file" };
  return words.length > 0 ? { kind: "words", words } : { kind: "anything" };
}

/** What stands after a command; null where nothing may. */
export function operandOf(command: CommandSpec): Completion | null {
  if (command.operands === 0) return null;
  if (command.name === "help") return { kind: "words", words: COMMANDS.map(({ name }) => name) };
  return command.words ? { kind: "words", words: command.words } : { kind: "file" };
}

export function flagsOf(command: CommandSpec): Flag[] {
  return command.flags.map((name) => flagIn(command, name));
}

/** Those that take the word after them. */
export const WITH_VALUE: readonly Flag[] = FLAGS.filter(({ value }) => value !== null);

/** What may stand where no command does. */
export const ALONE: readonly Flag[] = [flagNamed("help"), flagNamed("version")];

/** From argv to a command and its options, or to a UsageError that names the flag and the rule. */

import { parseArgs } from "@std/cli/parse-args";
import { UsageError } from "../lock/failures.ts";
import { normalSlug, showForeign } from "../words/slugs.ts";
import { commandNamed, type CommandSpec, type FlagName, FLAGS } from "./commands.ts";

export interface ParsedLine {
  /** Null if only a flag was given (`--help`, `--version`). */
  readonly command: CommandSpec | null;
  readonly operands: readonly string[];
  /** What came after the first `--`; null without one. */
  readonly userCommand: readonly string[] | null;
  /** Flags with a value that were given. */
  readonly values: Partial<Record<FlagName, string>>;
  /** Where several locks may be named, and are: each, as given; `values` has the first. */
  readonly names?: readonly string[];
  /** Flags without a value that were given. */
  readonly set: ReadonlySet<FlagName>;
}

/** A flag as it was typed: `-w10` is the letter `w` with 10. */
export interface TypedFlag {
  readonly argument: string;
  /** Without its dashes. */
  readonly key: string;
  /** Null without one. */
  readonly value: string | null;
}

/** There is no such command, or the command has no such flag. What was meant is guessed when it is told of. */
export class UnknownWord extends UsageError {
  constructor(readonly unknown: string | TypedFlag, readonly command: CommandSpec | null) {
    super(`unknown ${typeof unknown === "string" ? unknown : unknown.argument}`);
  }
}

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): ParsedLine {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const userCommand = end < 0 ? null : args.slice(end + 1);
  const { flags, words, unknown } = splitFlags(own);
  const name = words[0];
  const command = name === undefined ? null : commandNamed(name);
  if (command === undefined) throw new UnknownWord(name!, null);
  const names = command?.takesSeveral ? flags.name as string[] : [];
  const values = onlyOnce(
    names.length > 1 ? { ...flags, name: names.slice(0, 1) } : flags,
    command,
  );
  if (unknown[0] !== undefined) throw new UnknownWord(unknown[0], command);
  const set = new Set(
    FLAGS.filter(({ name, value }) => value === null && flags[name] === true).map(({ name }) =>
      name
    ),
  );
  for (const flag of [...Object.keys(values), ...set] as FlagName[]) {
    refuseForeignFlag(flag, command);
  }
  const operands = words.slice(1);
  if (command) refuseOperands(command, operands, userCommand);
  return { command, operands, userCommand, values, set, ...(names.length > 1 && { names }) };
}

interface Split {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  readonly unknown: readonly TypedFlag[];
}

function splitFlags(args: readonly string[]): Split {
  refuseValues(args);
  const unknown: TypedFlag[] = [];
  const withValue = FLAGS.filter(({ value }) => value !== null).map(({ name }) => name);
  const parsed = parseArgs(args, {
    string: [...withValue, "_"],
    collect: withValue,
    boolean: FLAGS.filter(({ value }) => value === null).map(({ name }) => name),
    alias: { help: "h" },
    unknown: (argument, key, value) => {
      if (key === undefined) return true;
      unknown.push({ argument, key, value: typeof value === "string" ? value : null });
      return false;
    },
  });
  return { flags: parsed, words: parsed._.map(String), unknown };
}

/** `--force=no` would force: a flag that takes no value must not be given one. */
function refuseValues(args: readonly string[]): void {
  for (const argument of args) {
    const [flag] = argument.split("=");
    const known = FLAGS.find(({ name, value }) => value === null && `--${name}` === flag);
    if (known && argument.includes("=")) throw new UsageError(`${flag} takes no value`);
  }
}

/** A flag given twice is a mistake somewhere in a script: which one was meant cannot be known. */
function onlyOnce(flags: Split["flags"], command: CommandSpec | null): ParsedLine["values"] {
  const values: Partial<Record<FlagName, string>> = {};
  for (const { name, value, help } of FLAGS) {
    const given = value === null ? [] : flags[name] as string[];
    if (given.length > 1) throw new UsageError(`--${name} is given twice; give it once`);
    if (given[0] === "") {
      throw new UsageError(
        `--${name} needs a value: --${name} ${value}, ${help}${seeHelp(command)}`,
      );
    }
    if (given[0] !== undefined) values[name] = name === "slug" ? normalSlug(given[0]) : given[0];
  }
  return values;
}

function refuseForeignFlag(flag: FlagName, command: CommandSpec | null): void {
  if (!command) {
    if (flag === "help" || flag === "version" || flag === "verbose") return;
    throw new UsageError(`--${flag} needs a command before or after it${seeHelp(null)}`);
  }
  if (command.flags.includes(flag)) return;
  throw new UsageError(`${command.name} has no --${flag}${seeHelp(command)}`);
}

function refuseOperands(
  command: CommandSpec,
  operands: readonly string[],
  userCommand: readonly string[] | null,
): void {
  const extra = operands[command.operands];
  if (extra !== undefined) {
    const hint = command.takesCommand
      ? "put the command to run after --: " + `run --slug NAME -- ${showForeign(extra)} ...`
      : `${command.name} takes ${command.operands || "no"} word${
        command.operands === 1 ? "" : "s"
      } besides its flags`;
    throw new UsageError(`unexpected "${showForeign(extra)}"; ${hint}`);
  }
  if (userCommand && !command.takesCommand) {
    throw new UsageError(
      `${command.name} runs no command, so nothing may follow --; use run for that`,
    );
  }
  if (userCommand?.[0] === "") throw new UsageError("the command after -- has an empty name");
}

/** @return how a line about a wrong command line ends */
export function seeHelp(command: CommandSpec | null): string {
  return `; see lock_folder_util ${command ? `help ${command.name}` : "--help"}`;
}

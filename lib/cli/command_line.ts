/** From argv to a command and its options, or to a UsageError that names the flag and the rule. */

import { parseArgs } from "@std/cli/parse-args";
import { closestString } from "@std/text/closest-string";
import { levenshteinDistance } from "@std/text/levenshtein-distance";
import { UsageError } from "../lock/failures.ts";
import { isSlug, normalSlug, showForeign, SLUG_RULE } from "../words/slugs.ts";
import {
  commandNamed,
  COMMANDS,
  type CommandSpec,
  type FlagName,
  flagNamed,
  FLAGS,
} from "./commands.ts";
import { POLL_FLOOR_MS, STALE_FLOOR_MS } from "../lock/times.ts";
import { DURATION_RULE, parseDurationMs, showDuration } from "../words/durations.ts";
import { EXIT } from "../lock/exit_codes.ts";
import { absolutePathFrom } from "../words/paths.ts";
import type { Limits } from "../lock/command.ts";
import type { Environment } from "../sys/sys.ts";

export interface ParsedLine {
  /** Null if only a flag was given (`--help`, `--version`). */
  readonly command: CommandSpec | null;
  readonly operands: readonly string[];
  /** What came after the first `--`; null without one. */
  readonly userCommand: readonly string[] | null;
  /** Flags with a value that were given. */
  readonly values: Partial<Record<FlagName, string>>;
  /** Flags without a value that were given. */
  readonly set: ReadonlySet<FlagName>;
}

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): ParsedLine {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const userCommand = end < 0 ? null : args.slice(end + 1);
  const { flags, words, unknown } = splitFlags(own);
  const name = words[0];
  const command = name === undefined ? null : commandNamed(name);
  if (command === undefined) throw unknownCommand(name!);
  const values = onlyOnce(flags, command);
  if (unknown[0] !== undefined) throw unknownFlag(unknown[0], command);
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
  return { command, operands, userCommand, values, set };
}

interface Split {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  readonly unknown: readonly string[];
}

function splitFlags(args: readonly string[]): Split {
  refuseValues(args);
  const unknown: string[] = [];
  const withValue = FLAGS.filter(({ value }) => value !== null).map(({ name }) => name);
  const parsed = parseArgs(args, {
    string: [...withValue, "_"],
    collect: withValue,
    boolean: FLAGS.filter(({ value }) => value === null).map(({ name }) => name),
    alias: { help: "h" },
    unknown: (argument, key) => {
      if (key === undefined) return true;
      unknown.push(argument.split("=")[0]!);
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

function unknownCommand(name: string): UsageError {
  return new UsageError(
    `unknown command "${showForeign(name)}"${
      didYouMean(
        name,
        COMMANDS.map((command) => command.name),
      )
    }${seeHelp(null)}`,
  );
}

function unknownFlag(flag: string, command: CommandSpec | null): UsageError {
  const known = (command?.flags ?? FLAGS.map(({ name }) => name)).map((name) => `--${name}`);
  return new UsageError(
    `unknown flag ${showForeign(flag)}${didYouMean(flag, known)}${seeHelp(command)}`,
  );
}

/** A word this far from all that is known is no slip of the fingers. */
const FARTHEST_SLIP = 3;

function didYouMean(given: string, known: readonly string[]): string {
  // A person who stops short means the word that goes on so, not the one that has fewer letters in all.
  const nearest = known.find((word) => word.startsWith(given)) ?? closestString(given, known);
  const isNear = nearest.startsWith(given) || levenshteinDistance(given, nearest) <= FARTHEST_SLIP;
  return isNear ? `; did you mean ${nearest}?` : "";
}

function seeHelp(command: CommandSpec | null): string {
  return `; see lock_folder_util ${command ? `help ${command.name}` : "--help"}`;
}

// From flags to values: durations, names and numbers, each with its rule.

export interface WaitOptions {
  readonly slug: string;
  readonly pollMs: number;
  readonly staleMs: number;
  readonly timeoutMs: number | null;
  readonly keepPlaceMs: number;
}

/** @throws UsageError */
export function waitOptions(line: ParsedLine): WaitOptions {
  // Even where it is of no use, a wrong one is a mistake to be told of now and not in the night.
  conflictExitCode(line);
  return {
    slug: slugOption(line),
    pollMs: durationOption(line, "poll", POLL_FLOOR_MS),
    staleMs: durationOption(line, "stale", STALE_FLOOR_MS),
    timeoutMs: line.values.timeout === "none" ? null : durationOption(line, "timeout", 0),
    keepPlaceMs: durationOption(line, "keep-place", 0),
  };
}

export function slugOption(line: ParsedLine): string {
  const { slug } = line.values;
  if (slug === undefined) {
    throw new UsageError(`--slug is missing; say who you are: --slug NAME, ${SLUG_RULE}`);
  }
  if (!isSlug(slug)) throw new UsageError(`--slug "${showForeign(slug)}" is no name: ${SLUG_RULE}`);
  return slug;
}

export function durationOption(line: ParsedLine, name: FlagName, floorMs: number): number {
  const given = line.values[name] ?? flagNamed(name).byDefault!;
  const ms = parseDurationMs(given);
  const none = name === "timeout" ? ", or none" : "";
  if (ms === null) {
    throw new UsageError(
      `--${name} "${showForeign(given)}" is no duration: ${DURATION_RULE}${none}`,
    );
  }
  if (ms < floorMs) {
    throw new UsageError(`--${name} ${given} is too short: at least ${showDuration(floorMs)}`);
  }
  return ms;
}

/** @throws UsageError */
export function runLimits(line: ParsedLine): Limits {
  const onLost = line.values["on-lost"] ?? flagNamed("on-lost").byDefault!;
  if (onLost !== "warn" && onLost !== "terminate") {
    throw new UsageError(`--on-lost "${showForeign(onLost)}" is neither warn nor terminate`);
  }
  const limited = line.values["max-hold"] !== undefined;
  return {
    maxHoldMs: limited ? durationOption(line, "max-hold", 1) : null,
    endOnLoss: onLost === "terminate",
  };
}

/** @return null if it is not given */
export function fenceOption(line: ParsedLine): number | null {
  const given = line.values.fence;
  if (given === undefined) return null;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(
    `--fence "${showForeign(given)}" is no fence number: what LOCK_FOLDER_FENCE says`,
  );
}

/**
 * A whole number from 1 on.
 * @param most the largest that is allowed
 * @throws UsageError
 */
export function countOption(line: ParsedLine, name: FlagName, most: number): number {
  const given = line.values[name] ?? flagNamed(name).byDefault!;
  const count = Number(given);
  if (/^\d{1,9}$/.test(given) && count >= 1 && count <= most) return count;
  throw new UsageError(
    `--${name} "${showForeign(given)}" is out of range: a whole number from 1 to ${most}`,
  );
}

/** The status for giving up: any code can be the command's own, so a script may choose one that is not. */
export function conflictExitCode(line: ParsedLine): number {
  const given = line.values["conflict-exit-code"];
  if (given === undefined) return EXIT.gaveUp;
  const code = Number(given);
  if (/^\d{1,3}$/.test(given) && code <= 255) return code;
  throw new UsageError(
    `--conflict-exit-code "${showForeign(given)}" is no exit code: a number from 0 to 255`,
  );
}

/**
 * A folder named by a flag, absolute.
 * @return null if it is not given
 */
export function folderOption(
  line: ParsedLine,
  name: FlagName,
  environment: Environment,
): string | null {
  const given = line.values[name];
  return given === undefined ? null : absoluteDir(given, environment);
}

/** A lock folder, made absolute once, so that a command that changes its folder changes nothing here. */
export function absoluteDir(dir: string, { workingFolder }: Environment): string {
  const path = absolutePathFrom(dir, workingFolder);
  if (path !== null) return path;
  throw new UsageError(`${NO_WORKING_FOLDER}; name an absolute lock folder with --dir`);
}

/** Where a file of the user's own is, absolute. */
export function documentPath(path: string, { workingFolder }: Environment): string {
  const absolute = absolutePathFrom(path, workingFolder);
  if (absolute !== null) return absolute;
  throw new UsageError(`${NO_WORKING_FOLDER}; name ${showForeign(path)} by its absolute path`);
}

const NO_WORKING_FOLDER =
  "the folder this was started in has been removed, or its name is not UTF-8";

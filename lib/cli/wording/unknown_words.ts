/** What may have been meant by a command or a flag that there is not: a slip of the fingers, or another tool's word. */

import { closestString } from "@std/text/closest-string";
import { levenshteinDistance } from "@std/text/levenshtein-distance";
import { parseDurationMs } from "../../words/durations.ts";
import { showForeign } from "../../words/slugs.ts";
import { seeHelp, type TypedFlag, type UnknownWord } from "../command_line.ts";
import { COMMANDS, type CommandSpec, FLAGS } from "../commands.ts";

/** In one line without the program's name. */
export function describeUnknown({ unknown, command }: UnknownWord): string {
  if (typeof unknown === "string") return unknownCommand(unknown);
  return flockFlag(unknown, command) ?? unknownFlag(unknown, command);
}

/** What other tools call what is done here under another name. */
const COMMANDS_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["log", "report to be told from the log who held when"],
  ["list", "status to see who holds and who waits"],
  ["ls", "status to see who holds and who waits"],
  ["lock", "acquire to take the lock, or run to hold it for one command"],
  ["unlock", "release to give back what acquire took"],
]);

function unknownCommand(name: string): string {
  const told = `unknown command "${showForeign(name)}"`;
  const elsewhere = COMMANDS_ELSEWHERE.get(name);
  if (elsewhere !== undefined) return `${told}; say ${elsewhere}`;
  return `${told}${didYouMean(name, COMMANDS.map((command) => command.name))}${seeHelp(null)}`;
}

interface FlockFlag {
  readonly names: readonly string[];
  /** The commands in which something does the same. */
  readonly commands: readonly string[];
  /** What to say instead. */
  readonly instead: (value: string | null) => string;
}

const FLOCK_FLAGS: readonly FlockFlag[] = [
  {
    names: ["-w", "--wait"],
    commands: ["run", "acquire"],
    instead: (value) => `--timeout ${isDuration(value) ? value : "10m"} to wait that long`,
  },
  {
    names: ["-n", "--nonblock", "--nb"],
    commands: ["run", "acquire"],
    instead: () => "--timeout 0 to try once, without a wait",
  },
  {
    names: ["-E"],
    commands: ["run", "acquire"],
    instead: (value) =>
      `--conflict-exit-code ${
        /^\d{1,3}$/.test(value ?? "") ? value : "N"
      } to choose the exit code for giving up`,
  },
  {
    names: ["-c"],
    commands: ["run"],
    instead: (value) => `-- sh -c ${quoted(value)} to run a line of shell`,
  },
];

/** @return null if it is none, or nothing does the same here */
function flockFlag(
  { argument, key, value }: TypedFlag,
  command: CommandSpec | null,
): string | null {
  const isLong = argument.startsWith("--");
  // `-nE75` and `-w10` are two things in one word; `-wait` is one thing that is spelt wrongly.
  if (!isLong && /^-.[a-z]/.test(argument)) return null;
  const flag = `${isLong ? "--" : "-"}${key}`;
  const known = FLOCK_FLAGS.find(({ names, commands }) =>
    names.includes(flag) && command !== null && commands.includes(command.name)
  );
  return known ? `${command!.name} has no ${flag}; say ${known.instead(value)}` : null;
}

function isDuration(value: string | null): boolean {
  return value !== null && parseDurationMs(value) !== null;
}

/** A longer one would hide the advice. */
const SHELL_LINE_LONGEST = 60;

function quoted(line: string | null): string {
  if (line === null || line.length > SHELL_LINE_LONGEST) return "'…'";
  return `'${line.replaceAll("'", "'\\''")}'`;
}

function unknownFlag({ argument }: TypedFlag, command: CommandSpec | null): string {
  const flag = argument.split("=")[0]!;
  const known = (command?.flags ?? FLAGS.map(({ name }) => name)).map((name) => `--${name}`);
  return `unknown flag ${showForeign(flag)}${didYouMean(flag, known)}${seeHelp(command)}`;
}

/** A word this far from all that is known is no slip of the fingers. */
const FARTHEST_SLIP = 3;

function didYouMean(given: string, known: readonly string[]): string {
  // A person who stops short means the word that goes on so, not the one that has fewer letters in all.
  const nearest = known.find((word) => word.startsWith(given)) ?? closestString(given, known);
  const isNear = nearest.startsWith(given) || levenshteinDistance(given, nearest) <= FARTHEST_SLIP;
  return isNear ? `; did you mean ${nearest}?` : "";
}

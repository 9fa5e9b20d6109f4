/** `--help`, `help COMMAND` and `--version`, made from the table of commands. */

import { GROUPS } from "../command_spec.ts";
import { hanging, wrapped } from "../../words/columns.ts";
import { EXIT } from "../../lock/exit_codes.ts";
import { FENCE_VARIABLE, HELD_VARIABLE, SLUG_VARIABLE } from "../../lock/variables.ts";
import {
  COLUMNS_VARIABLE,
  DIR_VARIABLE,
  NO_COLOR_VARIABLE,
  NO_WATCH_VARIABLE,
  TRUST_MOUNT_VARIABLE,
} from "../../lock/variables.ts";
import {
  commandNamed,
  COMMANDS,
  type CommandSpec,
  type Flag,
  flagIn,
  flagNamed,
} from "../commands.ts";
import { PROGRAM } from "./line.ts";

/** Those that do something. */
export const WORKING_COMMANDS = COMMANDS.filter(({ name }) => name !== "help");

/** How people write a duration. */
export const DURATION_WORDS =
  "Durations are plain seconds, or fractions of one, or 250ms, 90s, 10m, 2h, 30d.";

/** What a flag is for, with what it is if it is not given. */
export function flagWords({ byDefault, help }: Flag): string {
  return byDefault === undefined ? help : `${help} (default ${byDefault})`;
}

/** What a person wants to read first. @param width places in a line */
export function generalHelp(width: number): string {
  return [
    ...wrapped(
      `${PROGRAM}: one holder at a time, for agents, cron jobs, CI runners and people that share one thing.`,
      width,
    ),
    "",
    "Usage:",
    ...WORKING_COMMANDS.flatMap((command) => usageLines(command, "  ", width)),
    ...hanging(`  ${PROGRAM} --help | help COMMAND | --version [--verbose]`, width, 4),
    "",
    ...groups(width),
    "Examples:",
    ...WORKING_COMMANDS.map(({ examples }) => `  ${examples[0]}`),
    "",
    "Everywhere:",
    ...flagTable((["dir", "name", "quiet"] as const).map(flagNamed), width),
    "",
    ...wrapped(DURATION_WORDS, width),
    "",
    "Exit codes:",
    ...table(EXIT_WORDS, width),
    "",
    "Environment:",
    ...table(ENVIRONMENT_WORDS, width),
    "",
  ].join("\n");
}

/** What there is, for who named nothing. @param width places in a line */
export function shortHelp(width: number): string {
  return [
    `Usage: ${PROGRAM} COMMAND [flags]`,
    ...usageLines(commandNamed("run")!, "       ", width),
    "",
    ...groups(width),
    ...wrapped(`${PROGRAM} help COMMAND says more about one of them, --help about all.`, width),
    "",
  ].join("\n");
}

/** All about one command. @param width places in a line */
export function commandHelp(command: CommandSpec, width: number): string {
  const { name, summary, details, flags, examples } = command;
  return [
    ...wrapped(`${PROGRAM} ${name}: ${summary}`, width),
    "",
    ...usageLines(command, "Usage: ", width),
    "",
    ...(details.length ? [...wrapped(details.join(" "), width), ""] : []),
    "Flags:",
    ...flagTable(flags.map((flag) => flagIn(command, flag)), width),
    "",
    "Examples:",
    // In one line, however long: it is there to be copied.
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

/** What belongs together stays in one line: a flag and its value, and all in brackets. */
function usageLines({ name, synopsis }: CommandSpec, before: string, width: number): string[] {
  const words = `${PROGRAM} ${name} ${synopsis}`
    .replace(/\[.*?\]|--\w+ [A-Z]+/g, (words) => words.replaceAll(" ", "\u00a0"));
  return hanging(before + words, width, 4);
}

/** All commands by what one wants to do, each group with its title and an empty line after it. */
function groups(width: number): string[] {
  const nameWidth = Math.max(...COMMANDS.map(({ name }) => name.length));
  return GROUPS.flatMap((group) => {
    const rows = COMMANDS.filter((command) => command.group === group)
      .map(({ name, summary }) => [name.padEnd(nameWidth), summary] as const);
    return [`${group[0]!.toUpperCase()}${group.slice(1)}:`, ...table(rows, width), ""];
  });
}

/** Every status, in the order in which a person meets them. */
export const EXIT_WORDS: readonly (readonly [string, string])[] = [
  [`${EXIT.done}`, "done, or the command's own 0"],
  ["n", "the command's own status; 128+n if signal n killed it"],
  [
    `${EXIT.no}`,
    "release, renew, check: not the holder; report, herd, doctor: something is broken",
  ],
  [`${EXIT.usage}`, "the command line is wrong"],
  [`${EXIT.noLog}`, "report: the file that was named is no log"],
  [`${EXIT.noInput}`, "report: the file that was named cannot be read"],
  [`${EXIT.defect}`, "a defect of this program"],
  [
    `${EXIT.ioFailed}`,
    "the lock folder could not be written (disk full, I/O), or the lock could not be given back",
  ],
  [`${EXIT.gaveUp}`, "gave up waiting (--conflict-exit-code sets another)"],
  [`${EXIT.holdLost}`, "the hold was lost, and --on-lost terminate ended the command"],
  [
    `${EXIT.folderUnusable}`,
    "the lock folder is missing, not a folder, not writable, or on a mount whose mkdir does not exclude",
  ],
  [
    `${EXIT.notExecutable}, ${EXIT.notFound}`,
    "the command cannot be executed; there is no such command",
  ],
];

export const ENVIRONMENT_WORDS: readonly (readonly [string, string])[] = [
  [DIR_VARIABLE, "the lock folder, where --dir is not given"],
  [TRUST_MOUNT_VARIABLE, "1 uses a mount whose mkdir is known to let two in"],
  [
    NO_WATCH_VARIABLE,
    "1 waits by looking alone, on shares whose file locks or watches are known to lie",
  ],
  [NO_COLOR_VARIABLE, "no colours"],
  [COLUMNS_VARIABLE, "how wide help and reports may be, whatever the terminal says"],
  [HELD_VARIABLE, "set for the command: the lock's path and the hold's token"],
  [SLUG_VARIABLE, "set for the command: the holder's name"],
  [FENCE_VARIABLE, "set for the command: a number that grows with every hold"],
];

function flagTable(flags: readonly Flag[], width: number): string[] {
  return table(flags.map(flagRow), width);
}

function flagRow(flag: Flag): readonly [string, string] {
  const { name, value } = flag;
  return [value === null ? `--${name}` : `--${name} ${value}`, flagWords(flag)];
}

/** Words in fewer places than this are hard to read: they stand below what they are about. */
const NARROWEST_WORDS = 24;

function table(rows: readonly (readonly [string, string])[], width: number): string[] {
  const left = Math.max(...rows.map(([left]) => left.length)) + 4;
  const isBeside = width - left >= NARROWEST_WORDS;
  const indent = isBeside ? left : 6;
  return rows.flatMap(([name, words]) => {
    const lines = wrapped(words, width - indent).map((line) => " ".repeat(indent) + line);
    const first = `  ${name}`;
    if (!isBeside) return [first.trimEnd(), ...lines];
    return [first.padEnd(left) + lines[0]!.trimStart(), ...lines.slice(1)];
  });
}

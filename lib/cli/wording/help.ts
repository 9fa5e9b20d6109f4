/** `--help`, `help COMMAND` and `--version`, made from the table of commands. */

import { EXIT } from "../../lock/exit_codes.ts";
import { FENCE_VARIABLE, HELD_VARIABLE, SLUG_VARIABLE } from "../../lock/variables.ts";
import {
  DIR_VARIABLE,
  NO_COLOR_VARIABLE,
  NO_WATCH_VARIABLE,
  TRUST_MOUNT_VARIABLE,
} from "../../lock/variables.ts";
import { COMMANDS, type CommandSpec, type Flag, flagIn, flagNamed } from "../commands.ts";
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

/** What a person wants to read first. */
export function generalHelp(): string {
  return [
    `${PROGRAM}: one holder at a time, for agents, cron jobs, CI runners and people that share one thing.`,
    "",
    "Usage:",
    ...WORKING_COMMANDS.map(({ name, synopsis }) => `  ${PROGRAM} ${name} ${synopsis}`),
    `  ${PROGRAM} --help | help COMMAND | --version [--verbose]`,
    "",
    "Commands:",
    ...table(WORKING_COMMANDS.map(({ name, summary }) => [name, summary])),
    "",
    "Examples:",
    ...WORKING_COMMANDS.map(({ examples }) => `  ${examples[0]}`),
    "",
    "Everywhere:",
    ...flagTable((["dir", "name", "quiet"] as const).map(flagNamed)),
    "",
    DURATION_WORDS,
    "",
    "Exit codes:",
    ...table(EXIT_WORDS),
    "",
    "Environment:",
    ...table(ENVIRONMENT_WORDS),
    "",
  ].join("\n");
}

/** All about one command. */
export function commandHelp(command: CommandSpec): string {
  return [
    `${PROGRAM} ${command.name}: ${command.summary}`,
    "",
    `Usage: ${PROGRAM} ${command.name} ${command.synopsis}`,
    "",
    ...command.details,
    ...(command.details.length ? [""] : []),
    "Flags:",
    ...flagTable(command.flags.map((name) => flagIn(command, name))),
    "",
    "Examples:",
    ...command.examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
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
  [HELD_VARIABLE, "set for the command: the lock's path and the hold's token"],
  [SLUG_VARIABLE, "set for the command: the holder's name"],
  [FENCE_VARIABLE, "set for the command: a number that grows with every hold"],
];

function flagTable(flags: readonly Flag[]): string[] {
  return table(flags.map(flagRow));
}

function flagRow(flag: Flag): readonly [string, string] {
  const { name, value } = flag;
  return [value === null ? `--${name}` : `--${name} ${value}`, flagWords(flag)];
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
}

/** The manual page, made from the same table as `--help`. Pure: versions and dates in, roff out. */
import {
  type CommandSpec,
  type Flag,
  flagIn,
  type FlagName,
  flagNamed,
} from "../lib/cli/commands.ts";
import {
  DURATION_WORDS,
  ENVIRONMENT_WORDS,
  EXIT_WORDS,
  flagWords,
  WORKING_COMMANDS,
} from "../lib/cli/wording/help.ts";

/** What the head and the foot of the page say. */
export interface Edition {
  readonly version: string;
  /** As `2026-08-22`. */
  readonly date: string;
}

/** What stands in the lock folder: `NAME` is the lock's, as `--name` says. */
const FILES: readonly (readonly [string, string])[] = [
  ["NAME.lock", "the lock: an empty folder. It is held while it stands"],
  ["NAME.log", "the log, one line a transition: time, name, event"],
  [
    "NAME.state",
    "who holds, who waits, and in which order; may be deleted at any time, which costs order and speed, not the lock",
  ],
];

/**
 * The page for section 1.
 *
 * @param edition version and date
 * @return roff for man(7), understood by groff and mandoc
 */
export function manPage({ version, date }: Edition): string {
  return [
    `.TH LOCK_FOLDER_UTIL 1 ${date} "lock_folder_util ${version}"`,
    ".SH NAME",
    "lock_folder_util \\- one holder at a time, for agents, cron jobs, CI runners and people",
    ".SH SYNOPSIS",
    ...WORKING_COMMANDS.flatMap(({ name, synopsis }, index) => [
      ...index === 0 ? [] : [".br"],
      `\\fBlock_folder_util ${roff(name)}\\fR ${synopsisText(synopsis)}`,
    ]),
    ".br",
    "\\fBlock_folder_util\\fR \\fB\\-\\-help\\fR | \\fBhelp\\fR \\fICOMMAND\\fR | \\fB\\-\\-version\\fR [\\fB\\-\\-verbose\\fR]",
    ".SH DESCRIPTION",
    text(
      "One empty folder is the lock. To make it takes the lock; to remove it gives it back. Waiters are",
    ),
    text("served in order of arrival, and a log says who held the lock and what happened to it."),
    ".SH COMMANDS",
    ...WORKING_COMMANDS.flatMap(commandLines),
    ".SH OPTIONS",
    text(DURATION_WORDS),
    ...flagsInUse(WORKING_COMMANDS).flatMap(flagLines),
    ...flagLines(flagNamed("verbose")),
    ".SH EXIT STATUS",
    ...EXIT_WORDS.flatMap(([code, words]) => tagged(`\\fB${roff(code)}\\fR`, words)),
    ".SH ENVIRONMENT",
    ...ENVIRONMENT_WORDS.flatMap(([name, words]) => tagged(`\\fB${roff(name)}\\fR`, words)),
    ".SH FILES",
    ...FILES.flatMap(([name, words]) => tagged(`\\fI${roff(name)}\\fR`, words)),
    ".SH EXAMPLES",
    ".nf",
    ...WORKING_COMMANDS.flatMap(({ examples }) => examples.map(text)),
    ".fi",
    ".SH SEE ALSO",
    "\\fBflock\\fR(1)",
    "",
  ].join("\n");
}

function commandLines(command: CommandSpec): string[] {
  const { name, summary, details, flags, differs = {} } = command;
  const own = flags.filter((flag) => flag !== "help").map((flag) => `\\fB\\-\\-${roff(flag)}\\fR`);
  return [
    ...tagged(`\\fB${roff(name)}\\fR`, summary),
    ...details.length === 0 ? [] : [".br", ...details.map(text)],
    ...own.length === 0 ? [] : [".br", `Options: ${own.join(", ")}.`],
    ...(Object.keys(differs) as FlagName[]).flatMap((flag) => [
      ".br",
      `Here \\fB\\-\\-${roff(flag)}\\fR: ${roff(differenceWords(flagIn(command, flag)))}.`,
    ]),
  ];
}

/** A flag that is different in this command: one without a default must be given. */
function differenceWords(flag: Flag): string {
  const isNeeded = flag.byDefault === undefined && flagNamed(flag.name).byDefault !== undefined;
  return isNeeded ? `${flag.help}; must be given` : flagWords(flag);
}

function flagsInUse(commands: readonly CommandSpec[]): Flag[] {
  const names = new Set(commands.flatMap(({ flags }) => flags));
  return [...names].map(flagNamed).sort((a, b) => a.name < b.name ? -1 : 1);
}

function flagLines(flag: Flag): string[] {
  const { name, value } = flag;
  const tag = `\\fB\\-\\-${roff(name)}\\fR${value === null ? "" : ` \\fI${roff(value)}\\fR`}`;
  return tagged(tag, flagWords(flag));
}

function tagged(tag: string, words: string): string[] {
  return [".TP", tag, text(words)];
}

/** Flags in bold, the words for their values in italics, as manuals have them. */
function synopsisText(synopsis: string): string {
  return roff(synopsis)
    .replace(/(?:\\-\\-[a-z-\\]*|\\-\\-)(?![A-Za-z])/g, "\\fB$&\\fR")
    .replace(/\b[A-Z]{2,}\b|\b[DN]\b/g, "\\fI$&\\fR");
}

/** A whole line of running text: a dot or a quote at its beginning would be a request. */
function text(line: string): string {
  const escaped = roff(line);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

/** Plain characters: a backslash, and the hyphens and quotes that typesetting would replace. */
function roff(plain: string): string {
  const escapes: Readonly<Record<string, string>> = {
    "\\": "\\e",
    "-": "\\-",
    "`": "\\(ga",
    "'": "\\(aq",
    "^": "\\(ha",
    "~": "\\(ti",
  };
  return plain.replace(/[\\\-`'^~]/g, (character) => escapes[character]!);
}

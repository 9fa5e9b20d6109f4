/**
 * The audit log's lines: `<UTC second>Z <slug> <event>[ key=value ...]`. This is a public format: scripts
 * count holds with `endswith`, so `acquired` and `released` carry nothing after the word and no other line
 * ends in either.
 */

import { logSeconds } from "../words/durations.ts";
import { normalSlug } from "../words/slugs.ts";

export type LogEvent =
  | { readonly event: "acquired" | "released" | "lost" | "max_hold" }
  | {
    readonly event: "stale_break";
    readonly ageMs: number;
    readonly reason: string;
    readonly holder: string | null;
  }
  | { readonly event: "gave_up"; readonly waitedMs: number; readonly reason: string }
  | { readonly event: "force_release"; readonly holder: string | null }
  /** Takes the writer's last `stale_break` or `force_release` back: the lock could not be removed. */
  | { readonly event: "not_removed"; readonly holder: string | null };

const EVENTS: readonly LogEvent["event"][] = [
  "acquired",
  "released",
  "lost",
  "max_hold",
  "stale_break",
  "gave_up",
  "force_release",
  "not_removed",
];

/** @param word of a log, which may be another program's */
export function isEvent(word: string): word is LogEvent["event"] {
  return (EVENTS as readonly string[]).includes(word);
}

/** The holder where nothing names one: a peer that neither left a record nor wrote to the log. */
const NOBODY_KNOWN = "unknown";

/**
 * One whole line, newline included.
 * @param wallMs milliseconds since 1970; the log keeps whole seconds
 */
export function logLine(wallMs: number, slug: string, event: LogEvent): string {
  const second = `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
  return `${[second, slug, event.event, ...details(event)].join(" ")}\n`;
}

function details(event: LogEvent): string[] {
  switch (event.event) {
    case "stale_break":
      return [
        `age=${logSeconds(event.ageMs)}`,
        `reason=${event.reason}`,
        `holder=${logValue(event.holder)}`,
      ];
    case "gave_up":
      return [`waited=${logSeconds(event.waitedMs)}`, `reason=${event.reason}`];
    case "force_release":
    case "not_removed":
      return [`holder=${logValue(event.holder)}`];
    default:
      return [];
  }
}

/**
 * A holder called `released` would end this line in that word, and be counted as a release: such a name is
 * quoted. Names come out of files that others can write, so white space is replaced.
 */
function logValue(holder: string | null): string {
  const name = (holder ?? NOBODY_KNOWN).replace(/[\s\p{C}]/gu, "?");
  return /(acquired|released)$/.test(name) ? `"${name}"` : name;
}

/** A line of a log taken apart; the log may be another program's, so any event word is allowed. */
export interface LogRecord {
  readonly atMs: number;
  readonly slug: string;
  readonly event: string;
  readonly values: Readonly<Record<string, string>>;
}

const NO_VALUES: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Takes a line apart.
 * @param line without its newline
 * @return null if it is not of the log's form
 */
export function parseLogLine(line: string): LogRecord | null {
  // Cut by hand: a log of a million lines goes through here.
  if (line.length < 23 || line.charCodeAt(19) !== 90 /* Z */ || line.charCodeAt(20) !== 32) {
    return null;
  }
  const atMs = parseSecond(line);
  const slugEnd = line.indexOf(" ", 21);
  if (Number.isNaN(atMs) || slugEnd < 22) return null;
  const slug = normalSlug(line.slice(21, slugEnd));
  const eventEnd = line.indexOf(" ", slugEnd + 1);
  const event = eventEnd < 0 ? line.slice(slugEnd + 1) : line.slice(slugEnd + 1, eventEnd);
  if (!/^[a-z_]+$/.test(event)) return null;
  return {
    atMs,
    slug,
    event,
    values: eventEnd < 0 ? NO_VALUES : parseValues(line.slice(eventEnd + 1)),
  };
}

function parseSecond(line: string): number {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(line)) return NaN;
  return Date.parse(line.slice(0, 20));
}

function parseValues(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const pair of text.split(" ")) {
    const equals = pair.indexOf("=");
    if (equals > 0) {
      values[pair.slice(0, equals)] = normalSlug(
        pair.slice(equals + 1).replace(/^"(.*)"$/, "$1"),
      );
    }
  }
  return values;
}

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

// Reading a line of the log, be it whole or not: a disk that was full cuts lines short, and a writer that does
// not look what it appends to (a shell script) glues its own line to one.
//
// `released` is written before the lock is removed, and a holder that cannot write it removes the lock all the
// same: a cut `released` ends its hold. A cut `acquired`, or one to which another line is glued, begins none: that
// claim was taken back.

/** A line is glued where a second time begins. */
const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /g;
/** What lies before it is shorter than any time, name and word. */
const FIRST_STAMP_LENGTH = 21;

/** What one line tells. `isCut`: of a `released` that was not written to its end. */
export type LineRecord = LogRecord & { readonly isCut?: true };

/** @return what a whole line tells; null if it is broken, cut short, or has another glued to it */
export function wholeRecord(line: string): LogRecord | null {
  // Asked in this order: a log of a million lines goes through here.
  if (line.indexOf("Z ", FIRST_STAMP_LENGTH) >= 0 && piecesOf(line).length > 1) return null;
  const record = parseLogLine(line);
  return record && !isCutRelease(record) ? record : null;
}

/** @return what can still be read in a line for which `wholeRecord()` gives null, in order */
export function readBrokenLine(line: string): LineRecord[] {
  const pieces = piecesOf(line.replaceAll("\0", ""));
  return pieces.flatMap((piece, index) => {
    const record = parseLogLine(piece);
    if (!record) return [];
    if (isCutRelease(record)) return [{ ...record, event: "released", isCut: true as const }];
    const isWhole = index === pieces.length - 1 ||
      (isEvent(record.event) && record.event !== "acquired");
    return isWhole ? [record] : [];
  });
}

/** All that a line tells, whole or not. */
export function recordsOf(line: string): LineRecord[] {
  const record = wholeRecord(line);
  return record ? [record] : readBrokenLine(line);
}

function isCutRelease({ event }: LogRecord): boolean {
  return event !== "released" && "released".startsWith(event);
}

/** A name may end in a time: only where something of the log's form follows does another line begin. */
function piecesOf(line: string): string[] {
  const stamps = [...line.matchAll(STAMP)].map(({ index }) => index);
  const starts = stamps.filter((start, index) =>
    index === 0 || parseLogLine(line.slice(start, stamps[index + 1])) !== null
  );
  return starts.map((start, index) => line.slice(start, starts[index + 1]));
}

// A log that comes in pieces, cut into lines: of any size, without ever holding more than one piece.

/** A line longer than this is no line of a log; the rest of it is dropped, so that it cannot fill memory. */
const LINE_LONGEST = 64 * 1024;

export class LineCutter {
  readonly #take: (line: string) => void;
  #rest = "";
  #first = true;

  /** @param take is called with each line, without its newline or carriage return */
  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  /** @param text the next piece; it may begin and end anywhere */
  feed(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#emit(this.#rest === "" ? text.slice(from, end) : this.#rest + text.slice(from, end));
      this.#rest = "";
      from = end + 1;
    }
    if (from < text.length && this.#rest.length <= LINE_LONGEST) {
      this.#rest += text.slice(from, from + LINE_LONGEST + 1);
    }
  }

  /** The last line, where the text did not end with a newline. */
  finish(): void {
    if (this.#rest !== "") this.#emit(this.#rest);
    this.#rest = "";
  }

  #emit(line: string): void {
    const start = this.#first && line.charCodeAt(0) === 0xfeff ? 1 : 0;
    const end = line.charCodeAt(line.length - 1) === 13 /* \r */ ? line.length - 1 : line.length;
    this.#first = false;
    this.#take(start === 0 && end === line.length ? line : line.slice(start, end));
  }
}

// The times of a log's lines: from when to when, and where they step back.

export class LogTimes {
  readonly clock = { backwards: 0, largestMs: 0, line: 0 };
  earliestMs = Infinity;
  latestMs = -Infinity;
  #previousMs = NaN;

  watch(atMs: number, line: number): void {
    const backMs = this.#previousMs - atMs;
    if (backMs > 0) {
      this.clock.backwards++;
      if (backMs > this.clock.largestMs) {
        this.clock.largestMs = backMs;
        this.clock.line = line;
      }
    }
    this.#previousMs = atMs;
    if (atMs < this.earliestMs) this.earliestMs = atMs;
    if (atMs > this.latestMs) this.latestMs = atMs;
  }
}

/** All that a piece of a log tells; its first line may be cut. */
export function recordsIn(logText: string): LineRecord[] {
  return logText.split("\n").flatMap((line) => recordsOf(line.replace(/\r$/, "")));
}

/** The latest moment that the end of a log tells of, in milliseconds since 1970; null if it tells of none. */
export function latestInLog(logText: string): number | null {
  const times = recordsIn(logText).map(({ atMs }) => atMs);
  return times.length === 0 ? null : Math.max(...times);
}

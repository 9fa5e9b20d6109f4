/**
 * Lines of the log that were cut short, as on a disk that was full, and what can still be read in them.
 *
 * `released` is written before the lock is removed, and a holder that cannot write it removes the lock all the
 * same: a cut `released` ends its hold. A cut `acquired` begins none: that claim was taken back. A writer that
 * does not look what it appends to (a shell script) glues its own line to a cut one; it counts, as it does for a
 * script that looks at the ends of lines.
 */

import { type LogRecord, parseLogLine } from "./events.ts";

const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /g;

export interface CutLine {
  /** The end of a hold that was not written to its end; null if there is none. */
  readonly released: LogRecord | null;
  /** The whole line that another writer glued to it. */
  readonly glued: LogRecord | null;
}

/** @return whether this is a `released` that was cut short */
export function isCutRelease({ event }: LogRecord): boolean {
  return event !== "released" && "released".startsWith(event);
}

/** @param line one that is not whole: `parseLogLine()` gives null for it, or a cut `released` */
export function readCutLine(line: string): CutLine {
  for (const { index } of line.matchAll(STAMP)) {
    const glued = index > 0 ? parseLogLine(line.slice(index)) : null;
    if (glued) return { released: cutRelease(line.slice(0, index)), glued };
  }
  return { released: cutRelease(line), glued: null };
}

function cutRelease(text: string): LogRecord | null {
  const record = parseLogLine(text);
  return record && isCutRelease(record) ? { ...record, event: "released" } : null;
}

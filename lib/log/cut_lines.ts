/**
 * Reading a line of the log, be it whole or not: a disk that was full cuts lines short, and a writer that does
 * not look what it appends to (a shell script) glues its own line to one.
 *
 * `released` is written before the lock is removed, and a holder that cannot write it removes the lock all the
 * same: a cut `released` ends its hold. A cut `acquired`, or one to which another line is glued, begins none: that
 * claim was taken back.
 */

import { isEvent, type LogRecord, parseLogLine } from "./events.ts";

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

/** Which holds overlap, by the order of the lines. */

import { type Hold, type HoldTable, OPEN, UNENDED } from "./hold_table.ts";

export interface Overlap {
  /** The youngest hold that stood when `second` began. */
  readonly first: Hold;
  readonly second: Hold;
  /** How many held at that moment. */
  readonly simultaneous: number;
}

export interface Overlaps {
  readonly count: number;
  /** The largest number that held at once; 1 or 0 if none overlapped. */
  readonly most: number;
  readonly first: readonly Overlap[];
}

/**
 * How long both held at once.
 * @param openToMs until when a hold lasted that no line ends, and that nobody came after
 * @return null where no line tells how long one of them lasted
 */
export function overlapMs({ first, second }: Overlap, openToMs: number): number | null {
  const ends = [first, second].map((hold) =>
    hold.workedOnTo?.ms ?? hold.endMs ?? (hold.end === "open" ? openToMs : null)
  );
  if (ends.includes(null)) return null;
  return Math.max(0, Math.min(...ends as number[]) - second.startMs);
}

/**
 * How many holds may have overlapped with the next one, for all that the log tells: somebody else ended them, their
 * holder found them gone, or a limit ended them, and nothing says that the holder was dead or when all of its work
 * stopped.
 * @param table all holds of the log
 * @param holds those of them that are reported on
 */
export function countCutShort(table: HoldTable, holds: HoldTable): number {
  const lastStartLine = table.count === 0 ? 0 : table.startLine[table.count - 1]!;
  let count = 0;
  for (let i = 0; i < holds.count; i++) {
    // Of one after which nobody acquired there is nothing to be said.
    if (holds.cutShort[i] && holds.endLine[i]! < lastStartLine) count++;
  }
  return count;
}

const OVERLAPS_LISTED = 20;

/**
 * Finds every `acquired` that comes while another hold stands.
 * @param counts whether an overlap of these two holds is to be reported
 */
export function findOverlaps(
  table: HoldTable,
  counts: (first: number, second: number) => boolean,
): Overlaps {
  const endLines = allEndLines(table);
  const sortedEnds = endLines.slice().sort();
  const listed: Overlap[] = [];
  // The youngest on top. Those below may have ended: they are dropped when they come to the top.
  const standing: number[] = [];
  let ended = 0;
  let count = 0;
  let most = Math.min(1, table.count);
  for (let i = 0; i < table.count; i++) {
    const line = table.startLine[i]!;
    // On the same line: an end that was cut short, and a whole `acquired` glued to it.
    while (ended < sortedEnds.length && sortedEnds[ended]! <= line) ended++;
    while (standing.length > 0 && endLines[standing.at(-1)!]! <= line) standing.pop();
    const first = standing.at(-1);
    standing.push(i);
    if (first === undefined || !counts(first, i)) continue;
    count++;
    const simultaneous = i + 1 - ended;
    if (simultaneous > most) most = simultaneous;
    if (listed.length < OVERLAPS_LISTED) {
      listed.push({ first: table.at(first), second: table.at(i), simultaneous });
    }
  }
  return { count, most, first: listed };
}

/**
 * How long the lock was held within a time. Holds that overlap count once, from the first beginning to the
 * last end: by the order of lines, since between machines the order of times means nothing.
 * @param openToMs until when a hold lasted that no line ends, and that nobody came after
 */
export function heldMs(
  table: HoldTable,
  fromMs: number,
  toMs: number,
  openToMs: number,
): number {
  let total = 0;
  let groupFromMs = NaN;
  let groupToMs = NaN;
  let groupEndLine = -Infinity;
  const closeGroup = () => {
    total += Math.max(0, Math.min(groupToMs, toMs) - Math.max(groupFromMs, fromMs)) || 0;
  };
  for (let i = 0; i < table.count; i++) {
    const startMs = table.startMs[i]!;
    const isOpen = table.end[i] === OPEN;
    const endMs = isOpen ? openToMs : startMs + table.lastedMs(i);
    // One that no line ends lasted for nobody knows how long: no time is counted, for its agent neither.
    const endLine = isOpen ? Infinity : table.endLine[i]! || table.startLine[i]!;
    if (table.startLine[i]! < groupEndLine) {
      groupFromMs = Math.min(groupFromMs, startMs);
      groupToMs = Math.max(groupToMs, endMs);
      groupEndLine = Math.max(groupEndLine, endLine);
    } else {
      closeGroup();
      groupFromMs = startMs;
      groupToMs = endMs;
      groupEndLine = endLine;
    }
  }
  closeGroup();
  return total;
}

/**
 * Up to which line each hold stood. One that no line ends stood until somebody else could acquire: it
 * overlaps with that one hold, not with all that ever came after. One that somebody else ended went on until its
 * holder says that it is over.
 */
function allEndLines(table: HoldTable): Float64Array {
  const ends = new Float64Array(table.count);
  for (let i = 0; i < table.count; i++) {
    const line = table.endLine[i]!;
    if (!Number.isNaN(line)) ends[i] = table.workedOnTo(i)?.line ?? line;
    else if (table.end[i] !== UNENDED) ends[i] = Infinity;
    else ends[i] = (table.startLine[i + 1] ?? table.startLine[i]!) + 0.5;
  }
  return ends;
}

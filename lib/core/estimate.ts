/** How long a wait is likely to be: the median of recent holds, times those who are served before us. */

import { parseLogLine } from "./events.ts";

/** Enough to even out one odd hold, few enough to follow a fleet whose work changes. */
const HOLDS_LOOKED_AT = 20;

/**
 * The median length of the last holds that a log tells of from beginning to end.
 * @param logText the end of a log; its first line may be cut
 * @return milliseconds, with the log's resolution of a second; null if it tells of no hold
 */
export function medianHoldMs(logText: string): number | null {
  const open = new Map<string, number>();
  const lengths: number[] = [];
  for (const line of logText.split("\n")) {
    const record = parseLogLine(line.replace(/\r$/, ""));
    if (record?.event === "acquired") open.set(record.slug, record.atMs);
    if (record?.event !== "released") continue;
    const sinceMs = open.get(record.slug);
    if (sinceMs !== undefined) lengths.push(Math.max(0, record.atMs - sinceMs));
    open.delete(record.slug);
  }
  return median(lengths.slice(-HOLDS_LOOKED_AT));
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * @param ahead how many are served before us, the holder among them
 * @param heldForMs how long the present holder has had it
 * @return milliseconds until it is our turn, if holds go on as they did; null if only a holder is ahead that has
 *   had it longer than that
 */
export function expectedWaitMs(ahead: number, holdMs: number, heldForMs: number): number | null {
  if (ahead === 0) return 0;
  const rest = Math.max(0, holdMs - heldForMs);
  if (ahead === 1 && rest === 0) return null;
  return rest + (ahead - 1) * holdMs;
}

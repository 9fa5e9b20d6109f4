/** What the end of a log says of now: who holds, who held last, and how long holds take. */

import { type LineRecord, recordsIn } from "./lines.ts";

/**
 * The holder according to the log: whom its last `acquired` line names, unless a later line says that this
 * hold is over. For a peer that left no record.
 */
export function holderInLog(logText: string): string | null {
  let holder: string | null = null;
  let removed: string | null = null;
  for (const record of recordsIn(logText)) {
    if (record.event === "acquired") holder = record.slug;
    // The removal before it is taken back, unless somebody has acquired since.
    else if (record.event === "not_removed") holder ??= removed;
    else if (endsHold(record, holder)) {
      removed = isRemoval(record) ? holder : null;
      holder = null;
    }
  }
  return holder;
}

function endsHold({ event, slug }: LineRecord, holder: string | null): boolean {
  if (event === "released" || event === "lost") return slug === holder;
  return isRemoval({ event });
}

function isRemoval({ event }: Pick<LineRecord, "event">): boolean {
  return event === "stale_break" || event === "force_release";
}

/** The last hold that a log tells of. */
export interface LastHold {
  readonly slug: string;
  readonly startMs: number;
  /** Null if no line says that it ended. */
  readonly endMs: number | null;
}

/** @param logText the end of a log; its first line may be cut */
export function lastHold(logText: string): LastHold | null {
  let slug: string | null = null;
  let startMs = 0;
  let endMs: number | null = null;
  let isRemoved = false;
  for (const record of recordsIn(logText)) {
    if (record.event === "acquired") {
      slug = record.slug;
      startMs = record.atMs;
      endMs = null;
    } else if (endMs === null && endsHold(record, slug)) {
      endMs = record.atMs;
      isRemoved = isRemoval(record);
    } else if (record.event === "not_removed" && isRemoved) endMs = null;
  }
  return slug === null ? null : { slug, startMs, endMs };
}

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
  for (const record of recordsIn(logText)) {
    if (record.event === "acquired") open.set(record.slug, record.atMs);
    if (record.event !== "released") continue;
    const sinceMs = open.get(record.slug);
    if (sinceMs !== undefined) lengths.push(Math.max(0, record.atMs - sinceMs));
    open.delete(record.slug);
  }
  return median(lengths.slice(-HOLDS_LOOKED_AT));
}

/** As `medianHoldMs()`, over the logs of several slots: the middle one of theirs. */
export function medianOfTails(logTexts: readonly string[]): number | null {
  return median(logTexts.flatMap((text) => medianHoldMs(text) ?? []));
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

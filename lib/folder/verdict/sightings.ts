/**
 * For how long something has been seen to stand still, on our own monotonic clock: the only time that no
 * other machine's clock and no file system's cache can falsify.
 *
 * What waiters have seen is kept for the calls after them: a caller whose calls are shorter than the watching takes
 * would else never break a lock by age.
 *
 * Guarantee: no more time is counted than has gone by. Each call adds only what it has seen since it read the file, and
 * only while the lock shows the very same: mtimes, tokens and beat counts do not come back.
 */

import { parseObject, RECORD_LARGEST_BYTES } from "../state/record.ts";
import { replaceFile } from "../state/state_files.ts";
import type { LockPaths } from "../state/layout.ts";
import type { Clock, Sys } from "../../sys/sys.ts";

/** What was seen, and for how long it has been seen to stand still. Milliseconds. */
export type Seen = Readonly<
  Record<string, { readonly value: string; readonly stillForMs: number }>
>;

export class Sightings {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { value: string; sinceMs: number }>();
  /** What earlier callers have seen; null until it is asked for. */
  #earlier: Seen | null = null;
  #keptAtMs: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Notes that `what` shows `value` now.
   * @return milliseconds since it was first seen to show just this; 0 if it is new
   */
  async stillForMs(what: string, value: string): Promise<number> {
    const nowMs = await this.#clock.monotonicMs();
    const seen = this.#seen.get(what);
    if (seen?.value === value) return nowMs - seen.sinceMs;
    const earlier = this.#earlier?.[what];
    const stillForMs = earlier?.value === value ? earlier.stillForMs : 0;
    this.#seen.set(what, { value, sinceMs: nowMs - stillForMs });
    return stillForMs;
  }

  /**
   * Counts what other callers have seen of what still shows the same. Once: later calls do nothing. They may have
   * watched in the same time as we, so the longer of both counts, and not their sum.
   * @return whether that was the first call
   */
  async resume(readEarlier: () => Promise<Seen>): Promise<boolean> {
    if (this.#earlier !== null) return false;
    const earlier = await readEarlier();
    this.#earlier = earlier;
    const nowMs = await this.#clock.monotonicMs();
    for (const [what, seen] of this.#seen) {
      if (earlier[what]?.value !== seen.value) continue;
      seen.sinceMs = Math.min(seen.sinceMs, nowMs - earlier[what].stillForMs);
    }
    return true;
  }

  /** Whether so much time has gone by since the last time that it was; the first call begins it. */
  async areDue(everyMs: number): Promise<boolean> {
    const nowMs = await this.#clock.monotonicMs();
    this.#keptAtMs ??= nowMs;
    if (nowMs - this.#keptAtMs < everyMs) return false;
    this.#keptAtMs = nowMs;
    return true;
  }

  /** All that has been seen, for later callers. */
  async all(): Promise<Seen> {
    const nowMs = await this.#clock.monotonicMs();
    return Object.fromEntries(
      [...this.#seen].map(([what, { value, sinceMs }]) => [
        what,
        { value, stillForMs: nowMs - sinceMs },
      ]),
    );
  }
}

/** Where they are kept, and whose they are: a site, of which this file may know no more. */
interface Watcher {
  readonly sys: Sys;
  readonly paths: LockPaths;
  readonly sightings: Sightings;
}

/** What a lock and a taker of the right to remove it are judged by; tickets are watched by each waiter itself. */
const KEPT = /^(beat|lock|lock and record|taker \d+)$/;

/** Longer than any lock is watched: what says more was not written by this program. */
const LONGEST_STILL_MS = 30 * 24 * 3_600_000;

/**
 * Counts what earlier calls have seen.
 * @return whether the lock has to be judged anew
 */
export function resumeSightings(site: Watcher): Promise<boolean> {
  return site.sightings.resume(async () => {
    const content = await site.sys.files.read(site.paths.seen, RECORD_LARGEST_BYTES)
      .catch(() => null);
    return content ? parseSeen(content.text) : {};
  });
}

/** @return nothing for what is not of this form */
export function parseSeen(text: string): Seen {
  const kept: Record<string, { value: string; stillForMs: number }> = {};
  for (const [what, seen] of Object.entries(parseObject(text) ?? {})) {
    const { value, stillForMs } = (seen ?? {}) as { value?: unknown; stillForMs?: unknown };
    const isMeant = KEPT.test(what) && typeof value === "string" &&
      typeof stillForMs === "number" && stillForMs >= 0 && stillForMs <= LONGEST_STILL_MS;
    if (isMeant) kept[what] = { value, stillForMs };
  }
  return kept;
}

/** A call that is killed while it watches leaves what it has seen to the next one: it loses no more than this. */
export const KEEP_EVERY_MS = 1000;

/**
 * Keeps what was seen for later calls. Failing is no matter: they watch for longer.
 * @param isLast this call looks no more
 */
export async function keepSightings(site: Watcher, isLast: boolean): Promise<void> {
  const { sys, paths, sightings } = site;
  if (!await sightings.areDue(isLast ? 0 : KEEP_EVERY_MS)) return;
  const all = Object.entries(await site.sightings.all()).filter(([what]) => KEPT.test(what));
  const text = JSON.stringify(Object.fromEntries(all));
  await replaceFile(sys, paths, paths.seen, text, () => Promise.resolve(true)).catch(() => null);
}

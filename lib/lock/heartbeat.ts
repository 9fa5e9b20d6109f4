/** How often a holder beats, as a part of the silence after which it may be broken. */

/** Often enough that a person who looks sees life; rare enough to cost nothing. */
export const LONGEST_HEARTBEAT_MS = 5000;
/** Three beats may be missed before the silence is `--stale` long. */
const BEATS_PER_STALE = 4;

/** Below this a beat could not be told from a slow disk. */
export const STALE_FLOOR_MS = 100;

/**
 * A lock without a record may be that of a process which is about to write one. It is left alone for this long,
 * whatever `--stale`: a machine under load holds a process up for seconds.
 */
export const BARE_PATIENCE_MS = 10_000;

/** From mkdir to the record. A claim that takes longer withdraws: its lock may have been broken by age. */
export const CLAIM_WITHIN_MS = BARE_PATIENCE_MS / 2;

/**
 * @param staleMs the holder's own `--stale`
 * @return milliseconds between two beats; three of them never exceed `staleMs`
 */
export function heartbeatMs(staleMs: number): number {
  const beat = Math.min(staleMs / BEATS_PER_STALE, LONGEST_HEARTBEAT_MS);
  if (3 * beat > staleMs) {
    throw new RangeError(`three heartbeats of ${beat} ms exceed a stale time of ${staleMs} ms`);
  }
  return beat;
}

/**
 * A `--stale` above every age, in milliseconds: for callers that ask who holds, or whether a command still runs, and
 * break nobody. Only the dead are stale by it.
 */
export const NEVER_STALE_MS = Number.MAX_SAFE_INTEGER;

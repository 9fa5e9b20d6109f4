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

// What holds where nobody says otherwise, on the command line and in the library.

export const DEFAULT_LOCK_NAME = "lock";

/** Longest time between two looks: what the first, short ones and all wake-ups have missed can wait so long. */
export const DEFAULT_POLL_MS = 15_000;

/** No command that beats every five seconds is ever so silent; one that cannot beat has time for its work. */
export const DEFAULT_STALE_MS = 600_000;

/** A fleet's turn comes within it; a person who comes back after it is told rather than kept. */
export const DEFAULT_TIMEOUT_MS = 1_800_000;

/** An agent whose calls are cut off after two to ten minutes comes back within it. */
export const DEFAULT_KEEP_PLACE_MS = 600_000;

/** The shortest `--poll` that is allowed: below this a waiter does nothing but look. */
export const POLL_FLOOR_MS = 10;

// How long a wait is likely to be: the median of recent holds, times those who are served before us.

/** How long a wait that begins now is likely to be in all, as if the present hold had just begun. */
export function wholeWaitMs(ahead: number, holdMs: number): number {
  return ahead * holdMs;
}

/**
 * How many holds follow one another before a waiter's turn. Of a lock with slots, as many go on side by side.
 * @param place in line, 1 = first
 * @param isFull the lock, or each of its slots, is held
 */
export function holdsAhead(place: number, slots: number, isFull: boolean): number {
  return isFull ? Math.ceil(place / slots) : Math.floor((place - 1) / slots);
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

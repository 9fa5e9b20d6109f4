/**
 * How long to wait between two looks, when nothing wakes us earlier. It starts short and grows by half, so
 * that a hand-off costs at most about half the length of the hold, whatever `--poll` is.
 */

/** The first look comes this soon after the lock changed hands: below what a person notices. */
export const FIRST_POLL_MS = 50;
const GROWTH = 1.5;
/** Waiters that started together drift apart. */
const JITTER = 0.1;

/**
 * @param looks how many looks there were since the lock last changed hands
 * @param pollMs the longest wait, `--poll`
 * @param place in line, 1 = first. Those further back start later: they are not served next, and a hundred
 *   of them must not keep a core busy
 * @param fraction random, from 0 to 1
 * @return milliseconds
 */
export function pollAfterMs(
  looks: number,
  pollMs: number,
  place: number,
  fraction: number,
): number {
  const grown = FIRST_POLL_MS * place * GROWTH ** Math.min(looks, 100);
  return Math.min(grown, pollMs) * (1 + JITTER * (2 * fraction - 1));
}

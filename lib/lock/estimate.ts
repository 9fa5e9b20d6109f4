/** How long a wait is likely to be: the median of recent holds, times those who are served before us. */

/** How long a wait that begins now is likely to be in all, as if the present hold had just begun. */
export function wholeWaitMs(ahead: number, holdMs: number): number {
  return ahead * holdMs;
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

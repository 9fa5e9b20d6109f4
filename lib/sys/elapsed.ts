/** How long ago something was, for all that becomes wrong by being too late. */

/** One moment, on both clocks of a machine, read at once. */
export interface Moment {
  /** Only grows, but stands still while the machine sleeps, and in most virtual machines that are paused. */
  readonly monotonicMs: number;
  /** Goes on meanwhile, but people and programs set it. */
  readonly wallMs: number;
}

/**
 * The larger of what the two clocks say: a machine that slept must not take itself for early. A wall clock that
 * was set forward makes us late only in our own eyes: then we withdraw, and try again.
 */
export function elapsedMs(since: Moment, now: Moment): number {
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}

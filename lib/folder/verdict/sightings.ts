/**
 * For how long something has been seen to stand still, on our own monotonic clock: the only time that no
 * other machine's clock and no file system's cache can falsify.
 */

import type { Clock } from "../../sys/sys.ts";

export class Sightings {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { value: string; sinceMs: number }>();

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
    this.#seen.set(what, { value, sinceMs: nowMs });
    return 0;
  }
}

/** Getting ready for the hold, once, while there is nothing to do but wait. */

import type { WaitObserver } from "../../lock/request.ts";
import type { WakeUps } from "./wake_ups.ts";

/** Whose turn is as near as this gets ready at once. */
const NEARLY_THERE = 2;

/**
 * Those further back get ready one after the other: woken by the end of the hold ahead, they learn of their
 * turn only when it has come. A crowd that comes at once would keep all cores busy for a second otherwise.
 */
const READY_EVERY_MS = 50;

/**
 * A waiter that is further back than this has time, and looks often enough on its way. A program that has been through a
 * hold needs four times as long for each look while it waits: a hundred of them would be felt.
 */
const READY_PLACES = 12;

export class Readiness {
  readonly #observer: WaitObserver;
  #sinceMs: number | null = null;
  #isReady: boolean;

  constructor(observer: WaitObserver) {
    this.#observer = observer;
    this.#isReady = !observer.getReady;
  }

  /**
   * To be asked at each look, from the first on.
   * @return milliseconds until it is time to get ready; 0 or less: now
   */
  dueInMs(place: number, nowMs: number): number {
    this.#sinceMs ??= nowMs;
    if (this.#isReady || place > READY_PLACES) return Infinity;
    return this.#sinceMs + READY_EVERY_MS * (place - NEARLY_THERE) - nowMs;
  }

  /** @param token of the wait */
  async getReady(token: string, wakeUps: Pick<WakeUps, "rehearse">): Promise<void> {
    this.#isReady = true;
    await this.#observer.getReady?.(token);
    await wakeUps.rehearse();
  }
}

/** The end of a wait in vain, and what is known of it. */

import { showDuration } from "../words/durations.ts";
import type { HolderView, KeptPlace, SlotsLook } from "./views.ts";

/** One that holds what another waits for, and waits itself. */
export interface CircleLink {
  /** Its slug. */
  readonly slug: string;
  /** The name of the lock that it holds. */
  readonly holds: string;
  /** The name of the lock that it waits for. */
  readonly waitsFor: string;
}

/** From the holder of the lock that was waited for, to one that waits for a lock of the waiter itself. */
export type Circle = readonly CircleLink[];

function showLink({ slug, holds, waitsFor }: CircleLink): string {
  return `${slug} holds ${holds} and waits for ${waitsFor}`;
}

/** The lock could not be had within the time limit. */
export class GaveUp extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "GaveUp";
  /**
   * Says how long, for what, and whom the wait was for.
   * @param lock absolute path of the lock
   * @param waitedMs how long the wait was
   * @param timeoutMs how long it could have been
   * @param holder who held when the time was over; null if nobody did
   * @param place in line then; 1 = first
   * @param expectedMs how long the wait was likely to be when it began, by the holds in the log; null where
   *   that was not asked, or the log tells of none
   * @param unanswered the call that the share had left without an answer by then, such as `mkdir PATH`; null if
   *   it answered
   * @param kept the place in line for the next call with the same slug; null if none is kept
   * @param slots what was seen of them; null if the lock has none
   * @param circle of waits, in which nobody would ever be served; null if there was none
   */
  constructor(
    readonly lock: string,
    readonly waitedMs: number,
    readonly timeoutMs: number,
    readonly holder: HolderView | null,
    readonly place: number | null,
    readonly expectedMs: number | null = null,
    readonly unanswered: string | null = null,
    readonly kept: KeptPlace | null = null,
    readonly slots: SlotsLook | null = null,
    readonly circle: Circle | null = null,
  ) {
    const who = circle !== null
      ? `a circle of waits: ${circle.map(showLink).join("; ")}`
      : unanswered !== null
      ? `the share did not answer (${unanswered})`
      : holder
      ? `held by ${holder.slug ?? "a peer that is not in the log"}`
      : "it is free but others are first in line";
    super(`gave up waiting for ${lock} after ${showDuration(waitedMs)}: ${who}`);
  }

  /** The same failure, of which more is known by now. */
  with(known: Partial<Pick<GaveUp, "waitedMs" | "timeoutMs" | "expectedMs">>): GaveUp {
    const all = { ...this, ...known };
    return new GaveUp(
      all.lock,
      all.waitedMs,
      all.timeoutMs,
      all.holder,
      all.place,
      all.expectedMs,
      all.unanswered,
      all.kept,
      all.slots,
      all.circle,
    );
  }
}

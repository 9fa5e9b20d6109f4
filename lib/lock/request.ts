/** What is asked of a lock, and what a wait for it tells meanwhile. */

import type { HolderView } from "./views.ts";

/** What a caller asks for. */
export interface WaitRequest {
  readonly slug: string;
  readonly mode: "run" | "acquire";
  /** The longest time between two looks at a lock that is held. */
  readonly pollMs: number;
  /** A lock without a sign of life for this long may be broken. */
  readonly staleMs: number;
  /** How long to wait; 0 is one attempt, null for ever. */
  readonly timeoutMs: number | null;
  /** What will be started under the hold; without it nothing is. */
  readonly command?: readonly string[];
  /** The program goes on after the wait, and may wait again: nothing may be left behind that keeps it. */
  readonly outlivesWait?: boolean;
  /** For how long the place in line is kept if the wait ends without a hold; not at all where it is missing. */
  readonly keepPlaceMs?: number;
  /** Aborted to call the wait off: what was acquired meanwhile is given back. */
  readonly interrupt?: AbortSignal;
}

/** A request, with what the place of the lock adds to it. */
export interface AcquireRequest extends WaitRequest {
  readonly wakeUps: WakeUpTrust;
  /** How long a call may take before the share is said to be silent; without it all calls are answered. */
  readonly answerWithinMs?: number;
}

/**
 * What file locks and the watch are worth there: `sure` on a disk of this machine, `hints` elsewhere (they
 * may never come), `none` turns them off. The timer makes up for what they do not tell.
 */
export type WakeUpTrust = "sure" | "hints" | "none";

/** What a waiter found at its latest look. */
export interface WaitLook {
  readonly holder: HolderView | null;
  readonly place: number;
}

/** A call that the share has not answered. */
export interface UnansweredCall {
  /** In the words of the system call, such as `mkdir`. */
  readonly operation: string;
  readonly path: string;
}

export interface WaitObserver {
  /**
   * Once, while there is nothing to do but wait: at once for who is next, later for who is further back.
   * @param token of the wait
   */
  getReady?(token: string): Promise<void>;
  /** Once a stale lock has been broken; whose it was. */
  broke?(holder: HolderView): void;
  /** After each look that did not grant the lock. */
  looked?(look: WaitLook): Promise<void>;
  /** Each time that the share has left a call without an answer. The wait goes on. */
  silent?(call: UnansweredCall): Promise<void>;
}

/** What is asked of a removal, and what comes of it. */

import type { LockLook, WhoAndWhere } from "../state/record.ts";

/** What a taker says of itself besides who and where it is. */
export interface TakerWords {
  /** For others to see. */
  readonly slug: string;
  /** Token of the hold that it means to remove, whose lifeline goes with it; null if there is no record. */
  readonly lockToken: string | null;
}

/** The one that wants the right, and for how long. */
export interface RightRequest extends TakerWords {
  /** False where nobody else can have removed the lock by these rules: its holder gave a sign of life a moment ago. */
  readonly mayBeAnothers: boolean;
  /** How long to wait for others who have the right, in milliseconds. */
  readonly patienceMs: number;
}

export interface Removal extends RightRequest {
  /**
   * Looks at the lock again, under the right to remove.
   * @return what stands there if it may still be removed; null if the reason no longer holds
   */
  readonly lookAgain: () => Promise<LockLook | null>;
  /** Says it in the log, once. Called when nothing can come in between any more; again if that was late. */
  readonly announce: () => Promise<void>;
  /** Called at once after the lock is gone, before the takers are cleared. */
  readonly onRemoved?: () => Promise<void>;
}

export type Removed =
  | { readonly outcome: "removed" }
  /** The reason no longer holds: nothing was removed. */
  | { readonly outcome: "withdrawn" }
  /** Somebody else has the right, and kept it for all of our patience. */
  | ({ readonly outcome: "blocked" } & Blocked);

export interface Blocked {
  /** The one that has the right, if that is known. */
  readonly by: TakerWho | null;
  /** Nothing can be seen of that one but that it stands. */
  readonly isMute: boolean;
  /** For how long we have waited for that one, in milliseconds. */
  readonly forMs: number;
}

export interface TakerWho extends WhoAndWhere {
  /** Token of the hold that it means to remove; null if no record speaks for it. */
  readonly lockToken: string | null;
}

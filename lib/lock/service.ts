/**
 * All that the command line needs of a lock, wherever it lives. The lock that is a folder is one kind of it; what a
 * kind has besides is asked of that kind.
 */

import type { Hold, RunnableHold } from "./hold.ts";
import type { WaitObserver, WaitRequest } from "./request.ts";
import type { HolderView, StatusView } from "./views.ts";

/** Whom a caller says it is: by the tokens that it inherited, or by a fence number. */
export type Claimant =
  | { readonly by: "tokens"; readonly tokens: readonly string[] }
  | { readonly by: "fence"; readonly fence: number };

/** What a release removed, as it was before. */
export interface ReleasedHold {
  readonly holder: HolderView;
  /** `dead`: nobody gave this hold back, its lock was broken. */
  readonly was: "acquired" | "dead" | "held by force";
  /** It was held by `run`, and that process lives, or may live. */
  readonly worksOn: boolean;
}

/** The hold that a call is made from inside of. */
export type OuterHold = Pick<Hold, "slug" | "token" | "fence">;

export interface LockService {
  /** What people call the lock: for a folder its absolute path. */
  readonly lock: string;
  /** What people call its log: for a folder the file's absolute path. */
  readonly log: string;
  /**
   * Waits in line until the lock is granted.
   * @return the hold; it beats from now on if its mode is `run`
   * @throws GaveUp when the time is over; FolderUnusable if the lock cannot be used; the reason of
   *   `request.interrupt` if that was aborted. Nothing is held then
   */
  acquire(request: WaitRequest, observer?: WaitObserver): Promise<RunnableHold>;
  /**
   * Gives back the hold of this slug, or with `isForced` anybody's.
   * @throws NotHolder if there is none, or its command is still running; FolderUnusable if it cannot be removed
   */
  release(slug: string, isForced: boolean): Promise<ReleasedHold>;
  /**
   * Freshens the `acquire` hold of this slug.
   * @throws NotHolder if there is none
   */
  renew(slug: string): Promise<void>;
  /** @throws NotHolder unless the present hold is the claimant's */
  check(claimant: Claimant): Promise<void>;
  /**
   * The present hold, if it is one of those that these tokens name: a command that runs under the lock must not wait
   * for itself.
   */
  around(tokens: readonly string[]): Promise<OuterHold | null>;
  /** @param staleMs by which it is judged */
  status(staleMs: number): Promise<StatusView>;
  /** The usual length of the latest holds; null where the log tells of none. Milliseconds. */
  usualHoldMs(): Promise<number | null>;
  /**
   * Reads the audit log from its beginning, in pieces of text.
   * @return false if there is none yet
   * @throws FileFault if it cannot be read
   */
  readLog(onPiece: (text: string) => void): Promise<boolean>;
}

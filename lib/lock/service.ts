/**
 * All that the command line needs of a lock, wherever it lives. The lock that is a folder is one kind of it; what a
 * kind has besides is asked of that kind.
 */

import type { SlotsInTheWay } from "./slots.ts";
import type { HolderView, SlotsLook, StatusView } from "./views.ts";

/** Whom a caller says it is: by the tokens that it inherited, or by a fence number. */
export type Claimant =
  | { readonly by: "tokens"; readonly tokens: readonly string[] }
  | { readonly by: "fence"; readonly fence: number }
  | { readonly by: "slug"; readonly slug: string };

/** Which hold is meant, where the slug alone does not say. */
export interface WhichHold {
  /** Its fence number; null for any. */
  readonly fence?: number | null;
  /** Its slot; null for any. */
  readonly slot?: string | null;
}

/** What a release removed, as it was before. */
export interface ReleasedHold {
  /** What people call what was removed: of a lock with slots, that slot. */
  readonly lock: string;
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
  /** The folder in which jobs that wait for it are kept, absolute; null if it keeps none. */
  readonly jobs: string | null;
  /** The names of its slots, one of which each hold has; null if it has none. */
  readonly slots: readonly string[] | null;
  /**
   * Waits in line until the lock is granted.
   * @return the hold; it beats from now on if its mode is `run`
   * @throws GaveUp when the time is over; FolderUnusable if the lock cannot be used; the reason of
   *   `request.interrupt` if that was aborted. Nothing is held then
   */
  acquire(request: WaitRequest, observer?: WaitObserver): Promise<RunnableHold>;
  /**
   * Gives back the hold of this slug, or with `isForced` anybody's.
   * @param which only if the present hold is this one
   * @throws NotHolder if there is none, or its command is still running; FolderUnusable if it cannot be removed;
   *   UsageError if several slots are meant
   */
  release(slug: string, isForced: boolean, which?: WhichHold): Promise<ReleasedHold>;
  /**
   * Freshens the `acquire` hold of this slug.
   * @throws NotHolder if there is none
   */
  renew(slug: string, which?: Pick<WhichHold, "slot">): Promise<void>;
  /** @throws NotHolder unless the present hold is the claimant's */
  check(claimant: Claimant, which?: Pick<WhichHold, "slot">): Promise<void>;
  /**
   * The present hold, if it is one of those that these tokens name: a command that runs under the lock must not wait
   * for itself.
   */
  around(tokens: readonly string[]): Promise<OuterHold | null>;
  /**
   * Gives the lock these slots.
   * @return what is in the way; null once they are changed
   * @throws UsageError if it is used without slots
   */
  changeSlots(slots: readonly string[]): Promise<SlotsInTheWay | null>;
  /** @param staleMs by which it is judged */
  status(staleMs: number): Promise<StatusView>;
  /** The names of all locks that are kept in the same place, in order. */
  names(): Promise<readonly string[]>;
  /** The usual length of the latest holds; null where the log tells of none. Milliseconds. */
  usualHoldMs(): Promise<number | null>;
  /**
   * Reads the audit log from its beginning, in pieces of text.
   * @param slot whose log; without it that of the lock itself
   * @return false if there is none yet
   * @throws FileFault if it cannot be read
   */
  readLog(onPiece: (text: string) => void, slot?: string): Promise<boolean>;
  /**
   * Reads what is kept of the journal, the oldest first, in pieces of text. What cannot be read is left out.
   * @return false if there is none
   */
  readJournal(onPiece: (text: string) => void): Promise<boolean>;
}

// One possession of a lock, whatever kind of lock it is.

/** What the wait for a hold was like. */
export interface Waited {
  /** From the call to the grant. */
  readonly waitedMs: number;
  /** Place in line when the wait began; 0 without a wait. */
  readonly place: number;
}

/** One possession of the lock. It is made by `acquire()` alone, and given back once. */
export interface Hold extends AsyncDisposable {
  /** The holder's slug. */
  readonly slug: string;
  /** Random name of this hold. */
  readonly token: string;
  /** A number that grows with every hold of the lock, for resources that can refuse what comes from an older one. */
  readonly fence: number;
  /** Absolute path of the lock. */
  readonly lock: string;
  /** The slot that it holds, of a lock that has several; missing where it has none. */
  readonly slot?: string;
  /** What the wait for it was like. */
  readonly waited: Waited;
  /**
   * Aborted when the lock turns out to be gone, with a `HoldLost`: what it guards may be another's by now. Never, where the hold is
   * that of a `run` around this program: that one learns of it.
   */
  readonly lost: AbortSignal;
  /**
   * Gives the lock back, once; removes nothing if it is not ours any more.
   * @throws FolderUnusable if it is still ours but cannot be given back; it may then be tried again. The hold
   *   beats no more, so the others break the lock once it is `staleMs` old
   */
  release(): Promise<void>;
}

/** Why a beat failed. */
export interface Trouble {
  /** For a person. */
  readonly reason: string;
  /** The lock folder itself is not there: on a disk of this machine the lock is lost if it stays away. */
  readonly folder: "there" | "gone" | "away";
}

/** One of several holds that begin and end together, by the name of its lock. */
export interface NamedHold {
  readonly name: string;
  readonly lock: string;
  readonly token: string;
  readonly fence: number;
}

/** A hold, with what only the command line does with it. */
export interface RunnableHold extends Hold {
  /** Of several locks at once: each, in the order in which they were named. */
  readonly named?: readonly NamedHold[];
  /** Called when a beat fails, once until one succeeds again. */
  onTrouble: (trouble: Trouble) => void;
  /**
   * Says which command has been started. To be called in the very step in which it was started: if we are killed, it
   * must be found.
   */
  startedCommand(pid: number): Promise<void>;
  /** Writes down which command runs under the hold, so that it is waited for if we are killed. */
  nameCommand(pid: number, start: string | null): Promise<void>;
  /**
   * Says that the command is being ended with all that it started: if this process is killed meanwhile, what is left of
   * it still has the lock.
   */
  endsAll(): Promise<void>;
  /** Says in the log that the hold lasts too long and its command is being ended. */
  logMaxHold(): Promise<void>;
  /** Leaves the lock held and stops looking after it: for `acquire`, whose process ends while the hold goes on. */
  leaveStanding(): Promise<void>;
}

// What is asked of a lock, and what a wait for it tells meanwhile.

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
  /** Why the lock is wanted, for others to read. */
  readonly note?: string;
  /** The holds that the caller has while it waits, as `heldLine()` writes them: so a circle of waits can be seen. */
  readonly within?: readonly string[];
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
  /** Of a lock with slots: what was seen of them. */
  readonly slots?: SlotsLook;
  readonly place: number;
  /** At the first look: another process of the same slug that waits or holds here; null if none is seen. */
  readonly twin?: TwinView | null;
}

/** Another process of the same slug. */
export interface TwinView {
  readonly pid: number;
  readonly does: "waits" | "holds";
  /** Since when, in milliseconds since 1970; null if it does not tell. */
  readonly sinceMs: number | null;
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
  /** Once, after the first look that did not grant the lock. @param place 1 = first in line */
  began?(place: number): Promise<void>;
  /** After each look that did not grant the lock. */
  looked?(look: WaitLook): Promise<void>;
  /** Each time that the share has left a call without an answer. The wait goes on. */
  silent?(call: UnansweredCall): Promise<void>;
}

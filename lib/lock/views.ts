/** What is to be seen of a lock, whatever kind of lock it is. */

import type { LastHold } from "../log/tail.ts";

/** The holder, as far as it is known, for messages. */
export interface HolderView {
  /** As in the log. */
  readonly slug: string | null;
  /** `run`: a process stays with the hold. `acquire`: none does. */
  readonly mode: "run" | "acquire" | null;
  /** Its process; a number of that host's. */
  readonly pid: number | null;
  /** The machine that it runs on. */
  readonly host: string | null;
  /** Milliseconds since 1970; null where nothing says since when. */
  readonly sinceMs: number | null;
  /** Why it wants the lock, in its own words; missing if it does not tell. */
  readonly note?: string;
  /** The verdict in words, with its evidence. */
  readonly why: string;
  /** What is out of the ordinary about the hold; null where nothing is. */
  readonly oddity: Oddity | null;
  /** Taken a moment ago, and nothing says by whom yet. */
  readonly isNew: boolean;
  /** Where age alone decides: how soon the lock is broken if nothing is heard until then. Milliseconds. */
  readonly expiresInMs?: number;
  /** Where no record speaks for the lock: what its folder tells of who made it. */
  readonly trace?: Trace;
  /** Only that it has not been seen to stand still for so long keeps it: calls that wait see that. */
  readonly isWatched?: boolean;
}

/** What the system tells of a lock's folder. */
export interface Trace {
  /** Its owner: `alice`, or `uid 1000` where the system tells no name; null where it tells none. */
  readonly owner: string | null;
  /** Milliseconds since 1970, by the clock of the file system. */
  readonly sinceMs: number;
}

/** The way out of a lock that no record speaks for, in words. */
export const IF_UNUSED = "if nothing works under it: release --slug YOU --force";

/** What is out of the ordinary about a hold, for who waits for it. */
export interface Oddity {
  /** In a word or two: the same for as long as it is the same oddity. */
  readonly short: string;
  /** With its evidence. */
  readonly why: string;
  /** The process that stayed with the hold is gone, and its command lives on. */
  readonly isOrphan: boolean;
  /** It is gone, and whether its command lives nobody knows: age decides. */
  readonly isOutOfSight: boolean;
  /** It is stale, and the one that is to remove it does not get on. */
  readonly isRemoval?: boolean;
  /** It cannot be seen from here, and has missed beats: `why` tells when it is broken. */
  readonly isMissed?: boolean;
}

/** A taker of the right to remove that is in the way of others. */
export interface RemoverView {
  /** As in the log. */
  readonly slug: string;
  /** Its process; a number of that host's. */
  readonly pid: number;
  /** The machine that it runs on. */
  readonly host: string;
  /**
   * `stopped` and `lives`: its process is seen from here. `away`: it is not, but its file lock shows that it lives.
   * `mute`: nothing shows that; it is passed over once it has been seen to stand for a minute.
   */
  readonly sight: "stopped" | "lives" | "away" | "mute";
  /** What it is at, and what lets others go on, in one sentence without its stop. */
  readonly why: string;
}

/** Whether the lock counts as held, and why. */
export interface VerdictView {
  readonly state: "held" | "stale";
  /** `dead` or `expired`; null while it counts as held. */
  readonly reason: string | null;
  /** With its evidence. */
  readonly why: string;
  /** Seen alive, without a beat for long. */
  readonly silent: boolean;
  /** Numbers of those among its process and its command that do nothing until they are let go on. */
  readonly stopped: readonly number[];
}

/** What the holder has left about its hold. */
export interface HoldView {
  /** Null for `acquire`, and for a program that uses the library. */
  readonly command: readonly string[] | null;
  /** Process of that command. */
  readonly childPid: number | null;
  readonly fence: number;
  readonly beat: number;
  readonly heartbeatMs: number;
}

/** A lock that stands. */
export interface HeldView {
  readonly holder: HolderView;
  readonly verdict: VerdictView;
  /** Null for a peer that leaves nothing. */
  readonly hold: HoldView | null;
  /** Since the last sign of life. */
  readonly ageMs: number;
  /** What lies in the lock, and keeps it from being removed. */
  readonly entries: readonly string[];
  /** The one that is about to remove it, or to give it back; null if nobody is known to be. */
  readonly remover: RemoverView | null;
}

/** A place in line. */
export interface WaiterView {
  readonly place: number;
  /** Null for a ticket that cannot be read. */
  readonly slug: string | null;
  readonly pid: number | null;
  readonly host: string | null;
  readonly waitedMs: number | null;
  /** Why it wants the lock; null if it does not tell. */
  readonly note: string | null;
  /** It does nothing until it is let go on: those behind it pass it by. */
  readonly stopped: boolean;
  /** If holds go on as they did; null where the log tells of none. */
  readonly expectedMs: number | null;
}

/** The place in line of a waiter that has left, for its next call. */
export interface KeptPlace {
  /** Among all that wait, and all whose places are kept; 1 = first. */
  readonly place: number;
  /** How many those are. */
  readonly of: number;
  /** Milliseconds since 1970. */
  readonly untilMs: number;
}

/** A waiter that has left, and may come back. */
export interface AbsentView {
  readonly slug: string;
  /** How many present waiters it will be behind when it comes back. */
  readonly ahead: number;
  readonly keptForMs: number;
}

/** What a waiter has seen of the slots of a lock. */
export interface SlotsLook {
  /** How many there are. */
  readonly count: number;
  /** Those that hold one, as far as they were looked at: all of them by the first in line. */
  readonly holders: readonly HolderView[];
}

/** A slot at one moment. */
export interface SlotView {
  readonly slot: string;
  /** Null if the slot is free. */
  readonly held: HeldView | null;
  readonly lastHold: LastHold | null;
}

/** A lock at one moment. */
export interface StatusView {
  readonly lock: string;
  /** Null if the lock is free, and of a lock with slots. */
  readonly held: HeldView | null;
  /** Of a lock with slots: each of them. */
  readonly slots?: readonly SlotView[];
  readonly queue: readonly WaiterView[];
  /** Those whose places are kept. */
  readonly absent: readonly AbsentView[];
  readonly lastHold: LastHold | null;
}

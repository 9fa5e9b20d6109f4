/** What can be found about a standing lock, and the verdict that follows from it. */

import type { MountTrust } from "../place/mount_trust.ts";
import type { HolderRecord } from "../state/record.ts";

export type Life = "alive" | "gone" | "unknown";

/** What was found about the holder that the record names: one that belongs to the lock, or whose hold is seen alive. */
export interface HolderEvidence {
  readonly record: HolderRecord;
  /** Boot, pid and time namespace are ours, so that its process numbers and start times mean something here. */
  readonly sameMachine: boolean;
  /** The machine that judges: where the holder is not on it, how far away it is. */
  readonly ours: HolderRecord["machine"];
  /** It ran in another pid namespace of this very kernel, on a disk of this machine, and no process is left in there. */
  readonly namespaceEmptied: boolean;
  readonly process: Life;
  /** The command, if there is one. */
  readonly child: Life;
  /**
   * The holder's lifeline: file-locked, there without a lock, no longer there, or not to be asked. It is
   * taken away before the lock is, so one that is missing says: this hold was being given back.
   */
  readonly lifeline: "locked" | "free" | "missing" | "unknown";
  /**
   * A taker of the right to remove died over just this hold, and the lock is older than its taking: the
   * lock that stands is still the one it was about to remove.
   */
  readonly removerDied: boolean;
  /** For how long, on our monotonic clock, we have seen the beat count stand still. Milliseconds. */
  readonly beatStillForMs: number;
  /** Numbers of those among its process and its command that live but are stopped. */
  readonly stopped: readonly number[];
}

export interface Evidence {
  /** File-system now minus the lock's mtime; 0 if that lies in the future. Milliseconds. */
  readonly ageMs: number;
  readonly mtimeInFuture: boolean;
  /** For how long, on our monotonic clock, we have seen this mtime stand still. Milliseconds. */
  readonly mtimeStillForMs: number;
  /** How long before now the wall clock was seen to be set, on our monotonic one; null if it was not. Milliseconds. */
  readonly wallJumpedAgoMs: number | null;
  /** What lies beside the lock, whether or not it speaks for it. */
  readonly beside: {
    /** Of the record that lies there; null if none does. */
    readonly heartbeatMs: number | null;
    /** For how long, on our monotonic clock, we have seen mtime and record stand still. */
    readonly stillForMs: number;
  };
  readonly mount: MountTrust;
  /** Why no record speaks for this lock, or what the one that belongs led to. */
  readonly holder: HolderEvidence | "no record" | "unreadable record" | "record of another hold";
}

export type StaleReason = "dead" | "expired";

export type Verdict =
  | {
    readonly verdict: "held";
    readonly why: string;
    readonly silent: boolean;
    readonly orphan: boolean;
    /** The process that beat is gone, and whether its command lives is not known. */
    readonly outOfSight?: boolean;
    /** It cannot be seen from here, and two beats are missing. */
    readonly isMissed?: boolean;
    /** Numbers of those among its process and its command that do nothing until they are let go on. */
    readonly stopped: readonly number[];
    /** Where age alone decides: how soon it will, if nothing is heard until then. Milliseconds. */
    readonly expiresInMs?: number;
    /** Its age alone would end it; it has not been seen to stand still for long enough. */
    readonly isWatched?: boolean;
    /** How soon the mere passing of time may make it stale. Milliseconds; missing where it never does. */
    readonly turnsInMs?: number;
  }
  | {
    readonly verdict: "stale";
    readonly why: string;
    readonly reason: StaleReason;
    /** Where age has decided: by which. An mtime in the future has none, and then it is how long it stood still. */
    readonly ageMs?: number;
  };

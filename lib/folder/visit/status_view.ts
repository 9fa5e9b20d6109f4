/** What is to be seen of a lock at one moment. */

import type { LastHold } from "../../log/tail.ts";
import type { HolderView } from "../../lock/failures.ts";
import type { HolderRecord } from "../state/record.ts";
import type { RemoverView } from "../removal/request.ts";
import type { Verdict } from "../verdict/findings.ts";

export interface WaiterView {
  readonly place: number;
  /** Null for a ticket that cannot be read. */
  readonly slug: string | null;
  readonly pid: number | null;
  readonly host: string | null;
  readonly waitedMs: number | null;
  /** It does nothing until it is let go on: those behind it pass it by. */
  readonly stopped: boolean;
  /** If holds go on as they did; null where the log tells of none. */
  readonly expectedMs: number | null;
}

export interface StatusView {
  readonly lockPath: string;
  /** Null if the lock is free. */
  readonly held: {
    readonly holder: HolderView;
    /** The record that speaks for the lock, if one does. */
    readonly record: HolderRecord | null;
    readonly verdict: Verdict;
    /** Since the last sign of life. */
    readonly ageMs: number;
    readonly entries: readonly string[];
    /** The one that is about to remove it, or to give it back; null if nobody is known to be. */
    readonly remover: RemoverView | null;
  } | null;
  readonly queue: readonly WaiterView[];
  readonly lastHold: LastHold | null;
}

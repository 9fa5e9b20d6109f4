/** One lock as one process sees it: where it stands, the machine, and what has been seen so far. */

import type { MountTrust } from "./place/mount_trust.ts";
import type { LockPaths } from "./state/layout.ts";
import type { Removal, Removed } from "./removal/request.ts";
import type { Beaten, HoldState } from "./still_ours.ts";
import type { Mount, Sys } from "../sys/sys.ts";
import type { FolderClock } from "./verdict/folder_clock.ts";
import type { Sightings } from "./verdict/sightings.ts";

/** A mount, and what is known of it. */
export type SiteMount = Mount & MountTrust;

/** The procedures that exclusion rests on. */
export interface Procedures {
  removeLock(site: Site, removal: Removal): Promise<Removed>;
  beat(site: Site, state: HoldState): Promise<Beaten>;
}

export interface Site {
  readonly sys: Sys;
  readonly paths: LockPaths;
  /** The clock of the file system that the lock stands on. */
  readonly clock: FolderClock;
  readonly sightings: Sightings;
  /** What the file system that the lock stands on is to be trusted with. */
  readonly mount: SiteMount;
  /** Not where a hold is only gone through. */
  readonly keepsJournal: boolean;
  /** The tests put known-wrong ones here, and must see exclusion break. */
  readonly procedures: Procedures;
  /**
   * Of a lock with slots: each of them, a lock of its own in the same folder. This site is their one line then, and its
   * own path is granted to nobody.
   */
  readonly slots?: readonly Site[];
  /** Of a slot: its name. */
  readonly slot?: string;
  /** Told of each line that the log should have had: who and what, and why it could not be written. */
  readonly onUnlogged: (line: string, reason: string) => Promise<void>;
  /** Of a site whose calls are given up on: the same, whose calls are not. See `unanswered_calls.ts`. */
  readonly patient?: Site;
}

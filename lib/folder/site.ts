/** One lock as one process sees it: where it stands, the machine, and what has been seen so far. */

import { LOCAL_DISK, type MountTrust } from "./place/mount_trust.ts";
import type { LockPaths } from "./state/layout.ts";
import type { Mount, Sys } from "../sys/sys.ts";
import { FolderClock } from "./verdict/folder_clock.ts";
import { PROCEDURES, type Procedures } from "./procedures.ts";
import { Sightings } from "./verdict/sightings.ts";

/** A mount, and what is known of it. */
export type SiteMount = Mount & MountTrust;

const ON_LOCAL_DISK: SiteMount = { type: null, options: [], ...LOCAL_DISK };

export interface Site {
  readonly sys: Sys;
  readonly paths: LockPaths;
  /** The clock of the file system that the lock stands on. */
  readonly clock: FolderClock;
  readonly sightings: Sightings;
  /** What the file system that the lock stands on is to be trusted with. */
  readonly mount: SiteMount;
  /** The steps that the rules of exclusion rest on; tests put known-wrong ones here. */
  readonly procedures: Procedures;
  /** Told of each line that the log should have had: who and what, and why it could not be written. */
  readonly onUnlogged: (line: string, reason: string) => Promise<void>;
  /** Of a site whose calls are given up on: the same, whose calls are not. See `answers.ts`. */
  readonly patient?: Site;
}

export function openSite(
  sys: Sys,
  paths: LockPaths,
  procedures: Procedures = PROCEDURES,
  onUnlogged: Site["onUnlogged"] = () => Promise.resolve(),
  mount: SiteMount = ON_LOCAL_DISK,
): Site {
  return {
    sys,
    paths,
    clock: new FolderClock(sys, paths),
    sightings: new Sightings(sys.clock),
    mount,
    procedures,
    onUnlogged,
  };
}

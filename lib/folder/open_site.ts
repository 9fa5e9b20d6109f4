/** Opens a lock for one process, with the procedures that the program really follows. */

import { beat } from "./beat.ts";
import { LOCAL_DISK } from "./place/mount_trust.ts";
import { removeLock } from "./removal/removal.ts";
import type { Procedures, Site, SiteMount } from "./site.ts";
import type { LockPaths } from "./state/layout.ts";
import type { Sys } from "../sys/sys.ts";
import { FolderClock } from "./verdict/folder_clock.ts";
import { Sightings } from "./verdict/sightings.ts";

export const PROCEDURES: Procedures = { removeLock, beat };

const ON_LOCAL_DISK: SiteMount = { type: null, options: [], ...LOCAL_DISK };

/** @param own what is not as usual: a local disk, and nobody who is told of what could not be logged */
export function openSite(
  sys: Sys,
  paths: LockPaths,
  own: Partial<Pick<Site, "mount" | "onUnlogged" | "procedures" | "keepsJournal">> = {},
): Site {
  return {
    sys,
    paths,
    clock: new FolderClock(sys, paths),
    sightings: new Sightings(sys.clock),
    mount: ON_LOCAL_DISK,
    procedures: PROCEDURES,
    keepsJournal: true,
    onUnlogged: () => Promise.resolve(),
    ...own,
  };
}

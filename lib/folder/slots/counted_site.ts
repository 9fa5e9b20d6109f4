/**
 * A lock with slots: several locks that share one line.
 *
 * Each slot is a lock of its own, with its own mkdir, record, lifelines, right to remove, fence and log. So every rule
 * of a lock holds for each slot, and a program that knows only `mkdir` may take one. The line, the kept places and the
 * jobs are those of the lock.
 */

import { openSite } from "../open_site.ts";
import type { Site } from "../site.ts";
import { lastName, lockPaths } from "../state/layout.ts";
import type { Sys } from "../../sys/sys.ts";

/**
 * @param dir absolute path of the lock folder
 * @param name of the lock
 * @param slots their names
 * @return the line; its own path is the file that names the slots
 */
export function openCountedSite(
  sys: Sys,
  dir: string,
  name: string,
  slots: readonly string[],
  own: Parameters<typeof openSite>[2] = {},
): Site {
  const paths = lockPaths(dir, name);
  const line = openSite(sys, { ...paths, lock: paths.slots }, own);
  const { queue, places, jobs } = paths;
  const open = (slot: string): Site => {
    const ofSlot = openSite(
      sys,
      { ...lockPaths(dir, `${name}.${slot}`), queue, places, jobs },
      own,
    );
    return { ...ofSlot, clock: line.clock, slot };
  };
  return { ...line, slots: slots.map(open) };
}

/** The line of a lock that is open as one without slots. */
export function openLine(plain: Site, slots: readonly string[]): Site {
  const { sys, paths, mount, onUnlogged } = plain;
  const name = lastName(paths.lock).slice(0, -".lock".length);
  return openCountedSite(sys, paths.dir, name, slots, { mount, onUnlogged });
}

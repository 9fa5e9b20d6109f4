/**
 * Going through a hold once, on a lock of our own, while there is nothing to do but wait.
 *
 * A program that has just started runs each function for the first time, which costs ten times what it costs
 * later: three quarters of a hand-off were that. A waiter has the time, and the lock then changes hands
 * in half of it. Only on disks of this machine: over a network it would be traffic.
 */

import { lockPaths, rehearsalFolder } from "../state/layout.ts";
import { acquire } from "../acquire.ts";
import { removeScratchFolder } from "../state/state_files.ts";
import type { Site } from "../site.ts";
import type { AcquireRequest } from "../../lock/service.ts";
import { openSite } from "../open_site.ts";

/** The second time is already as quick as it gets. */
const TIMES = 2;

/**
 * Goes through a hold. Failing is no matter: the real one is then slower.
 * @param token of the wait
 */
export async function rehearse(site: Site, request: AcquireRequest, token: string): Promise<void> {
  const { sys, paths, mount } = site;
  const folder = rehearsalFolder(paths, token);
  try {
    await sys.files.makeFolder(folder);
    for (let times = 0; times < TIMES; times++) {
      const own = openSite(sys, lockPaths(folder, "lock"), { mount, keepsJournal: false });
      const hold = await acquire(own, { ...request, timeoutMs: 0, wakeUps: "none" });
      await hold.release();
    }
  } catch {
    // As far as it went.
  } finally {
    await removeScratchFolder(sys.files, folder).catch(() => {});
  }
}

/** A holder gives its lock back: by the right to remove, and only if the lock is still its own. */

import { log } from "./audit.ts";
import type { HoldMemory } from "../core/still_ours.ts";
import { stillOurs } from "./beat.ts";
import type { Removed } from "./remove.ts";
import type { Site } from "./site.ts";

/**
 * A taker that is past its look needs milliseconds. One that is frozen there can keep us waiting; after this
 * long we leave the lock: once our process has gone it is broken as dead.
 */
export const GIVE_BACK_PATIENCE_MS = 10_000;

/**
 * @param told whether the log says that we hold it; then it must say that we released it
 * @return `removed`; `withdrawn` if the lock is no longer ours; `blocked` if the right could not be had
 * @throws FolderUnusable, FileFault if the lock could not be removed
 */
export async function giveBack(
  site: Site,
  slug: string,
  memory: HoldMemory,
  told: boolean,
  onRemoved: () => Promise<void> = async () => {},
): Promise<Removed> {
  return await site.procedures.removeLock(site, {
    slug,
    lockToken: memory.token,
    lookAgain: () => stillOurs(site, memory),
    announce: async () => {
      // A log that cannot be written never keeps a lock from being released.
      if (told) await log(site, slug, { event: "released" }).catch(() => {});
    },
    onRemoved,
    patienceMs: GIVE_BACK_PATIENCE_MS,
  });
}

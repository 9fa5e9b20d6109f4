/**
 * Removing the lock, by whoever has a reason to: its holder, a breaker, an operator.
 *
 * Guarantee: among all that remove by these rules, only one at a time is past its last look, and the lock it
 * then removes is the one it looked at. Stat-then-rmdir alone does not give that: a late breaker removes its
 * successor's lock, and so does a late release.
 * Not guaranteed: anything about a foreign peer's rmdir, or a taker on another machine that sleeps for more
 * than thirty seconds exactly between its last look and its rmdir.
 * Assumed: mkdir excludes, and what one process has written another sees once it lists the folder.
 */

import { FolderUnusable } from "../../lock/failures.ts";
import { faultCode } from "../../sys/faults.ts";
import { lifelinePath } from "../state/layout.ts";
import { removeLifeline } from "../state/lifeline.ts";
import { removeSurely } from "../state/state_files.ts";
import { actWithinMs, isLate, lookWithinMs, type Right } from "./right.ts";
import type { Site } from "../site.ts";
import type { Removal, Removed } from "./request.ts";
import { type Used, withRight } from "./with_right.ts";

/**
 * Takes the right to remove, looks again, and removes the lock.
 * @throws FolderUnusable if the lock folder holds something; FileFault if something cannot be written or
 *   removed. Nothing of ours is left behind then
 */
export async function removeLock(site: Site, removal: Removal): Promise<Removed> {
  const result = await withRight(site, removal, (right) => lookAndRemove(site, removal, right));
  return result.outcome === "used" ? result.value : result;
}

/**
 * Removes the lock after one more look, without the right to: for when nobody can write that right down, so
 * that nobody who follows these rules removes or breaks meanwhile.
 * @throws as `removeLock()`
 */
export async function removeWithoutRight(site: Site, removal: Removal): Promise<Removed> {
  const { files } = site.sys;
  const look = await removal.lookAgain();
  if (look?.standing !== "lock") return { outcome: "withdrawn" };
  refuseContents(site, look.entries);
  await removal.announce();
  if (removal.lockToken) await removeLifeline(site, removal.lockToken);
  await files.removeFolder(site.paths.lock);
  await removal.onRemoved?.();
  return { outcome: "removed" };
}

/** A lock is never removed with its contents. */
export function refuseContents(site: Site, entries: readonly string[]): void {
  if (entries.length === 0) return;
  throw new FolderUnusable(site.paths.lock, { kind: "lock not empty", entries });
}

/** What was looked at too long ago is not acted on. */
async function lookAndRemove(site: Site, removal: Removal, right: Right): Promise<Used<Removed>> {
  const look = await removal.lookAgain();
  if (look?.standing !== "lock") return { value: { outcome: "withdrawn" }, lockIsGone: false };
  refuseContents(site, look.entries);
  if (await isLate(site, right, lookWithinMs(site)) || !await act(site, removal, right)) {
    return "late";
  }
  await removal.onRemoved?.();
  return { value: { outcome: "removed" }, lockIsGone: true };
}

/**
 * Step 3. The lifeline goes before the lock: what the record says then speaks for no later lock, even where
 * that one carries the same mtime (file systems that count whole seconds, two holds within one tick).
 */
async function act(site: Site, removal: Removal, right: Right): Promise<boolean> {
  const { files } = site.sys;
  await removal.announce();
  if (await isLate(site, right, actWithinMs(site))) return false;
  const lifeline = removal.lockToken && lifelinePath(site.paths, removal.lockToken);
  // Left behind, it would speak for the next lock where clocks are coarse. What can never be removed stays there.
  const had = lifeline !== null && await removeSurely(files, lifeline) === true;
  try {
    await files.removeFolder(site.paths.lock);
  } catch (fault) {
    // ENOENT, gone already: a foreign peer was quicker.
    if (faultCode(fault) !== "ENOENT") {
      // The lock stands on, and its record must go on to speak for it: but not one that had no lifeline.
      if (had) await files.create(lifeline, "").catch(() => 0);
      throw fault;
    }
  }
  return true;
}

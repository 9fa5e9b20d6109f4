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
import {
  actWithinMs,
  clearTakers,
  FIRST_PAUSE_MS,
  giveUpRight,
  isAlone,
  isLate,
  LONGEST_PAUSE_MS,
  lookWithinMs,
  type Right,
  settle,
  takeRight,
} from "./right.ts";
import type { Site } from "../site.ts";
import type { Removal, Removed } from "./request.ts";
import { STRANGER_GONE_MS } from "./takers.ts";

/**
 * Takes the right to remove, looks again, and removes the lock.
 * @throws FolderUnusable if the lock folder holds something; FileFault if something cannot be written or
 *   removed. Nothing of ours is left behind then
 */
export async function removeLock(site: Site, removal: Removal): Promise<Removed> {
  const { clock, random } = site.sys;
  let sinceMs = await clock.monotonicMs();
  let latesLeft = LATE_TRIES;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { right, by, isMute } = await takeRight(site, removal);
    const used = right ? await useOnce(site, removal, right) : "contended";
    if (typeof used === "object") return used;
    // Our own slowness is nobody's fault: patience is with others.
    if (used === "late") sinceMs = await clock.monotonicMs();
    if (used === "late" && latesLeft-- > 0) continue;
    const forMs = await clock.monotonicMs() - sinceMs;
    if (forMs >= patienceWith(isMute, removal.patienceMs)) {
      return { outcome: "blocked", by, isMute, forMs };
    }
    await clock.sleep(pauseMs * (0.5 + await random.fraction()));
  }
}

/** A machine that sleeps again and again in the middle of a removal is left to try anew later. */
const LATE_TRIES = 3;

/** One that nothing can be seen of is outwaited, unless we do not mean to wait at all. */
function patienceWith(isMute: boolean, patienceMs: number): number {
  return isMute && patienceMs > 0 ? patienceMs + STRANGER_GONE_MS : patienceMs;
}

/** Whatever comes of it, nobody must take our taking for a living one afterwards. */
async function useOnce(
  site: Site,
  removal: Removal,
  right: Right,
): Promise<Removed | "contended" | "late"> {
  try {
    return await useRight(site, removal, right);
  } finally {
    site.sys.processes.takings.delete(right.token);
    await right.file.close();
  }
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

/** Steps 2 and 3. `contended` and `late`: the right is not ours after all, begin again. */
async function useRight(
  site: Site,
  removal: Removal,
  right: Right,
): Promise<Removed | "contended" | "late"> {
  try {
    if (removal.mayBeAnothers) await settle(site, right);
    if (!await isAlone(site, right)) return "contended";
    const look = await removal.lookAgain();
    if (look?.standing !== "lock") {
      await giveUpRight(site, right);
      return { outcome: "withdrawn" };
    }
    refuseContents(site, look.entries);
    if (await isLate(site, right, lookWithinMs(site)) || !await act(site, removal, right)) {
      await giveUpRight(site, right);
      return "late";
    }
  } catch (failure) {
    await giveUpRight(site, right);
    throw failure;
  }
  await removal.onRemoved?.();
  await clearTakers(site, right);
  return { outcome: "removed" };
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

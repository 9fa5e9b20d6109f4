/**
 * Removing the lock, by whoever has a reason to: its holder, a breaker, an operator.
 *
 * Guarantee: among all that remove by these rules, only one at a time is past its last look, and the lock it
 * then removes is the one it looked at. Stat-then-rmdir alone does not give that: a late breaker removes its
 * successor's lock, and so does a late release.
 * Not guaranteed: anything about a foreign peer's rmdir, or a taker on another machine that sleeps for more
 * than thirty seconds exactly between its last look and its rmdir.
 * Assumed: mkdir excludes, and what one process has written another sees once it lists the folder.
 *
 * The right to remove is made by mkdir: numbered folders in `removing/`. A dead taker is passed over by the
 * next number, never by removing its folder first: two who pass it over then meet at one mkdir again. Takers
 * that live see each other, since each writes who it is before it looks: the lower number goes on, the higher
 * one withdraws.
 */

import { elapsedMs, type Moment } from "../core/elapsed.ts";
import { FolderUnusable } from "../core/failures.ts";
import { faultCode } from "../core/faults.ts";
import type { LockLook } from "../core/record_tie.ts";
import { lifelinePath, takerFolder, takerWhoPath } from "../core/paths.ts";
import type { OpenFile } from "../sys/sys.ts";
import { inState } from "./state_files.ts";
import type { Site } from "./site.ts";
import { whoAndWhere } from "./who.ts";
import { readTaker, readTakers, type Taker, takerIsGone, type TakerWho } from "./takers.ts";

export interface Removal {
  /** Who removes, for others to see. */
  readonly slug: string;
  /** Token of the hold to be removed, whose lifeline goes with it; null if there is no record. */
  readonly lockToken: string | null;
  /**
   * Looks at the lock again, under the right to remove.
   * @return what stands there if it may still be removed; null if the reason no longer holds
   */
  readonly lookAgain: () => Promise<LockLook | null>;
  /** Says it in the log. Called when nothing can come in between any more; again if that was late. */
  readonly announce: () => Promise<void>;
  /** Called at once after the lock is gone, before the takers are cleared. */
  readonly onRemoved?: () => Promise<void>;
  /** How long to wait for others who are removing, in milliseconds. */
  readonly patienceMs: number;
}

export type Removed =
  | { readonly outcome: "removed" }
  /** The reason no longer holds: nothing was removed. */
  | { readonly outcome: "withdrawn" }
  /** Somebody else has the right, and kept it for all of our patience. */
  | { readonly outcome: "blocked"; readonly by: TakerWho | null };

/**
 * From taking the right to removing the lock, sleep of the machine included. Another machine passes us over after
 * thirty seconds: we must be done, or have given up, long before.
 */
const LOOK_WITHIN_MS = 10_000;
const ACT_WITHIN_MS = 20_000;

/** Others are past their look for a few milliseconds only. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Takes the right to remove, looks again, and removes the lock.
 * @throws FolderUnusable if the lock folder holds something; FileFault if something cannot be written or
 *   removed. Nothing of ours is left behind then
 */
export async function removeLock(site: Site, removal: Removal): Promise<Removed> {
  const { clock, random } = site.sys;
  let sinceMs = await clock.monotonicMs();
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { right, by } = await takeRight(site, removal);
    const used = right
      ? await useRight(site, removal, right).finally(() => right.file.close())
      : "contended";
    if (typeof used === "object") return used;
    // Our own slowness is nobody's fault: patience is with others.
    if (used === "late") sinceMs = await clock.monotonicMs();
    if (await clock.monotonicMs() - sinceMs >= removal.patienceMs) {
      return { outcome: "blocked", by };
    }
    await clock.sleep(pauseMs * (0.5 + await random.fraction()));
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
  if (removal.lockToken) {
    await files.removeFile(lifelinePath(site.paths, removal.lockToken)).catch(() => false);
  }
  await files.removeFolder(site.paths.lock);
  await removal.onRemoved?.();
  return { outcome: "removed" };
}

/** A lock is never removed with its contents. */
export function refuseContents(site: Site, entries: readonly string[]): void {
  if (entries.length === 0) return;
  throw new FolderUnusable(site.paths.lock, { kind: "lock not empty", entries });
}

/** A taken right: our number, the name we signed with, and when. */
interface Right {
  readonly number: number;
  readonly token: string;
  /** Our `who.json`, file-locked for as long as we mean to act: proof of life where processes are not seen. */
  readonly file: OpenFile;
  readonly takenAt: Moment;
}

/** Step 1: the next number after all that are gone. */
async function takeRight(
  site: Site,
  removal: Removal,
): Promise<{ right: Right | null; by: TakerWho | null }> {
  const takers = await readTakers(site);
  const living = await firstLiving(site, takers);
  if (living) return { right: null, by: living.who };
  const number = (takers.at(-1)?.number ?? 0) + 1;
  const token = await site.sys.random.token();
  const who: TakerWho = {
    ...await whoAndWhere(site, removal.slug, token),
    lockToken: removal.lockToken,
  };
  const { files, clock } = site.sys;
  const takenAt = await clock.moment();
  try {
    await inState(
      files,
      site.paths.state,
      site.paths.removing,
      () => files.makeFolder(takerFolder(site.paths, number)),
    );
  } catch (fault) {
    if (faultCode(fault) === "EEXIST") return { right: null, by: null };
    throw fault;
  }
  try {
    const file = await files.openNew(takerWhoPath(site.paths, number), JSON.stringify(who));
    await file.tryLock("exclusive");
    return { right: { number, token, file, takenAt }, by: null };
  } catch (fault) {
    // The folder was passed over and cleared, or has become another's: leave it alone.
    if (faultCode(fault) === "EEXIST" || faultCode(fault) === "ENOENT") {
      return { right: null, by: null };
    }
    await files.removeFolder(takerFolder(site.paths, number)).catch(() => {});
    throw fault;
  }
}

async function firstLiving(site: Site, takers: readonly Taker[]): Promise<Taker | null> {
  for (const taker of takers) {
    if (!await takerIsGone(site, taker)) return taker;
  }
  return null;
}

/** Steps 2 and 3. `contended` and `late`: the right is not ours after all, begin again. */
async function useRight(
  site: Site,
  removal: Removal,
  right: Right,
): Promise<Removed | "contended" | "late"> {
  try {
    if (!await isAlone(site, right)) return "contended";
    const look = await removal.lookAgain();
    if (look?.standing !== "lock") {
      await giveUpRight(site, right);
      return { outcome: "withdrawn" };
    }
    refuseContents(site, look.entries);
    if (await isLate(site, right, LOOK_WITHIN_MS) || !await act(site, removal, right)) {
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
 * Waits until every other taker is gone. A living lower one has the better right: we withdraw. A living
 * higher one will withdraw, for it sees us.
 */
async function isAlone(site: Site, right: Right): Promise<boolean> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const takers = await readTakers(site);
    if (takers.find((taker) => taker.number === right.number)?.who?.token !== right.token) {
      return false;
    }
    const living = await firstLiving(site, takers.filter((taker) => taker.number !== right.number));
    if (!living) return true;
    if (living.number < right.number || await isLate(site, right, LOOK_WITHIN_MS)) {
      await giveUpRight(site, right);
      return false;
    }
    await site.sys.clock.sleep(pauseMs);
  }
}

/**
 * Step 3. The lifeline goes before the lock: what the record says then speaks for no later lock, even where
 * that one carries the same mtime (file systems that count whole seconds, two holds within one tick).
 */
async function act(site: Site, removal: Removal, right: Right): Promise<boolean> {
  const { files } = site.sys;
  await removal.announce();
  if (await isLate(site, right, ACT_WITHIN_MS)) return false;
  const lifeline = removal.lockToken && lifelinePath(site.paths, removal.lockToken);
  const had = lifeline !== null && await files.removeFile(lifeline).catch(() => false);
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

/** Held up for so long that others may pass us over: what we looked at is too old to act on. */
async function isLate(site: Site, right: Right, withinMs: number): Promise<boolean> {
  return elapsedMs(right.takenAt, await site.sys.clock.moment()) >= withinMs;
}

/** Removes our own folder, if it is still ours: others may have passed us over and made it anew. */
async function giveUpRight(site: Site, right: Right): Promise<void> {
  const { who } = await readTaker(site, right.number);
  if (who?.token === right.token) await clearOwn(site, right);
}

/** Lowest number first, our own last: whoever passed a dead one over stays visible until it is done. */
async function clearTakers(site: Site, right: Right): Promise<void> {
  if (right.number > 1) {
    for (const { number } of await readTakers(site)) {
      if (number < right.number) await clearTaker(site, number);
    }
  }
  if (await isLate(site, right, ACT_WITHIN_MS)) await giveUpRight(site, right);
  else await clearOwn(site, right);
}

/**
 * A mount that renames an open file aside instead of removing it (FUSE, NFS) keeps our folder from being
 * empty, and so from going, for as long as the file is open.
 */
async function clearOwn(site: Site, right: Right): Promise<void> {
  await right.file.close();
  await clearTaker(site, right.number);
}

/** For as long as a mount may take to let go of a file that was closed just now. */
const CLEARED_WITHIN_MS = 100;

/** What cannot be cleared (a planted file, another user's) is passed over each time: slower, not wrong. */
async function clearTaker(site: Site, number: number): Promise<void> {
  const { files, clock } = site.sys;
  await files.removeFile(takerWhoPath(site.paths, number)).catch(() => false);
  for (let pauseMs = 1; pauseMs < CLEARED_WITHIN_MS; pauseMs *= 2) {
    const left = await files.removeFolder(takerFolder(site.paths, number)).catch(faultCode);
    if (left !== "ENOTEMPTY") return;
    await clock.sleep(pauseMs);
  }
}

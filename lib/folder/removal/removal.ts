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
import { removeLifeline, seeWho } from "../state/lifeline.ts";
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
import type { Blocked, Removal, Removed, RightRequest, TakerWho } from "./request.ts";
import { readTakers, signedBy, STRANGER_GONE_MS, takerState } from "./takers.ts";
import { showForeign } from "../../words/slugs.ts";
import type { RemoverView } from "../../lock/views.ts";

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

// Doing something with the right to remove the lock in hand: while it is ours, nobody that keeps to these rules
// removes the lock.

/** What came of the use. `late`: it was held up for too long to be safe, and begins again. */
export type Used<T> = { readonly value: T; readonly lockIsGone: boolean } | "late";

/**
 * Takes the right, uses it once, and gives it up.
 * @param use called when no other taker can act; it begins again if it says that it was late
 * @throws what `use` throws; FileFault if the right cannot be written down. Nothing of ours is left behind then
 */
export async function withRight<T>(
  site: Site,
  request: RightRequest,
  use: (right: Right) => Promise<Used<T>>,
): Promise<{ readonly outcome: "used"; readonly value: T } | ({ outcome: "blocked" } & Blocked)> {
  const { clock, random } = site.sys;
  let sinceMs = await clock.monotonicMs();
  let latesLeft = LATE_TRIES;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { right, by, isMute } = await takeRight(site, request);
    const used = right ? await useOnce(site, request, right, use) : "contended";
    if (typeof used === "object") return { outcome: "used", value: used.value };
    // Our own slowness is nobody's fault: patience is with others.
    if (used === "late") sinceMs = await clock.monotonicMs();
    if (used === "late" && latesLeft-- > 0) continue;
    const forMs = await clock.monotonicMs() - sinceMs;
    if (forMs >= patienceWith(isMute, request.patienceMs)) {
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
async function useOnce<T>(
  site: Site,
  request: RightRequest,
  right: Right,
  use: (right: Right) => Promise<Used<T>>,
): Promise<Used<T> | "contended"> {
  try {
    if (request.mayBeAnothers) await settle(site, right);
    if (!await isAlone(site, right)) return "contended";
    const used = await use(right);
    if (used !== "late" && used.lockIsGone) await clearTakers(site, right);
    else await giveUpRight(site, right);
    return used;
  } catch (failure) {
    await giveUpRight(site, right);
    throw failure;
  } finally {
    site.sys.processes.takings.delete(right.token);
    await right.file.close();
  }
}

// The one that has the right to remove the lock, for people who wait for what it is about to do.

/** The one that has the right just now; null if nobody has, or nobody knows who. */
export async function whoRemoves(site: Site): Promise<RemoverView | null> {
  for (const taker of await readTakers(site)) {
    const state = await takerState(site, taker);
    if (state === "gone") continue;
    const who = signedBy(taker);
    return who && await viewRemover(site, who, state === "mute");
  }
  return null;
}

/** @param isMute as the right to remove found it */
export async function viewRemover(
  site: Site,
  who: TakerWho,
  isMute: boolean,
): Promise<RemoverView> {
  const { slug, pid, machine: { host } } = who;
  const { life, stopped } = await seeWho(site, who);
  const seen = stopped ? "stopped" : life === "alive" ? "lives" : "away";
  const view = { slug, pid, host, sight: isMute ? "mute" : seen } as const;
  return { ...view, why: removerWords(view) };
}

function removerWords({ slug, pid, host, sight }: Omit<RemoverView, "why">): string {
  const name = showForeign(slug);
  const where = `pid ${pid} on ${showForeign(host)}`;
  switch (sight) {
    case "stopped":
      return `${name} (pid ${pid}) is stopped while it removes the lock: kill -CONT ${pid}`;
    case "lives":
      return `${name} (pid ${pid}) is about to remove the lock`;
    case "away":
      return `${name} (${where}) is about to remove the lock, and is perhaps stopped: look after it there`;
    case "mute":
      return `${name} (${where}) is about to remove the lock, and cannot be seen from here: it is passed over after a minute`;
  }
}

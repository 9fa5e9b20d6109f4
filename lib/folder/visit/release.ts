/** `release` and `release --force`: giving back a hold from another process than the one that acquired it. */

import { NotHolder } from "../../lock/failures.ts";
import type { ReleasedHold } from "../../lock/service.ts";
import type { HolderView } from "../../lock/views.ts";
import { type LockLook, recordOnDisk, recordTie } from "../state/record.ts";
import { BARE_PATIENCE_MS, NEVER_STALE_MS } from "../../lock/times.ts";
import type { LogEvent } from "../../log/lines.ts";
import { Journal, logIfPossible } from "../audit.ts";
import { breakLock } from "../removal/break.ts";
import { type Judged, judgeLock } from "../verdict/look_and_judge.ts";
import { isDiskFull } from "../../sys/faults.ts";
import { refuseContents, removeWithoutRight } from "../removal/removal.ts";
import { blockedBy, GIVE_BACK_PATIENCE_MS } from "../removal/give_back.ts";
import { standingLock, viewHolder } from "./holder_view.ts";
import { refuseKept } from "../place/kept_from_us.ts";
import { lookAtLock } from "../look.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import type { Removal, Removed } from "../removal/request.ts";

/**
 * Gives back the hold of this slug, or with `force` anybody's. A `run` hold whose program and command are dead is
 * broken, as by the next waiter: nobody has given it back.
 * @throws NotHolder if nothing is held, another holds it, or its command is still running;
 *   FolderUnusable if the lock cannot be removed
 */
export async function releaseBySlug(
  site: Site,
  slug: string,
  force: boolean,
  fence: number | null = null,
): Promise<ReleasedHold> {
  try {
    await checkFolder(site);
    const judged = await standingLock(site);
    const holder = await viewHolder(site, judged);
    const isRun = judged.record?.mode === "run";
    const isDead = judged.verdict.verdict === "stale";
    refuseOtherFence(site, fence, judged, holder);
    if (!force) refuseUnlessOwn(site, slug, judged, holder);
    if (!force && isRun) await breakDead(site, slug, judged);
    else {
      const event: LogEvent = force
        ? { event: "force_release", holder: holder.slug }
        : { event: "released" };
      await refuseKept(site, () => Promise.resolve(holder.slug));
      await removeJudged(site, slug, judged, event);
      await tellJournal(site, judged);
    }
    const was = force ? "held by force" : isRun ? "dead" : "acquired";
    return { lock: site.paths.lock, holder, was, worksOn: isRun && !isDead };
  } catch (failure) {
    throw await explain(site, failure);
  }
}

async function tellJournal(site: Site, { record }: Judged): Promise<void> {
  if (record === null) return;
  const journal = new Journal(site);
  await journal.note({ slug: record.slug, token: record.token, event: "released" });
  await journal.write();
}

/** Another may hold by now: the one that was meant is gone then, and this one stays. */
function refuseOtherFence(
  site: Site,
  asked: number | null,
  { record }: Judged,
  holder: HolderView,
): void {
  const present = record?.fence ?? null;
  if (asked === null || asked === present) return;
  throw new NotHolder(site.paths.lock, "held by another", holder, { asked, present });
}

/** Where no record speaks for the lock (a foreign peer's hold), the log says whose it is. */
function refuseUnlessOwn(site: Site, slug: string, judged: Judged, holder: HolderView): void {
  if (holder.slug !== slug) throw new NotHolder(site.paths.lock, "held by another", holder);
  const runs = holder.mode === "run" && judged.verdict.verdict === "held";
  if (runs) throw new NotHolder(site.paths.lock, "command still running", holder);
}

async function breakDead(site: Site, slug: string, judged: Judged): Promise<void> {
  refuseContents(site, judged.look.entries);
  const removed = await breakLock(site, slug, judged, NEVER_STALE_MS);
  await refuseUnlessRemoved(site, removed, false);
}

async function removeJudged(
  site: Site,
  slug: string,
  judged: Judged,
  event: LogEvent,
): Promise<void> {
  let saidSo = false;
  const removal: Removal = {
    slug,
    lockToken: recordOnDisk(judged.look)?.token ?? null,
    lookAgain: async () => {
      const look = await lookAtLock(site);
      return isSameHold(look, judged) ? look : null;
    },
    announce: async () => {
      if (!saidSo) await logIfPossible(site, slug, event);
      saidSo = true;
    },
    mayBeAnothers: event.event === "force_release" || mayBeBroken(judged),
    patienceMs: GIVE_BACK_PATIENCE_MS,
  };
  let isRemoved = false;
  try {
    const removed = await removeEvenIfFull(site, removal);
    isRemoved = removed.outcome === "removed";
    await refuseUnlessRemoved(site, removed, event.event === "force_release");
  } finally {
    if (saidSo && !isRemoved && event.event === "force_release") {
      await logIfPossible(site, slug, { ...event, event: "not_removed" });
    }
  }
}

/** No sign of life for so long that others may have broken the lock, as far as their `--stale` can be known. */
function mayBeBroken({ ageMs, record }: Judged): boolean {
  return ageMs > (record ? record.stale * 1000 : BARE_PATIENCE_MS) / 2;
}

async function refuseUnlessRemoved(
  site: Site,
  removed: Removed,
  isForced: boolean,
): Promise<void> {
  if (removed.outcome === "removed") return;
  if (removed.outcome === "blocked") {
    throw await blockedBy(site, removed, { isForced, mayTryAgain: true });
  }
  const holder = await holderNow(site);
  throw new NotHolder(site.paths.lock, holder ? "held by another" : "not held", holder);
}

/** A beat moves the mtime of a hold that a record names; without a record the mtime is all there is. */
function isSameHold(look: LockLook, { look: before, record }: Judged): boolean {
  if (look.standing !== "lock" || recordOnDisk(look)?.token !== recordOnDisk(before)?.token) {
    return false;
  }
  const tie = recordTie(look);
  const hasBeaten = record !== null && (tie === "mtime" || tie === "birth");
  return hasBeaten || look.mtimeMs === before.mtimeMs;
}

/**
 * On a full disk nobody can write down the right to remove, and so nobody else removes or breaks: then one
 * more look must do.
 */
async function removeEvenIfFull(site: Site, removal: Removal): Promise<Removed> {
  try {
    return await site.procedures.removeLock(site, removal);
  } catch (fault) {
    if (!isDiskFull(fault)) throw fault;
    return await removeWithoutRight(site, removal);
  }
}

async function holderNow(site: Site) {
  const look = await lookAtLock(site);
  return look.standing === "lock"
    ? await viewHolder(site, await judgeLock(site, look, NEVER_STALE_MS))
    : null;
}

/**
 * A beat: the holder freshens record and lock. Both then carry one stamp of the file system's own clock, so
 * that foreign peers see a young lock; other machines, whose view of an mtime may lag by half a minute, see
 * the beat count move.
 */

import { elapsedMs, type Moment } from "../sys/elapsed.ts";
import { faultCode, FileFault, isDiskFull } from "../sys/faults.ts";
import { compareBirths, type HolderRecord, type LockLook, recordOnDisk } from "./state/record.ts";
import { type Beaten, type HoldMemory, type HoldState, isStillOurs } from "./still_ours.ts";
import { folderItself } from "./state/layout.ts";
import { lifelineStands } from "./state/lifeline.ts";
import { lookAtLock } from "./look.ts";
import { replaceFile } from "./state/state_files.ts";
import { withRight } from "./removal/removal.ts";
import type { Site } from "./site.ts";

/**
 * Looks whether the lock is still ours, and if so writes the record anew and sets the lock's mtime to the
 * record file's. Never makes the lock.
 *
 * A holder that was silent for long may be broken at any moment by who cannot see that it lives: then it looks
 * and writes with the right to remove in its hand, so that nobody breaks the lock, and makes another, in
 * between.
 * @throws FileFault if something could not be written; the lock is then still ours, as far as is known
 */
export async function beat(site: Site, state: HoldState): Promise<Beaten> {
  const start = await site.sys.clock.moment();
  const silentMs = elapsedMs(state.memory.beatAt, start);
  if (silentMs <= state.memory.staleMs / 2) return await beatOnce(site, state, start);
  try {
    return await beatWithRight(site, state);
  } catch (fault) {
    // On a full disk nobody can take the right, and so nobody breaks.
    if (!isDiskFull(fault)) throw fault;
    return await beatOnce(site, state, await site.sys.clock.moment());
  }
}

/** Others are past their look for a few milliseconds; whoever stays longer may be about to break us. */
const PATIENCE_MS = 1000;

async function beatWithRight(site: Site, state: HoldState): Promise<Beaten> {
  const { slug, token } = state.record;
  const request = { slug, lockToken: token, mayBeAnothers: true, patienceMs: PATIENCE_MS };
  const beat = async () => {
    const start = await site.sys.clock.moment();
    return { value: await beatOnce(site, state, start), lockIsGone: false };
  };
  const result = await withRight(site, request, beat);
  return result.outcome === "used" ? result.value : { outcome: "late" };
}

/** Held up for longer than this between look and write, we might write over another's record. */
const LONGEST_BEAT_MS = 10_000;

/**
 * @param start when it was asked whether the right is needed: a holder that is held up after that may be silent for too
 *   long by the time it looks
 */
async function beatOnce(site: Site, state: HoldState, start: Moment): Promise<Beaten> {
  const { files, clock } = site.sys;
  const withinMs = Math.min(state.memory.staleMs / 4, LONGEST_BEAT_MS);
  const inTime = async () => elapsedMs(start, await clock.moment()) <= withinMs;
  const look = await lookAtLock(site);
  if (look.standing === "nothing") await refuseMissingFolder(site);
  const isOurs = async () =>
    isStillOurs(look, state.memory, await clock.moment(), !site.mount.isLocalDisk);
  if (look.standing !== "lock" || !await isOurs()) {
    return { outcome: "lost" };
  }
  const birthtimeMs = believedBirth(look, state.memory);
  const next = {
    ...state.record,
    beat: state.record.beat + 1,
    lockMtime: look.mtimeMs,
    lockBirthtime: birthtimeMs,
  };
  const stamp = await writeRecord(site, next, state.record, inTime);
  if (!stamp || !await inTime()) return { outcome: "late" };
  try {
    await files.setMtime(site.paths.lock, stamp.mtimeMs);
  } catch (fault) {
    if (faultCode(fault) === "ENOENT") return { outcome: "lost" };
    throw fault;
  }
  if (!await inTime() && !await isOursAfterLateStamp(site, state, stamp.mtimeMs)) {
    return { outcome: "lost" };
  }
  site.clock.learn(stamp.mtimeMs, await clock.moment());
  const memory = { ...state.memory, birthtimeMs, leftMtimeMs: stamp.mtimeMs, beatAt: start };
  return { outcome: "ours", state: { record: stamp.record, memory } };
}

/**
 * We were held up between asking whether the lock is ours and stamping it: it may have been another's by then, and
 * carries the mtime that we know ours by. If it is another's, our stamp made it look old: it is made young again, once.
 */
async function isOursAfterLateStamp(
  site: Site,
  { memory, record }: HoldState,
  stampMs: number,
): Promise<boolean> {
  const look = await lookAtLock(site);
  if (look.standing !== "lock") return false;
  const births = compareBirths(memory.birthtimeMs, look.birthtimeMs);
  if (births === "same") return true;
  // A breaker that keeps to these rules takes our lifeline away first.
  const isOurs = births !== "later" && recordOnDisk(look)?.token === record.token &&
    await lifelineStands(site, record.token);
  if (isOurs || look.mtimeMs !== stampMs) return isOurs;
  const folderMs = await site.clock.readMs();
  if (folderMs !== null) await site.sys.files.setMtime(site.paths.lock, folderMs).catch(() => {});
  return false;
}

/**
 * Some shares make a birth time out of the others. One that has moved on a folder with the mtime that we left tells
 * nothing, then or later.
 */
function believedBirth(
  look: { readonly mtimeMs: number; readonly birthtimeMs: number | null },
  memory: HoldMemory,
): number | null {
  const moved = look.mtimeMs === memory.leftMtimeMs && look.birthtimeMs !== memory.birthtimeMs;
  return moved ? null : memory.birthtimeMs;
}

/** A share that is away for a while has not lost its locks: this is trouble to be told, and no loss. */
async function refuseMissingFolder(site: Site): Promise<void> {
  if (await site.sys.files.entry(folderItself(site.paths))) return;
  throw new FileFault("ENOENT", "stat", site.paths.dir, "the lock folder is not there");
}

/**
 * On a full disk the record cannot be written anew; the one that stands is stamped instead, so that the hold
 * does not grow old for want of a few bytes.
 */
async function writeRecord(
  site: Site,
  next: HolderRecord,
  standing: HolderRecord,
  inTime: () => Promise<boolean>,
): Promise<{ record: HolderRecord; mtimeMs: number } | null> {
  const { sys, paths } = site;
  try {
    const mtimeMs = await replaceFile(sys, paths, paths.record, JSON.stringify(next), inTime);
    return mtimeMs === null ? null : { record: next, mtimeMs };
  } catch (fault) {
    const mtimeMs = site.clock.carriedMs(await sys.clock.moment());
    if (!isDiskFull(fault) || mtimeMs === null) throw fault;
    // Deleted, and there is no room for another: the lock itself takes none, and must not grow old.
    await sys.files.setMtime(paths.record, mtimeMs).catch((missing) => {
      if (faultCode(missing) !== "ENOENT") throw missing;
    });
    return { record: standing, mtimeMs };
  }
}

/**
 * Whether the lock is still ours, looked at now.
 * @throws FileFault if the lock folder itself is not there
 */
export async function stillOurs(site: Site, memory: HoldMemory): Promise<LockLook | null> {
  const look = await lookAtLock(site);
  if (look.standing === "nothing") await refuseMissingFolder(site);
  const now = await site.sys.clock.moment();
  return isStillOurs(look, memory, now, !site.mount.isLocalDisk) ? look : null;
}

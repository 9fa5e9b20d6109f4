/**
 * A beat: the holder freshens record and lock. Both then carry one stamp of the file system's own clock, so
 * that foreign peers see a young lock; other machines, whose view of an mtime may lag by half a minute, see
 * the beat count move.
 */

import { faultCode } from "../core/faults.ts";
import type { HolderRecord } from "../core/record.ts";
import { type HoldMemory, isStillOurs, type LockLook } from "../core/still_ours.ts";
import { lookAtLock } from "./look.ts";
import { replaceFile } from "./state_files.ts";
import type { Site } from "./site.ts";

/** What a holder keeps between two beats. */
export interface HoldState {
  readonly record: HolderRecord;
  readonly memory: HoldMemory;
}

export type Beaten =
  | { readonly outcome: "ours"; readonly state: HoldState }
  | { readonly outcome: "lost" }
  /** We were held up between looking and writing: the look is too old to act on. Try again. */
  | { readonly outcome: "late" };

/**
 * Looks whether the lock is still ours, and if so writes the record anew and sets the lock's mtime to the
 * record file's. Never makes the lock.
 * @throws FileFault if something could not be written; the lock is then still ours, as far as is known
 */
export async function beat(site: Site, state: HoldState): Promise<Beaten> {
  const { files, clock } = site.sys;
  const startMs = await clock.monotonicMs();
  const look = await lookAtLock(site);
  if (look.standing !== "lock" || !isStillOurs(look, state.memory, await clock.monotonicMs())) {
    return { outcome: "lost" };
  }
  const next: HolderRecord = {
    ...state.record,
    beat: state.record.beat + 1,
    lockMtime: look.mtimeMs,
  };
  const stamp = await writeRecord(site, next, state.record);
  // Between the look and here we may have been frozen for so long that the lock is another's by now.
  if (await clock.monotonicMs() - startMs > state.memory.staleMs / 4) return { outcome: "late" };
  try {
    await files.setMtime(site.paths.lock, stamp.mtimeMs);
  } catch (fault) {
    if (faultCode(fault) === "ENOENT") return { outcome: "lost" };
    throw fault;
  }
  const memory = { ...state.memory, leftMtimeMs: stamp.mtimeMs, beatAtMs: startMs };
  return { outcome: "ours", state: { record: stamp.record, memory } };
}

/**
 * On a full disk the record cannot be written anew; the one that stands is stamped instead, so that the hold
 * does not grow old for want of a few bytes.
 */
async function writeRecord(
  site: Site,
  next: HolderRecord,
  standing: HolderRecord,
): Promise<{ record: HolderRecord; mtimeMs: number }> {
  try {
    return {
      record: next,
      mtimeMs: await replaceFile(site.sys, site.paths, site.paths.record, JSON.stringify(next)),
    };
  } catch (fault) {
    const mtimeMs = site.clock.carriedMs(await site.sys.clock.monotonicMs());
    if ((faultCode(fault) !== "ENOSPC" && faultCode(fault) !== "EDQUOT") || mtimeMs === null) {
      throw fault;
    }
    await site.sys.files.setMtime(site.paths.record, mtimeMs);
    return { record: standing, mtimeMs };
  }
}

/** Whether the lock is still ours, looked at now. */
export async function stillOurs(site: Site, memory: HoldMemory): Promise<LockLook | null> {
  const look = await lookAtLock(site);
  return isStillOurs(look, memory, await site.sys.clock.monotonicMs()) ? look : null;
}

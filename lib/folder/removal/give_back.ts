/** A holder gives its lock back: by the right to remove, and only if the lock is still its own. */

import { showDuration } from "../../words/durations.ts";
import { elapsedMs } from "../../sys/elapsed.ts";
import type { AcquireRequest } from "../../lock/service.ts";
import { explain, isFolderGone } from "../place/obstacles.ts";
import { FolderUnusable } from "../../lock/failures.ts";
import { FileFault } from "../../sys/faults.ts";
import { showForeign } from "../../words/slugs.ts";
import { logIfPossible } from "../audit.ts";
import type { HoldMemory } from "../still_ours.ts";
import { stillOurs } from "../beat.ts";
import { removeWithoutRight, viewRemover } from "./removal.ts";
import type { Site } from "../site.ts";
import type { Blocked, Removal, Removed } from "./request.ts";

/**
 * A taker that is past its look needs milliseconds. One that is frozen there can keep us waiting; after this
 * long we leave the lock: once our process has gone it is broken as dead.
 */
export const GIVE_BACK_PATIENCE_MS = 10_000;

/**
 * The lock could not be removed, for all of our patience.
 * @param removal whose: a forced one is no giving back, and only a command can be given again
 */
export async function blockedBy(
  site: Site,
  { by, isMute, forMs }: Blocked,
  removal: { readonly isForced: boolean; readonly mayTryAgain: boolean },
): Promise<FolderUnusable> {
  const who = by === null
    ? "another process"
    : `${showForeign(by.slug)} (pid ${by.pid} on ${showForeign(by.machine.host)})`;
  return new FolderUnusable(site.paths.lock, {
    kind: "not given back",
    reason: `${who} has been about to remove it for ${showDuration(forMs)}`,
    removal: { ...removal, blockedBy: by && await viewRemover(site, by, isMute) },
  });
}

export interface GivingBack {
  readonly slug: string;
  readonly memory: HoldMemory;
  /** Whether the log says that we hold it; then it must say that we released it. */
  readonly told: boolean;
  /** Called at once after the lock is gone. */
  readonly onRemoved?: () => Promise<void>;
}

/**
 * @return `removed`; `withdrawn` if the lock is no longer ours; `blocked` if the right could not be had
 * @throws FolderUnusable, FileFault if the lock could not be removed
 */
export async function giveBack(site: Site, giving: GivingBack): Promise<Removed> {
  const { slug, memory, told, onRemoved = async () => {} } = giving;
  let saidSo = !told;
  const announce = async () => {
    // A log that cannot be written never keeps a lock from being released.
    if (!saidSo) await logIfPossible(site, slug, { event: "released" });
    saidSo = true;
  };
  const removal: Removal = {
    slug,
    lockToken: memory.token,
    lookAgain: () => stillOurs(site, memory),
    announce,
    onRemoved,
    mayBeAnothers: await isSilent(site, memory),
    patienceMs: GIVE_BACK_PATIENCE_MS,
  };
  try {
    return await removeTwice(site, removal);
  } catch (fault) {
    if (!mayHelpToTry(site, fault)) throw fault;
    const lookInTime = async () => {
      const look = await stillOurs(site, memory);
      // After the look: others may be about to break the lock of a holder that is held up before it.
      await refuseLate(site, memory);
      return look;
    };
    return await removeWithoutRight(site, { ...removal, lookAgain: lookInTime });
  }
}

/** A fault may be over at once; only one that stays is a reason to do without the right. */
async function removeTwice(site: Site, removal: Removal): Promise<Removed> {
  try {
    return await site.procedures.removeLock(site, removal);
  } catch (fault) {
    if (!mayHelpToTry(site, fault)) throw fault;
    return await site.procedures.removeLock(site, removal);
  }
}

/** Had it been the lock itself that could not be removed, trying again would be of no use. */
function mayHelpToTry(site: Site, fault: unknown): boolean {
  return fault instanceof FileFault && fault.path !== site.paths.lock;
}

/**
 * On a full disk, or in another user's state folder, the right to remove cannot be written down. We hold the
 * lock, and if we have beaten a moment ago nobody breaks it by these rules: what remains is an operator's
 * `release --force`, or a foreign peer's rmdir, between our look and ours.
 */
async function refuseLate(site: Site, memory: HoldMemory): Promise<void> {
  if (!await isSilent(site, memory)) return;
  throw new FileFault("ETIMEDOUT", "rmdir", site.paths.lock, "held up for too long to be sure");
}

/** Without a beat for so long that others may have broken the lock. */
async function isSilent(site: Site, { beatAt, staleMs }: HoldMemory): Promise<boolean> {
  return elapsedMs(beatAt, await site.sys.clock.moment()) > staleMs / 2;
}

/** Whatever keeps a lock from being given back, the lock is what matters to a person. */
export async function explainRelease(
  site: Site,
  failure: unknown,
  { outlivesWait, staleMs }: AcquireRequest,
): Promise<unknown> {
  if (await isFolderGone(site)) {
    const reason = `its folder ${site.paths.dir} is not there`;
    const obstacle = { kind: "not given back", reason, folderIsGone: true } as const;
    return new FolderUnusable(site.paths.lock, obstacle);
  }
  const explained = await explain(site, failure);
  if (!(explained instanceof FolderUnusable)) return explained;
  const { obstacle } = explained;
  if (obstacle.kind === "lock not empty") return explained;
  const reason = "reason" in obstacle ? obstacle.reason : obstacle.kind;
  const why = obstacle.kind === "not given back" ? reason : `${explained.path}: ${reason}`;
  const removal = obstacle.kind === "not given back" ? obstacle.removal : undefined;
  // A command may have closed the folder: then rmdir alone is refused too.
  const isClosed = obstacle.kind === "folder" && /permission denied/.test(obstacle.reason);
  const then = outlivesWait
    ? `; it beats no more, and is broken by others once it is ${showDuration(staleMs)} old`
    : "";
  return new FolderUnusable(site.paths.lock, {
    kind: "not given back",
    reason: why + then,
    ...(removal && { removal }),
    ...(isClosed && { closedFolder: site.paths.dir }),
  });
}

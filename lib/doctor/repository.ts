/** What the git repository around a lock folder means for it. */

import { gitLockFolder, workTreeAround } from "../folder/place/shared_folder.ts";
import { lastName, type LockPaths } from "../folder/state/layout.ts";
import { absolutePath } from "../words/paths.ts";
import type { GitReachFound, OtherLockFound } from "./rules/judgement.ts";
import type { TrialSys } from "./trial_ground.ts";

/** @return null outside of work trees, in git's own folder, and where git is not there to be asked */
export async function gitReachOf(
  { files, diagnosis }: TrialSys,
  { dir, lock, log, state }: LockPaths,
): Promise<GitReachFound | null> {
  const real = await diagnosis.realPath(dir);
  if (real === null) return null;
  const folder = absolutePath(real, real);
  const workTree = await workTreeAround(files, folder);
  if (workTree === null) return null;
  const parts = [`${lastName(lock)}/`, lastName(log), `${lastName(state)}/`];
  const ignored = await diagnosis.gitIgnores(folder, parts);
  if (ignored === null) return null;
  const below = folder.slice(workTree.length).replace(/^\//, "");
  return { workTree, below, ignored };
}

/** Who worked yesterday comes back; what is older may be of an agent that is gone, or of a trial. */
const IN_USE_WITHIN_MS = 86_400_000;

/**
 * The lock of `@git` with the same name.
 * @param workingFolder in which `@git` is looked for; null if the folder is not that one's default
 * @return null where there is none, it is not in use, or it is the one that is examined
 */
export async function otherLockOf(
  { files, diagnosis, clock }: TrialSys,
  { dir, lock, log }: LockPaths,
  workingFolder: string | null,
): Promise<OtherLockFound | null> {
  if (workingFolder === null) return null;
  const folder = await gitLockFolder(files, workingFolder);
  const real = folder && await diagnosis.realPath(folder);
  if (!real || real === await diagnosis.realPath(dir)) return null;
  const path = `${folder}/${lastName(lock)}`;
  // Nothing is said of what may not be looked at.
  const entry = (path: string) => files.entry(path).catch(() => null);
  const held = await entry(path) !== null;
  const logged = await entry(`${folder}/${lastName(log)}`);
  const loggedAgoMs = logged && Math.max(0, await clock.wallMs() - logged.mtimeMs);
  const isInUse = held || (loggedAgoMs !== null && loggedAgoMs <= IN_USE_WITHIN_MS);
  return isInUse ? { lock: path, held, loggedAgoMs } : null;
}

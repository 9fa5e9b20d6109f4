/** What the git repository around a lock folder means for it. */

import { workTreeAround } from "../folder/place/shared_folder.ts";
import { lastName, type LockPaths } from "../folder/state/layout.ts";
import { absolutePath } from "../words/paths.ts";
import type { GitReachFound } from "./rules/judgement.ts";
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

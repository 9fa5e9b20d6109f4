/**
 * Files in `lock.state/`. All of it may be deleted by anybody at any time, even between two of our steps:
 * whoever writes there makes the folders again.
 */

import { faultCode, FileFault } from "../../sys/faults.ts";
import { isProbe, type LockPaths, scratchPath } from "./layout.ts";
import type { Files, Sys } from "../../sys/sys.ts";

/** A folder deleted once more between making it and using it is made again this often, then it is a failure. */
const TRIES = 5;

/**
 * Does something in the state folder, making the folders it needs if they are missing.
 * @param state path of the state folder
 * @param folder path of the folder in it that `operation` needs; null if it needs the state folder only
 */
export async function inState<T>(
  files: Files,
  state: string,
  folder: string | null,
  operation: () => Promise<T>,
): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await operation();
    } catch (fault) {
      if (faultCode(fault) !== "ENOENT" || tries === TRIES) throw fault;
      await makeIfMissing(files, state);
      if (folder) await makeIfMissing(files, folder);
    }
  }
}

async function makeIfMissing(files: Files, path: string): Promise<void> {
  try {
    await files.makeFolder(path);
  } catch (fault) {
    // ENOENT: the parent went away again; the next try begins with it.
    if (faultCode(fault) !== "EEXIST" && faultCode(fault) !== "ENOENT") throw fault;
    // A lock folder that is itself gone is a failure of its own, told by the operation that follows.
  }
}

/**
 * Replaces a file as a whole: a reader sees the old or the new, never a part, and a network client opens the
 * new one afresh.
 * @param inTime asked last: whoever was held up for so long that the file may be another's by now must not
 *   replace it. A freeze after the question does no harm: the new file carries the stamp of the moment before
 *   it, and so says nothing about a lock that was made meanwhile
 * @return the new file's mtime, in milliseconds; null if it was too late, and nothing was replaced
 */
export async function replaceFile(
  sys: Sys,
  paths: LockPaths,
  path: string,
  text: string,
  inTime: () => Promise<boolean>,
): Promise<number | null> {
  const scratch = scratchPath(paths, "new", await sys.random.token());
  return await inState(sys.files, paths.state, null, async () => {
    const mtimeMs = await sys.files.create(scratch, text);
    try {
      if (await inTime()) {
        await sys.files.rename(scratch, path).catch((fault) => {
          throw atTarget(fault, path);
        });
        return mtimeMs;
      }
    } catch (fault) {
      await sys.files.removeFile(scratch).catch(() => false);
      throw fault;
    }
    await sys.files.removeFile(scratch).catch(() => false);
    return null;
  });
}

/** What a rename is refused for stands where the file would go, not where it came from. */
function atTarget(fault: unknown, path: string): unknown {
  if (!(fault instanceof FileFault) || fault.code === "ENOENT") return fault;
  return new FileFault(fault.code, fault.operation, path, fault.reason);
}

const REMOVE_TRIES = 3;

/**
 * Removes a file, though one error may come in between.
 * @return whether it was there; null if it cannot be removed
 */
export async function removeSurely(files: Files, path: string): Promise<boolean | null> {
  for (let tries = 1; tries <= REMOVE_TRIES; tries++) {
    const removed = await files.removeFile(path).catch(() => null);
    if (removed !== null) return removed;
  }
  return null;
}

/** What a killed process left unfinished is older than this; what is younger may be somebody's next step. */
export const LITTER_AGE_MS = 60_000;

/**
 * Removes what killed processes left: scratch files in the state folder, probes in the lock folder. Failing is no
 * matter: the next one tidies.
 * @param folderNowMs the file system's clock
 */
export async function tidy(files: Files, paths: LockPaths, folderNowMs: number): Promise<void> {
  for (const folder of [paths.state, paths.queue]) {
    await tidyFolder(
      files,
      folder,
      (name) => name.startsWith("."),
      folderNowMs,
      removeScratchFolder,
    );
  }
  // A probe is empty: what is not is none of ours.
  await tidyFolder(files, paths.dir, isProbe, folderNowMs, (_, path) => files.removeFolder(path));
}

async function tidyFolder(
  files: Files,
  folder: string,
  isLitter: (name: string) => boolean,
  folderNowMs: number,
  removeFolder: (files: Files, path: string) => Promise<void>,
): Promise<void> {
  try {
    for (const name of await files.list(folder) ?? []) {
      if (!isLitter(name)) continue;
      const path = `${folder}/${name}`;
      const entry = await files.entry(path);
      if (!entry || folderNowMs - entry.mtimeMs <= LITTER_AGE_MS) continue;
      if (entry.kind === "folder") await removeFolder(files, path);
      else await files.removeFile(path);
    }
  } catch {
    // A folder that others are changing, or that may not be read.
  }
}

const PRIVATE_MODE = 0o700;

/**
 * A lock folder for one trial: made fresh, and taken away with all that a lock leaves in it.
 * @param parent where temporary folders go
 * @param purpose a word for its name
 * @return its path
 * @throws FileFault
 */
export async function makeScratchFolder(
  sys: Pick<Sys, "files" | "random">,
  parent: string,
  purpose: string,
): Promise<string> {
  const path = `${parent}/lock_folder_util-${purpose}-${(await sys.random.token()).slice(0, 8)}`;
  await sys.files.makeFolder(path, PRIVATE_MODE);
  return path;
}

/** Takes away what a lock leaves behind, and nothing through a link. */
export async function removeScratchFolder(files: Files, path: string): Promise<void> {
  for (const name of await files.list(path) ?? []) {
    const inside = `${path}/${name}`;
    const entry = await files.entry(inside);
    if (entry?.kind === "folder") await removeScratchFolder(files, inside);
    else await files.removeFile(inside);
  }
  try {
    await files.removeFolder(path);
  } catch (fault) {
    if (!(fault instanceof FileFault) || fault.code !== "ENOENT") throw fault;
  }
}

/** From a failed file operation to what a person can do something about: which thing is in the way, and why. */

import { isUnanswered } from "../unanswered_calls.ts";
import { FolderUnusable } from "../../lock/failures.ts";
import { faultCode, FileFault } from "../../sys/faults.ts";
import { folderItself, probeFolder } from "../state/layout.ts";
import type { Entry } from "../../sys/sys.ts";
import type { Site } from "../site.ts";

const NOT_ALLOWED = new Set(["EACCES", "EPERM", "EROFS"]);
const WRONG_KIND = new Set([
  "ELOOP",
  "ENOTDIR",
  "EISDIR",
  "EINVAL",
  "EEXIST",
  "ENOTEMPTY",
  "EFBIG",
]);

/** Fails with FolderUnusable unless the lock folder stands there as a folder. */
export async function checkFolder(site: Site): Promise<void> {
  const trouble = await folderTrouble(site);
  if (trouble) throw trouble;
  const state = await entryOrNull(site, site.paths.state);
  if (state && state.kind !== "folder") {
    throw fileUnusable(site.paths.state, state, "it is not a folder");
  }
}

/** The folder itself is looked at, through a link to it: `--dir` may well be one. */
async function folderTrouble(site: Site): Promise<FolderUnusable | null> {
  try {
    const entry = await site.sys.files.entry(folderItself(site.paths));
    if (!entry) {
      const link = await entryOrNull(site, site.paths.dir);
      const isDangling = link?.kind === "link";
      const reason = isDangling ? "it is a symbolic link to nothing" : "it does not exist";
      return folderUnusable(site, reason, null);
    }
    return entry.kind === "folder" ? null : folderUnusable(site, "it is not a folder", entry);
  } catch (fault) {
    // A share that does not answer says nothing about its folder.
    if (isUnanswered(fault)) throw fault;
    if (!(fault instanceof FileFault)) throw fault;
    return folderUnusable(
      site,
      fault.code === "ENOTDIR" ? "it is not a folder" : fault.reason,
      null,
    );
  }
}

/** Whether there is no lock folder any more; false where that cannot be found out. */
export async function isFolderGone(site: Site): Promise<boolean> {
  try {
    return await site.sys.files.entry(folderItself(site.paths)) === null;
  } catch {
    return false;
  }
}

/**
 * @param entry what stands there, if that is of use to a person
 */
export function folderUnusable(site: Site, reason: string, entry: Entry | null): FolderUnusable {
  const { uid = null, mode = null } = entry ?? {};
  return new FolderUnusable(site.paths.dir, { kind: "folder", reason, uid, mode });
}

/**
 * Whether we can write where a wait would end in vain otherwise: in the folder itself, to the log and the fence.
 * mkdir on a lock that is held says nothing about that.
 */
export async function checkWritable(line: Site): Promise<void> {
  const site = line.slots?.[0] ?? line;
  const probe = probeFolder(site.paths, await site.sys.random.token());
  await site.sys.files.makeFolder(probe);
  try {
    await site.sys.files.removeFolder(probe);
  } catch (fault) {
    // Held up for a minute between the two, and somebody has tidied it away.
    if (faultCode(fault) !== "ENOENT") throw fault;
  }
  await site.sys.files.append(site.paths.log, "");
  // Another user's fence would be found out only by the hold that the wait was for.
  await site.sys.files.overwrite(site.paths.fence, "");
}

/**
 * What is in the way, for a failure of any file operation of ours.
 * @return a FolderUnusable, or `failure` itself if it is no FileFault
 */
export async function explain(site: Site, failure: unknown): Promise<unknown> {
  if (!(failure instanceof FileFault)) return failure;
  const folder = await folderTrouble(site).catch(() => null);
  if (folder) return folder;
  if (!NOT_ALLOWED.has(failure.code) && !WRONG_KIND.has(failure.code)) {
    return new FolderUnusable(failure.path, {
      kind: "io",
      operation: failure.operation,
      reason: failure.reason,
    });
  }
  const isLockKept = failure.path === site.paths.lock && failure.operation === "rmdir" &&
    failure.code === "EPERM";
  if (isLockKept) return await explainFile(site, failure);
  const { state, log, slots } = site.paths;
  if (!isBelow(failure.path, state) && failure.path !== log && failure.path !== slots) {
    return folderUnusable(site, failure.reason, await entryOrNull(site, folderItself(site.paths)));
  }
  return await explainFile(site, failure);
}

/** Of a lock with slots: the slot in whose files the fault was. */
export function siteOfFault(site: Site, failure: unknown): Site {
  if (!(failure instanceof FileFault)) return site;
  const { path } = failure;
  const isIn = ({ paths: { state, lock, log } }: Site) =>
    isBelow(path, state) || path === lock || path === log;
  return site.slots?.find(isIn) ?? site;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Names the nearest thing that stands there: the file itself, or the folder it would be made in. */
async function explainFile(site: Site, fault: FileFault): Promise<FolderUnusable> {
  let path = fault.path;
  let entry: Entry | null = await entryOrNull(site, path);
  while (!entry && isBelow(path, site.paths.state) && path !== site.paths.state) {
    path = path.slice(0, path.lastIndexOf("/"));
    entry = await entryOrNull(site, path);
  }
  if (!entry) {
    return folderUnusable(site, fault.reason, await entryOrNull(site, folderItself(site.paths)));
  }
  return fileUnusable(path, entry, fault.reason);
}

function fileUnusable(path: string, { kind, uid, mode }: Entry, fault: string): FolderUnusable {
  const reason = kind === "link" ? "it is a symbolic link, which is never followed" : fault;
  return new FolderUnusable(path, { kind: "file", reason, uid, mode });
}

async function entryOrNull(site: Site, path: string): Promise<Entry | null> {
  return await site.sys.files.entry(path).catch(() => null);
}

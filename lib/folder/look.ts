/** One consistent look at the lock and its record. */

import { FolderUnusable } from "../lock/failures.ts";
import { faultCode } from "../sys/faults.ts";
import { type LockLook, parseRecord, RECORD_LARGEST_BYTES } from "./state/record.ts";
import type { Site } from "./site.ts";

/** A lock that changes under each of this many looks in a row is changing hands fast: the last look counts. */
const LOOKS = 5;

/**
 * What stands where the lock would. The folder is listed before its mtime is trusted: that makes a client of
 * a network share look again.
 */
export async function lookAtLock(site: Site): Promise<LockLook> {
  for (let looks = 1;; looks++) {
    const before = await standingForSure(site);
    if (before.standing !== "lock") return before;
    const record = await readRecord(site);
    const after = await site.sys.files.entry(site.paths.lock);
    // The record was read between two equal mtimes: it is of this moment of this lock.
    if (after?.mtimeMs === before.mtimeMs || looks === LOOKS) return { ...before, record };
  }
}

/** A client of CIFS once showed a folder that another machine was just removing as a file. */
const OTHER_LOOKS = 5;
const OTHER_PAUSE_MS = 200;

/** On a share, what is no folder is believed only if it stays so for most of a second. */
async function standingForSure(site: Site): Promise<LockLook> {
  for (let looks = 1;; looks++) {
    const look = await standing(site);
    if (look.standing !== "other" || site.mount.isLocalDisk || looks === OTHER_LOOKS) return look;
    await site.sys.clock.sleep(OTHER_PAUSE_MS);
  }
}

async function standing(site: Site): Promise<LockLook> {
  const { lock } = site.paths;
  const entries = await listFolder(site);
  const entry = await site.sys.files.entry(lock);
  if (!entry) return { standing: "nothing" };
  if (entry.kind !== "folder") {
    return {
      standing: "other",
      found: FOUND[entry.kind],
    };
  }
  return {
    standing: "lock",
    mtimeMs: entry.mtimeMs,
    birthtimeMs: entry.birthtimeMs,
    uid: entry.uid,
    entries,
    record: "none",
  };
}

/** What stands somewhere, in words. */
export const FOUND = {
  folder: "a folder",
  file: "a file",
  link: "a symbolic link",
  other: "a pipe, a socket or a device",
} as const;

async function listFolder(site: Site): Promise<string[]> {
  try {
    return await site.sys.files.list(site.paths.lock) ?? [];
  } catch {
    // A file, a link, or a folder that may not be listed: its entry tells which.
    return [];
  }
}

async function readRecord(site: Site): Promise<Extract<LockLook, { standing: "lock" }>["record"]> {
  try {
    const content = await site.sys.files.read(site.paths.record, RECORD_LARGEST_BYTES);
    if (!content) return "none";
    const record = parseRecord(content.text);
    return record ? { record, fileMtimeMs: content.mtimeMs } : "unreadable";
  } catch (fault) {
    if (faultCode(fault) === null) throw fault;
    return "unreadable";
  }
}

/** @throws FolderUnusable if something else than a lock stands where it would */
export function refuseOther(
  site: Site,
  look: LockLook,
): asserts look is Exclude<LockLook, { standing: "other" }> {
  if (look.standing !== "other") return;
  throw new FolderUnusable(site.paths.lock, { kind: "not a lock", found: look.found });
}

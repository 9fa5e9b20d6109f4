/**
 * File locks of the simulated world, as flock(2) has them.
 *
 * Guarantee: within one domain a handle's exclusive lock excludes every other handle of the same inode,
 * also one of the same process; a lock goes with its handle, or with its process.
 * Non-guarantee: nothing excludes across domains (two mounts, two machines without shared locks), and no
 * order among those who wait: the scheduler picks any.
 * Assumption: a handle asks for one lock at a time.
 */

import type { Inode } from "./inode.ts";

export type LockKind = "shared" | "exclusive";

export interface FileLock {
  /** The handle that has it: locks belong to open files, not to processes. */
  readonly handle: number;
  readonly domain: string;
  kind: LockKind;
}

/** Whether the handle could have this lock now. Its own earlier lock is no obstacle: it would be converted. */
export function grantable(inode: Inode, handle: number, domain: string, kind: LockKind): boolean {
  for (const lock of inode.locks) {
    if (lock.handle === handle || lock.domain !== domain) continue;
    if (kind === "exclusive" || lock.kind === "exclusive") return false;
  }
  return true;
}

/**
 * Whether a mandatory lock keeps somebody from the file's content: an exclusive one from reading and writing, a
 * shared one from writing.
 * @param handle the open file that would read or write; null by path
 */
export function keepsFrom(
  inode: Inode,
  handle: number | null,
  domain: string,
  access: "read" | "write",
): boolean {
  return inode.locks.some((lock) =>
    lock.handle !== handle && lock.domain === domain &&
    (access === "write" || lock.kind === "exclusive")
  );
}

export function grant(inode: Inode, handle: number, domain: string, kind: LockKind): void {
  const own = inode.locks.find((lock) => lock.handle === handle);
  if (own) own.kind = kind;
  else inode.locks.push({ handle, domain, kind });
}

export function letGo(inode: Inode, handle: number): void {
  const at = inode.locks.findIndex((lock) => lock.handle === handle);
  if (at >= 0) inode.locks.splice(at, 1);
}

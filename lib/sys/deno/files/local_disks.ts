/** Which folders are known to be on a disk of this machine, where no file call can hang. */

import { type FileCalls, OFF_THREAD, ON_THREAD } from "./file_calls.ts";

/**
 * File systems that are served by this machine's own kernel from its own disk or memory. Not among them:
 * anything behind a network or a FUSE server, which may be frozen and would freeze us with it.
 */
const SERVED_BY_THIS_KERNEL: ReadonlySet<string> = new Set([
  "btrfs",
  "ext2",
  "ext3",
  "ext4",
  "f2fs",
  "overlay",
  "tmpfs",
  "xfs",
  "zfs",
]);

/** Whether no call to such a file system can hang. */
export function isLocalType(type: string | null): boolean {
  return type !== null && SERVED_BY_THIS_KERNEL.has(type);
}

export class LocalDisks {
  readonly #folders: string[] = [];

  /**
   * Notes what kind of file system a folder is on.
   * @return whether it is a disk of this machine
   */
  note(folder: string, type: string | null): boolean {
    const local = isLocalType(type);
    if (local) this.#folders.push(folder.endsWith("/") ? folder : `${folder}/`);
    return local;
  }

  /** Whether what is at this path is known to be on a disk of this machine. */
  has(path: string): boolean {
    return this.#folders.some((folder) => path.startsWith(folder));
  }

  /** How to call for what is at this path. */
  callsFor(path: string): FileCalls {
    return this.has(path) ? ON_THREAD : OFF_THREAD;
  }
}

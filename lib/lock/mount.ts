/** Mounts on which a lock made by mkdir is none. */

import { FolderUnusable } from "../core/failures.ts";
import type { Mounts } from "../sys/sys.ts";

/** Set to 1, it lets the lock be used there all the same. */
export const TRUST_MOUNT_VARIABLE = "LOCK_FOLDER_TRUST_MOUNT";

/**
 * rclone answers mkdir from its own memory before it asks the remote: of two machines that race, both win in
 * 99 rounds of 100.
 */
const MKDIR_DOES_NOT_EXCLUDE: ReadonlySet<string> = new Set(["fuse.rclone"]);

/** @throws FolderUnusable if mkdir is known not to exclude there */
export async function refuseUnsafeMount(mounts: Mounts, dir: string): Promise<void> {
  const fileSystem = await mounts.typeOf(dir);
  if (fileSystem === null || !MKDIR_DOES_NOT_EXCLUDE.has(fileSystem)) return;
  throw new FolderUnusable(dir, { kind: "mount", fileSystem });
}

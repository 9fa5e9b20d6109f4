/** Mounts on which a lock made by mkdir is none. */

import { FolderUnusable } from "../core/failures.ts";
import { mkdirIsKnownUnsafe } from "../core/file_system_kinds.ts";
import type { Mount, Mounts } from "../sys/sys.ts";
import type { WakeUpTrust } from "./acquire.ts";

/** Set to 1, it lets the lock be used there all the same. */
export const TRUST_MOUNT_VARIABLE = "LOCK_FOLDER_TRUST_MOUNT";

/**
 * Looks at the mount that a lock folder is on.
 * @param trusted whether the user has said that this mount may be used whatever it is
 * @throws FolderUnusable if mkdir is known not to exclude there
 */
export async function inspectMount(mounts: Mounts, dir: string, trusted: boolean): Promise<Mount> {
  const mount = await mounts.typeOf(dir);
  if (!trusted && mount.type !== null && mkdirIsKnownUnsafe(mount.type)) {
    throw new FolderUnusable(dir, { kind: "mount", fileSystem: mount.type });
  }
  return mount;
}

/** How far file locks and watches can be relied on there. */
export function wakeUpsOn(mount: Mount): WakeUpTrust {
  return mount.isLocalDisk ? "sure" : "hints";
}

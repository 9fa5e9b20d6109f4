/** Mounts on which a lock made by mkdir is none. */

import { FolderUnusable } from "../core/failures.ts";
import { mkdirIsKnownUnsafe } from "../core/file_system_kinds.ts";
import { NO_WATCH_VARIABLE, TRUST_MOUNT_VARIABLE } from "../core/variables.ts";
import type { Environment, Host, Mount } from "../sys/sys.ts";
import type { WakeUpTrust } from "./acquire.ts";

/**
 * Looks at the mount that a lock folder is on.
 * @throws FolderUnusable if mkdir is known not to exclude there
 */
export async function inspectMount(
  { mounts, environment }: Pick<Host, "mounts" | "environment">,
  dir: string,
): Promise<Mount> {
  const mount = await mounts.typeOf(dir);
  const trusted = environment.get(TRUST_MOUNT_VARIABLE) === "1";
  if (!trusted && mount.type !== null && mkdirIsKnownUnsafe(mount.type)) {
    throw new FolderUnusable(dir, { kind: "mount", fileSystem: mount.type });
  }
  return mount;
}

/** How far file locks and watches can be relied on there, if the user wants any. */
export function wakeUpsOn(mount: Mount, environment: Environment): WakeUpTrust {
  if (environment.get(NO_WATCH_VARIABLE) === "1") return "none";
  return mount.isLocalDisk ? "sure" : "hints";
}

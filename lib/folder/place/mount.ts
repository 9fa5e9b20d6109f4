/** The mount that a lock folder is on: what it is to be trusted with, and where a lock made by mkdir is none. */

import { FolderUnusable } from "../../lock/failures.ts";
import { mkdirIsKnownUnsafe, trustMount } from "./mount_trust.ts";
import { NO_WATCH_VARIABLE, TRUST_MOUNT_VARIABLE } from "../../lock/variables.ts";
import type { Environment, Mounts } from "../../sys/sys.ts";
import { ANSWER_WITHIN_MS } from "../unanswered_calls.ts";
import type { AcquireRequest, WakeUpTrust } from "../../lock/service.ts";
import type { Site, SiteMount } from "../site.ts";

/** Finds out what kind of mount a folder is on. */
export async function lookAtMount(mounts: Mounts, dir: string): Promise<SiteMount> {
  const mount = await mounts.typeOf(dir);
  return { ...mount, ...trustMount(mount) };
}

/** @throws FolderUnusable if mkdir is known not to exclude where the lock folder is */
export function refuseUnsafeMount({ mount, paths }: Site, environment: Environment): void {
  const trusted = environment.get(TRUST_MOUNT_VARIABLE) === "1";
  if (!trusted && mount.type !== null && mkdirIsKnownUnsafe(mount.type)) {
    throw new FolderUnusable(paths.dir, { kind: "mount", fileSystem: mount.type });
  }
}

/** How far file locks and watches can be relied on there, if the user wants any. */
export function wakeUpsOn(mount: SiteMount, environment: Environment): WakeUpTrust {
  if (environment.get(NO_WATCH_VARIABLE) === "1") return "none";
  return mount.isLocalDisk ? "sure" : "hints";
}

/** How long a waiter waits for the answer to a call there. No call to a disk of this machine hangs. */
export function answersOn(mount: SiteMount): Pick<AcquireRequest, "answerWithinMs"> {
  return mount.isLocalDisk ? {} : { answerWithinMs: ANSWER_WITHIN_MS };
}

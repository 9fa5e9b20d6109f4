/** The lock as those find it who ask for a hold that should be there. */

import { NEVER_STALE_MS } from "../../lock/heartbeat.ts";
import { NotHolder } from "../../lock/failures.ts";
import { lookAtLock, refuseOther } from "../look.ts";
import { type Judged, judgeLock } from "../verdict/look_and_judge.ts";
import type { Site } from "../site.ts";

/** @throws NotHolder if none stands there; FolderUnusable if something else does */
export async function standingLock(site: Site): Promise<Judged> {
  const look = await lookAtLock(site);
  refuseOther(site, look);
  if (look.standing === "lock") return await judgeLock(site, look, NEVER_STALE_MS);
  // Without a log `report` cannot tell what became of it: then the lock that was named is likely to be the wrong one.
  const hasLog = await site.sys.files.entry(site.paths.log).catch(() => undefined) !== null;
  throw new NotHolder(site.paths.lock, hasLog ? "not held" : "never held", null);
}

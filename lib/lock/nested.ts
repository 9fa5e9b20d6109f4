/** Calls from inside a hold: a command that already runs under the lock must not wait for itself. */

import { holderEvidence } from "./evidence.ts";
import { lookAtLock } from "./look.ts";
import type { Site } from "./site.ts";
import type { HolderRecord } from "../core/record.ts";

/**
 * Whether an inherited token is the current hold's. One that is no longer current means nothing.
 * @param tokens what `LOCK_FOLDER_HELD` names
 * @return the record of the hold that we are inside of, or null
 */
export async function holdAround(
  site: Site,
  tokens: readonly string[],
): Promise<HolderRecord | null> {
  if (tokens.length === 0) return null;
  const look = await lookAtLock(site);
  if (look.standing !== "lock") return null;
  const holder = await holderEvidence(site, look);
  return typeof holder === "object" && tokens.includes(holder.record.token) ? holder.record : null;
}

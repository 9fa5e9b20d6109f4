/** Calls from inside a hold: a command that already runs under the lock must not wait for itself. */

import type { HolderRecord } from "../state/record.ts";
import { isDead } from "../verdict/judge.ts";
import { holderEvidence } from "../verdict/evidence.ts";
import { lookAtLock } from "../look.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";

/**
 * Whether an inherited token is the current hold's. One that is no longer current means nothing, nor does that
 * of a hold whose program and command are both dead: the next waiter breaks it.
 * @param tokens what `LOCK_FOLDER_HELD` names
 * @return the record of the hold that we are inside of, or null
 * @throws FolderUnusable if the lock folder cannot be used
 */
export async function holdAround(
  site: Site,
  tokens: readonly string[],
): Promise<HolderRecord | null> {
  if (tokens.length === 0) return null;
  try {
    await checkFolder(site);
    const look = await lookAtLock(site);
    if (look.standing !== "lock") return null;
    const holder = await holderEvidence(site, look);
    if (typeof holder === "string" || isDead(holder)) return null;
    return tokens.includes(holder.record.token) ? holder.record : null;
  } catch (failure) {
    throw await explain(site, failure);
  }
}

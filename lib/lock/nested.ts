/** Calls from inside a hold: a command that already runs under the lock must not wait for itself. */

import { speakingRecord } from "../core/still_ours.ts";
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
  const record = speakingRecord(await lookAtLock(site));
  return record && tokens.includes(record.token) ? record : null;
}

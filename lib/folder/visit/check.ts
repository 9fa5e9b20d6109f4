/** `check`: whether the caller still holds the lock, asked before a step that cannot be undone. */

import { NotHolder } from "../../lock/failures.ts";
import type { Claimant } from "../../lock/service.ts";
import type { HolderView } from "../../lock/views.ts";
import type { Judged } from "../verdict/look_and_judge.ts";
import type { HolderRecord } from "../state/record.ts";
import { standingLock, viewHolder } from "./holder_view.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import { isDead } from "../verdict/judge.ts";
import { holderEvidence } from "../verdict/evidence.ts";
import { lookAtLock } from "../look.ts";

/** @throws NotHolder unless the present hold is the claimant's */
export async function checkHold(site: Site, claimant: Claimant): Promise<void> {
  try {
    await checkFolder(site);
    const judged = await standingLock(site);
    const holder = await viewHolder(site, judged);
    if (isTheirs(judged, holder, claimant)) {
      if (judged.verdict.verdict === "held") return;
      throw new NotHolder(site.paths.lock, "dead", holder);
    }
    const fences = claimant.by === "fence"
      ? { asked: claimant.fence, present: judged.record?.fence ?? null }
      : null;
    throw new NotHolder(site.paths.lock, "held by another", holder, fences);
  } catch (failure) {
    throw await explain(site, failure);
  }
}

/** Whether the present hold is that of the claimant. */
export function isTheirs({ record }: Judged, holder: HolderView, claimant: Claimant): boolean {
  return record
    ? isHoldOf(record, claimant)
    : claimant.by === "slug" && claimant.slug === holder.slug;
}

function isHoldOf(record: HolderRecord, claimant: Claimant): boolean {
  switch (claimant.by) {
    case "tokens":
      return claimant.tokens.includes(record.token);
    case "fence":
      return claimant.fence === record.fence;
    case "slug":
      return claimant.slug === record.slug;
  }
}

// Calls from inside a hold: a command that already runs under the lock must not wait for itself.

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

/** `check`: whether the caller still holds the lock, asked before a step that cannot be undone. */

import { NotHolder } from "../../lock/failures.ts";
import type { Claimant } from "../../lock/service.ts";
import type { HolderRecord } from "../state/record.ts";
import { viewHolder } from "./holder_view.ts";
import { standingLock } from "./standing_lock.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";

/** @throws NotHolder unless the present hold is the claimant's */
export async function checkHold(site: Site, claimant: Claimant): Promise<void> {
  try {
    await checkFolder(site);
    const judged = await standingLock(site);
    const holder = await viewHolder(site, judged);
    if (judged.record && isHoldOf(judged.record, claimant)) {
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

function isHoldOf(record: HolderRecord, claimant: Claimant): boolean {
  return claimant.by === "tokens"
    ? claimant.tokens.includes(record.token)
    : record.fence === claimant.fence;
}

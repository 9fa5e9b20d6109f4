/** `check`: whether the caller still holds the lock, asked before a step that cannot be undone. */

import { NotHolder } from "../../lock/failures.ts";
import type { HolderRecord } from "../state/record.ts";
import { NO_AGE_MS } from "../verdict/verdict.ts";
import { judgeLock } from "../removal/break.ts";
import { viewHolder } from "./holder_view.ts";
import { lookAtLock, refuseOther } from "../look.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";

/** Whom the caller says it is: by the tokens that it inherited, or by a fence number. */
export type Claimant =
  | { readonly by: "tokens"; readonly tokens: readonly string[] }
  | { readonly by: "fence"; readonly fence: number };

/** @throws NotHolder unless the present hold is the claimant's */
export async function checkHold(site: Site, claimant: Claimant): Promise<void> {
  try {
    await checkFolder(site);
    const look = await lookAtLock(site);
    refuseOther(site, look);
    if (look.standing !== "lock") throw new NotHolder(site.paths.lock, "not held", null);
    const judged = await judgeLock(site, look, NO_AGE_MS);
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

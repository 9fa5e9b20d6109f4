/** `renew`: an `acquire` hold, which has no process to beat for it, freshens its lock. */

import { FolderUnusable, NotHolder } from "../../lock/failures.ts";
import { type HolderRecord, type LockLook, recordOnDisk, recordTie } from "../state/record.ts";
import type { HoldState } from "../still_ours.ts";
import { standingLock, viewHolder } from "./holder_view.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";

/** A beat that was held up between looking and writing is dropped, and tried anew this often. */
const TRIES = 3;

/**
 * @throws NotHolder if nothing is held, another holds it, or it is a `run` hold, which beats by itself;
 *   FolderUnusable if it could not be freshened
 */
export async function renewBySlug(site: Site, slug: string): Promise<void> {
  try {
    await checkFolder(site);
    for (let tries = 0; tries < TRIES; tries++) {
      if (await renewOnce(site, slug)) return;
    }
    const reason = "held up between looking and writing, again and again";
    throw new FolderUnusable(site.paths.lock, { kind: "io", operation: "renew", reason });
  } catch (failure) {
    throw await explain(site, failure);
  }
}

async function renewOnce(site: Site, slug: string): Promise<boolean> {
  const judged = await standingLock(site);
  const { look } = judged;
  const holder = await viewHolder(site, judged);
  if (holder.slug !== slug) throw new NotHolder(site.paths.lock, "held by another", holder);
  if (judged.verdict.verdict === "stale") throw new NotHolder(site.paths.lock, "dead", holder);
  if (holder.mode === "run") throw new NotHolder(site.paths.lock, "beats by itself", holder);
  const record = judged.record ?? touchedRecord(look, slug);
  if (!record) return await freshenForeign(site);
  const now = await site.sys.clock.moment();
  const state: HoldState = {
    record,
    memory: {
      token: record.token,
      leftMtimeMs: look.mtimeMs,
      birthtimeMs: look.birthtimeMs,
      beatAt: {
        monotonicMs: now.monotonicMs - judged.ageMs,
        wallMs: now.wallMs - judged.ageMs,
      },
      staleMs: record.stale * 1000,
    },
  };
  return (await site.procedures.beat(site, state)).outcome === "ours";
}

/** Where birth times tell nothing, a touched `acquire` hold is believed to be that of who renews it. */
function touchedRecord(look: LockLook, slug: string): HolderRecord | null {
  const record = recordOnDisk(look);
  const isOwn = record?.slug === slug && record.mode === "acquire" && recordTie(look) !== "none";
  return isOwn ? record : null;
}

/** A peer that left no record, and that the log names by this slug. */
async function freshenForeign(site: Site): Promise<boolean> {
  await site.sys.files.setMtime(site.paths.lock, await site.clock.nowMs());
  return true;
}

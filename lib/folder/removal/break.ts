/** Breaking a stale lock: somebody else's, after a verdict with evidence, by the right to remove. */

import { recordByMtime, recordOnDisk } from "../state/record.ts";
import { type Judged, judgeLock } from "../verdict/look_and_judge.ts";
import { holderInLog } from "../../log/tail.ts";
import { log, logIfPossible, logTail } from "../audit.ts";
import { tidyLifelines } from "../state/lifeline.ts";
import { refuseKept } from "../place/kept_from_us.ts";
import { lookAtLock } from "../look.ts";
import type { Site } from "../site.ts";
import { tidy } from "../state/state_files.ts";
import type { Removal, Removed } from "./request.ts";

/**
 * Removes a lock that was judged stale, if it is still the same one and still stale once the right to remove
 * is ours.
 * @param slug the breaker's
 * @param judged the verdict that says so
 */
export async function breakLock(
  site: Site,
  slug: string,
  judged: Judged,
  staleMs: number,
): Promise<Removed> {
  const record = recordByMtime(judged.look);
  const holderOf = async (judged: Judged) =>
    judged.record?.slug ?? holderInLog(await logTail(site));
  await refuseKept(site, () => holderOf(judged));
  let again = judged;
  let saidSo = false;
  let isRemoved = false;
  const removal: Removal = {
    slug,
    lockToken: recordOnDisk(judged.look)?.token ?? null,
    lookAgain: async () => {
      // Read anew, for it may have been set; and before the look, so that a beat which we missed counts.
      const folderMs = await site.clock.readMs();
      if (folderMs === null) return null;
      const look = await lookAtLock(site);
      if (look.standing !== "lock" || look.mtimeMs !== judged.look.mtimeMs) return null;
      if ((recordByMtime(look)?.token ?? null) !== (record?.token ?? null)) return null;
      again = await judgeLock(site, look, staleMs, folderMs);
      return again.verdict.verdict === "stale" ? look : null;
    },
    announce: async () => {
      // A breaker that was late breaks it in a second try: that is one break.
      if (saidSo) return;
      const { verdict } = again;
      const isStale = verdict.verdict === "stale";
      const reason = isStale ? verdict.reason : "expired";
      const ageMs = (isStale ? verdict.ageMs : undefined) ?? again.ageMs;
      await log(site, slug, {
        event: "stale_break",
        ageMs,
        reason,
        holder: await holderOf(again),
      });
      saidSo = true;
    },
    // The one that has the right is about to remove this very lock, or to withdraw: look again soon instead.
    mayBeAnothers: true,
    patienceMs: 0,
  };
  try {
    const removed = await site.procedures.removeLock(site, removal);
    isRemoved = removed.outcome === "removed";
    if (isRemoved) await tidyAfterBreak(site, recordOnDisk(judged.look)?.token ?? null);
    return removed;
  } finally {
    // The lock stands on, for a reason that nobody could know before: the log must not tell of a break.
    if (saidSo && !isRemoved) {
      await logIfPossible(site, slug, { event: "not_removed", holder: await holderOf(again) });
    }
  }
}

async function tidyAfterBreak(site: Site, recordToken: string | null): Promise<void> {
  const nowMs = await site.clock.nowMs();
  await tidy(site.sys.files, site.paths, nowMs);
  await tidyLifelines(site, nowMs, recordToken);
}

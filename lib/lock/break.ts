/** Breaking a stale lock: somebody else's, after a verdict with evidence, by the right to remove. */

import type { HolderRecord } from "../core/record.ts";
import { judge, type Verdict } from "../core/verdict.ts";
import { recordByMtime, recordOnDisk } from "../core/record_tie.ts";
import { lastInLog, log, logIfPossible } from "./audit.ts";
import { gatherEvidence, type StandingLock } from "./evidence.ts";
import { tidyLifelines } from "./lifeline.ts";
import { refuseKept } from "./kept_from_us.ts";
import { lookAtLock } from "./look.ts";
import type { Removal, Removed } from "./remove.ts";
import type { Site } from "./site.ts";
import { tidy } from "./state_files.ts";

export interface Judged {
  readonly look: StandingLock;
  /** The record that speaks for the lock, if one does. */
  readonly record: HolderRecord | null;
  readonly ageMs: number;
  readonly verdict: Verdict;
}

/**
 * Gathers the evidence on what stands there, and judges.
 * @param folderMs the file system's clock, if it was read just before that look
 */
export async function judgeLock(
  site: Site,
  look: StandingLock,
  staleMs: number,
  folderMs: number | null = null,
): Promise<Judged> {
  const evidence = await gatherEvidence(site, look, folderMs);
  const record = typeof evidence.holder === "object" ? evidence.holder.record : null;
  return { look, record, ageMs: evidence.ageMs, verdict: judge(evidence, staleMs) };
}

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
  const holderOf = async (judged: Judged) => judged.record?.slug ?? await lastInLog(site);
  await refuseKept(site, () => holderOf(judged));
  const announcedAs = `${judged.look.mtimeMs} ${record?.token}`;
  let again = judged;
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
      // Who was late, or was kept from going on, breaks it in a second try: that is one break.
      if (site.announced.has(announcedAs)) return;
      const { verdict, ageMs } = again;
      const reason = verdict.verdict === "stale" ? verdict.reason : "expired";
      await log(site, slug, {
        event: "stale_break",
        ageMs,
        reason,
        holder: await holderOf(again),
      });
      site.announced.add(announcedAs);
    },
    // Whoever has the right is about to remove this very lock, or to withdraw: look again soon instead.
    patienceMs: 0,
  };
  const removed = await site.procedures.removeLock(site, removal).catch(async (failure) => {
    // The lock stands on, for a reason that nobody could know before: the log must not tell of a break.
    if (site.announced.delete(announcedAs)) {
      const holder = await holderOf(again);
      await logIfPossible(site, slug, { event: "not_removed", holder });
    }
    throw failure;
  });
  if (removed.outcome === "removed") {
    const nowMs = await site.clock.nowMs();
    await tidy(site.sys.files, site.paths, nowMs);
    await tidyLifelines(site, nowMs, recordOnDisk(judged.look)?.token ?? null);
  }
  return removed;
}

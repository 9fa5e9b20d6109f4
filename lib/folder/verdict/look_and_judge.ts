/** The verdict on the lock that stands there: the evidence gathered, and judged. */

import type { HolderRecord } from "../state/record.ts";
import type { Site } from "../site.ts";
import { gatherEvidence, type StandingLock } from "./evidence.ts";
import type { Verdict } from "./findings.ts";
import { resumeSightings } from "./sightings.ts";
import { judge } from "./judge.ts";

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
  const judged = await judgeOnce(site, look, staleMs, folderMs);
  const isWatched = judged.verdict.verdict === "held" && judged.verdict.isWatched;
  return isWatched && await resumeSightings(site)
    ? await judgeOnce(site, look, staleMs, folderMs)
    : judged;
}

async function judgeOnce(
  site: Site,
  look: StandingLock,
  staleMs: number,
  folderMs: number | null,
): Promise<Judged> {
  const evidence = await gatherEvidence(site, look, folderMs);
  const record = typeof evidence.holder === "object" ? evidence.holder.record : null;
  return { look, record, ageMs: evidence.ageMs, verdict: judge(evidence, staleMs) };
}

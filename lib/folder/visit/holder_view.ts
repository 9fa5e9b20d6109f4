/** The holder, for people: from the record that belongs, or from the log for a peer that leaves none. */

import type { HolderView, Oddity, Trace } from "../../lock/views.ts";
import type { Verdict } from "../verdict/findings.ts";
import { recordOnDisk, recordTie } from "../state/record.ts";
import { holderInLog } from "../../log/tail.ts";
import { logTail } from "../audit.ts";
import { type Judged, judgeLock } from "../verdict/look_and_judge.ts";
import { whoRemoves } from "../removal/removal.ts";
import type { Site } from "../site.ts";
import { NEVER_STALE_MS } from "../../lock/times.ts";
import { NotHolder } from "../../lock/failures.ts";
import { lookAtLock, refuseOther } from "../look.ts";

/** One of ours has written its record long before, even on a slow share. */
const NEW_FOR_MS = 1000;

export async function viewHolder(site: Site, judged: Judged): Promise<HolderView> {
  const { record, verdict, ageMs } = judged;
  const end = viewEnd(judged);
  const judgement = { ...end, oddity: oddityOf(verdict, end.why) };
  if (!record) {
    const slug = await whoLogged(site, judged);
    const isNew = slug === null && ageMs < NEW_FOR_MS;
    const bare = { slug, mode: null, pid: null, host: null, sinceMs: null, isNew, ...judgement };
    return isNew ? bare : { ...bare, trace: await traceOf(site, judged) };
  }
  const { slug, mode, pid, machine, acquiredAt, note } = record;
  const { host } = machine;
  const told = note === undefined ? {} : { note };
  return { slug, mode, pid, host, sinceMs: acquiredAt, isNew: false, ...told, ...judgement };
}

/** A birth time that is zero is none. */
async function traceOf({ sys }: Site, { look }: Judged): Promise<Trace> {
  const { uid, birthtimeMs, mtimeMs } = look;
  const name = uid === null ? null : await sys.processes.userName(uid);
  const owner = name ?? (uid === null ? null : `uid ${uid}`);
  return { owner, sinceMs: birthtimeMs || mtimeMs };
}

/** How the verdict is told, and when age will end the hold: never, while something lies in the lock. */
function viewEnd({ verdict, look }: Judged): Pick<HolderView, "why" | "expiresInMs" | "isWatched"> {
  const { why } = verdict;
  if (look.entries.length > 0) return { why: `${why}; nobody can break it while it is not empty` };
  if (verdict.verdict === "stale" || verdict.expiresInMs === undefined) return { why };
  const { expiresInMs, isWatched } = verdict;
  return { why, expiresInMs, ...(isWatched && { isWatched }) };
}

/** Of a lock that is stale and stands all the same: with who is in the way of its removal, if somebody is. */
export async function viewStaleHolder(site: Site, judged: Judged): Promise<HolderView> {
  const holder = await viewHolder(site, judged);
  const remover = await whoRemoves(site);
  if (!remover) return holder;
  const short = remover.sight === "stopped" ? "its removal stopped" : "its removal under way";
  const oddity = { short, why: remover.why, isOrphan: false, isOutOfSight: false, isRemoval: true };
  return { ...holder, oddity };
}

/** The log names who acquired last. If that was the hold of the record, and the lock is another, it tells nothing. */
async function whoLogged(site: Site, { look }: Judged): Promise<string | null> {
  const slug = holderInLog(await logTail(site));
  const before = recordOnDisk(look);
  return before?.slug === slug && recordTie(look) === "none" ? null : slug;
}

/**
 * @param why the verdict, as it is told
 * @return null where all is as it should be
 */
export function oddityOf(verdict: Verdict, why: string): Oddity | null {
  if (verdict.verdict === "stale") return null;
  const kinds = [
    ...(verdict.orphan || verdict.outOfSight ? ["its wrapper gone"] : []),
    ...(verdict.stopped.length > 0 ? ["stopped"] : []),
    ...(verdict.silent || verdict.isMissed ? ["silent"] : []),
  ];
  return kinds.length === 0 ? null : {
    short: kinds.join(", "),
    why,
    isOrphan: verdict.orphan,
    isOutOfSight: verdict.outOfSight ?? false,
    ...(verdict.isMissed && { isMissed: true }),
  };
}

// The lock as those find it who ask for a hold that should be there.

/** @throws NotHolder if none stands there; FolderUnusable if something else does */
export async function standingLock(site: Site): Promise<Judged> {
  const look = await lookAtLock(site);
  refuseOther(site, look);
  if (look.standing === "lock") return await judgeLock(site, look, NEVER_STALE_MS);
  // Without a log `report` cannot tell what became of it: then the lock that was named is likely to be the wrong one.
  const hasLog = await site.sys.files.entry(site.paths.log).catch(() => undefined) !== null;
  throw new NotHolder(site.paths.lock, hasLog ? "not held" : "never held", null);
}

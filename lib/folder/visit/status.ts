/** What is to be seen of a lock just now, without taking part. */

import { expectedWaitMs } from "../../lock/times.ts";
import { lastHold, medianHoldMs } from "../../log/tail.ts";
import {
  type HolderRecord,
  parseWhoAndWhere,
  RECORD_LARGEST_BYTES,
  type WhoAndWhere,
} from "../state/record.ts";
import type {
  AbsentView,
  HoldView,
  StatusView,
  VerdictView,
  WaiterView,
} from "../../lock/views.ts";
import { isLockName, isNote } from "../../words/slugs.ts";
import type { Verdict } from "../verdict/findings.ts";
import { folderItself, ticketPath } from "../state/layout.ts";
import { logTail } from "../audit.ts";
import { judgeLock } from "../verdict/look_and_judge.ts";
import { whoRemoves } from "../removal/removal.ts";
import { viewHolder } from "./holder_view.ts";
import { readLifeline, seeWho, UNSEEN } from "../state/lifeline.ts";
import { lookAtLock, refuseOther } from "../look.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import { placesStanding } from "../line/places.ts";
import { ticketsInOrder } from "../line/ticket.ts";

/** @param staleMs by which the verdict is given */
export async function lookAtStatus(site: Site, staleMs: number): Promise<StatusView> {
  try {
    await checkFolder(site);
    const look = await lookAtLock(site);
    refuseOther(site, look);
    const judged = look.standing === "lock" ? await judgeLock(site, look, staleMs) : null;
    const tail = await logTail(site);
    const nowMs = await site.sys.clock.wallMs();
    return {
      lock: site.paths.lock,
      held: judged && {
        holder: await viewHolder(site, judged),
        hold: judged.record && await lookAtHold(site, judged.record),
        verdict: viewVerdict(judged.verdict),
        ageMs: judged.ageMs,
        entries: judged.look.entries,
        remover: await whoRemoves(site),
      },
      queue: await lookAtQueue(site, {
        holdMs: medianHoldMs(tail),
        heldForMs: judged?.record ? nowMs - judged.record.acquiredAt : judged?.ageMs ?? null,
        nowMs,
      }),
      absent: await lookAtAbsent(site),
      lastHold: lastHold(tail),
    };
  } catch (failure) {
    throw await explain(site, failure);
  }
}

/** The names of all locks of this folder, those too that nobody holds now. */
export async function locksBeside(site: Site): Promise<string[]> {
  try {
    await checkFolder(site);
    const found = await site.sys.files.list(folderItself(site.paths)) ?? [];
    const names = found.flatMap((name) => /^(.+)\.(?:lock|log|state)$/.exec(name)?.[1] ?? []);
    return [...new Set(names)].filter(isLockName).sort();
  } catch (failure) {
    throw await explain(site, failure);
  }
}

/** Where file locks are mandatory the lifeline of a hold that lives cannot be read: its command line is not shown. */
async function lookAtHold(site: Site, record: HolderRecord): Promise<HoldView> {
  const told = record.command ? await readLifeline(site, record.token) : null;
  return viewHold(record, told?.command ?? []);
}

/**
 * What a record tells of its hold.
 * @param command the words that the lifeline tells; none if it tells nothing
 */
export function viewHold(
  { childPid, fence, beat, heartbeatSeconds }: HolderRecord,
  command: readonly string[],
): HoldView {
  return {
    command: command.length > 0 ? command : null,
    childPid,
    fence,
    beat,
    heartbeatMs: heartbeatSeconds * 1000,
  };
}

/** Without what only a judge needs. */
export function viewVerdict(verdict: Verdict): VerdictView {
  const { why } = verdict;
  if (verdict.verdict === "stale") {
    return { state: "stale", reason: verdict.reason, why, silent: false, stopped: [] };
  }
  const { silent, stopped } = verdict;
  return { state: "held", reason: null, why, silent, stopped };
}

interface Present {
  readonly holdMs: number | null;
  /** Null if the lock is free. */
  readonly heldForMs: number | null;
  readonly nowMs: number;
}

async function lookAtQueue(site: Site, present: Present): Promise<WaiterView[]> {
  const waiters: WaiterView[] = [];
  for (const name of await ticketsInOrder(site)) {
    const content = await site.sys.files.read(ticketPath(site.paths, name), RECORD_LARGEST_BYTES)
      .catch(() => null);
    if (!content) continue;
    const who = parseWhoAndWhere(content.text);
    const seen = who ? await seeWho(site, who) : UNSEEN;
    // Killed in the line: whoever comes next takes its ticket away.
    if (seen.life === "gone") continue;
    waiters.push({ ...viewWaiter(who, waiters.length + 1, present), stopped: seen.stopped });
  }
  return waiters;
}

/** Only looked at: what is over is tidied by those that wait. */
async function lookAtAbsent(site: Site): Promise<AbsentView[]> {
  const names = await ticketsInOrder(site);
  const nowMs = await site.clock.nowMs();
  return (await placesStanding(site)).filter(({ untilMs }) => untilMs > nowMs).map((place) => ({
    slug: place.slug,
    ahead: names.filter((name) => name < place.name).length,
    keptForMs: place.untilMs - nowMs,
  }));
}

function viewWaiter(
  who: (WhoAndWhere & { waitingSince?: unknown; note?: unknown }) | null,
  place: number,
  { holdMs, heldForMs, nowMs }: Present,
): Omit<WaiterView, "stopped"> {
  const since = typeof who?.waitingSince === "number" ? who.waitingSince : null;
  const ahead = place - 1 + (heldForMs === null ? 0 : 1);
  return {
    place,
    slug: who?.slug ?? null,
    pid: who?.pid ?? null,
    host: who?.machine.host ?? null,
    note: typeof who?.note === "string" && isNote(who.note) ? who.note : null,
    waitedMs: since === null ? null : Math.max(0, nowMs - since),
    expectedMs: holdMs === null ? null : expectedWaitMs(ahead, holdMs, heldForMs ?? 0),
  };
}

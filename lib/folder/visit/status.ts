/** What is to be seen of a lock just now, without taking part. */

import { expectedWaitMs, holdsAhead } from "../../lock/times.ts";
import { lastHold, medianHoldMs, medianOfTails } from "../../log/tail.ts";
import {
  type HolderRecord,
  parseWhoAndWhere,
  RECORD_LARGEST_BYTES,
  type WhoAndWhere,
} from "../state/record.ts";
import type {
  AbsentView,
  HeldView,
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
import { checkFolder, explain, siteOfFault } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import { placesStanding } from "../line/places.ts";
import { ticketsInOrder } from "../line/ticket.ts";

/** @param staleMs by which the verdict is given */
export async function lookAtStatus(site: Site, staleMs: number): Promise<StatusView> {
  try {
    await checkFolder(site);
    const { held, sinceMs, tail } = await lookAtOne(site, staleMs);
    const holds = { slots: 1, holdMs: medianHoldMs(tail), heldSinceMs: sinceMs };
    return {
      lock: site.paths.lock,
      held,
      queue: await lookAtQueue(site, holds),
      absent: await lookAtAbsent(site),
      lastHold: lastHold(tail),
    };
  } catch (failure) {
    throw await explain(site, failure);
  }
}

/** As `lookAtStatus()`, of a lock with slots. */
export async function lookAtSlots(line: Site, staleMs: number): Promise<StatusView> {
  try {
    await checkFolder(line);
    const seen = [];
    for (const site of line.slots!) {
      seen.push({ slot: site.slot!, ...await lookAtOne(site, staleMs) });
    }
    const times = seen.map(({ sinceMs }) => sinceMs);
    return {
      lock: line.paths.lock,
      held: null,
      slots: seen.map(({ slot, held, tail }) => ({ slot, held, lastHold: lastHold(tail) })),
      queue: await lookAtQueue(line, {
        slots: seen.length,
        holdMs: medianOfTails(seen.map(({ tail }) => tail)),
        // The one that has been held for longest is likely to come free first.
        heldSinceMs: times.includes(null) ? null : Math.min(...times as number[]),
      }),
      absent: await lookAtAbsent(line),
      lastHold: null,
    };
  } catch (failure) {
    throw await explain(siteOfFault(line, failure), failure);
  }
}

/** One lock, or one slot. `sinceMs`: since when it is held; null if it is free. */
async function lookAtOne(
  site: Site,
  staleMs: number,
): Promise<{ held: HeldView | null; sinceMs: number | null; tail: string }> {
  const look = await lookAtLock(site);
  refuseOther(site, look);
  const tail = await logTail(site);
  if (look.standing === "nothing") return { held: null, sinceMs: null, tail };
  const judged = await judgeLock(site, look, staleMs);
  const held = {
    holder: await viewHolder(site, judged),
    hold: judged.record && await lookAtHold(site, judged.record),
    verdict: viewVerdict(judged.verdict),
    ageMs: judged.ageMs,
    entries: judged.look.entries,
    remover: await whoRemoves(site),
  };
  const bareSinceMs = await site.sys.clock.wallMs() - judged.ageMs;
  return { held, sinceMs: judged.record?.acquiredAt ?? bareSinceMs, tail };
}

/** The names of all locks of this folder, those too that nobody holds now. */
export async function locksBeside(site: Site): Promise<string[]> {
  try {
    await checkFolder(site);
    const found = await site.sys.files.list(folderItself(site.paths)) ?? [];
    const names = found.flatMap((name) => /^(.+)\.(?:lock|log|state|slots)$/.exec(name)?.[1] ?? []);
    const counted = found.flatMap((name) => /^(.+)\.slots$/.exec(name)?.[1] ?? []);
    const isSlot = (name: string) => counted.some((lock) => name.startsWith(`${lock}.`));
    return [...new Set(names)].filter((name) => isLockName(name) && !isSlot(name)).sort();
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

/** What the estimate of a wait goes by. */
interface Present {
  readonly slots: number;
  readonly holdMs: number | null;
  /** Null if the lock, or one of its slots, is free. */
  readonly heldSinceMs: number | null;
}

async function lookAtQueue(site: Site, holds: Present): Promise<WaiterView[]> {
  const present = { ...holds, nowMs: await site.sys.clock.wallMs() };
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
  { slots, holdMs, heldSinceMs, nowMs }: Present & { readonly nowMs: number },
): Omit<WaiterView, "stopped"> {
  const since = typeof who?.waitingSince === "number" ? who.waitingSince : null;
  const heldForMs = heldSinceMs === null ? 0 : nowMs - heldSinceMs;
  const ahead = holdsAhead(place, slots, heldSinceMs !== null);
  return {
    place,
    slug: who?.slug ?? null,
    pid: who?.pid ?? null,
    host: who?.machine.host ?? null,
    note: typeof who?.note === "string" && isNote(who.note) ? who.note : null,
    waitedMs: since === null ? null : Math.max(0, nowMs - since),
    expectedMs: holdMs === null ? null : expectedWaitMs(ahead, holdMs, heldForMs),
  };
}

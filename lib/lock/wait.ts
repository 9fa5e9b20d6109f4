/**
 * Waiting in line until mkdir grants the lock.
 *
 * Guarantee: our waiters are served in order of arrival, and nobody waits for ever for one that is frozen or
 * dead. Not guaranteed: order against foreign peers, who may barge in; or after the state folder was
 * deleted. The line is advice: only mkdir grants.
 */

import type { Moment } from "../core/elapsed.ts";
import { FolderUnusable, type HolderView } from "../core/failures.ts";
import { faultCode } from "../core/faults.ts";
import { tokenOfTicket, type Turn } from "../core/line.ts";
import { folderItself, lifelinePath, ticketPath } from "../core/paths.ts";
import type { AcquireRequest, WaitObserver } from "./acquire.ts";
import { breakLock, judgeLock } from "./break.ts";
import { viewHolder } from "./holder_view.ts";
import { lookAtLock, refuseOther } from "./look.ts";
import { folderUnusable } from "./obstacles.ts";
import { type Look, Progress } from "./progress.ts";
import { Readiness } from "./readiness.ts";
import type { Site } from "./site.ts";
import type { Ticket } from "./ticket.ts";
import { type WakeUpKind, WakeUps } from "./wake_ups.ts";

export type WaitOutcome =
  | { readonly outcome: "granted"; readonly grantedAt: Moment; readonly place: number }
  | { readonly outcome: "timeout"; readonly holder: HolderView | null; readonly place: number };

/**
 * @param ticket our place in line
 * @param deadlineMs on the monotonic clock; null waits for ever
 * @throws the reason of `request.interrupt` if that was aborted
 */
export async function waitInLine(
  site: Site,
  request: AcquireRequest,
  ticket: Ticket,
  deadlineMs: number | null,
  observer: WaitObserver,
): Promise<WaitOutcome> {
  const { clock, random } = site.sys;
  const { interrupt } = request;
  const wakeUps = new WakeUps(site, wakeUpKind(request));
  const ring = () => wakeUps.ring();
  interrupt?.addEventListener("abort", ring);
  const progress = new Progress();
  const readiness = new Readiness(observer);
  let firstPlace = 0;
  try {
    for (;;) {
      interrupt?.throwIfAborted();
      const turn = await ticket.turn((ahead) => wakeUps.waitsOn(lifelineOfTicket(site, ahead)));
      firstPlace ||= turn.place;
      const nowMs = await clock.monotonicMs();
      const mayTry = progress.mayTry(turn, nowMs);
      const look = await lookOnce(site, request, mayTry, observer);
      if (look.kind === "granted") {
        return { outcome: "granted", grantedAt: look.grantedAt, place: firstPlace };
      }
      const holder = look.kind === "standing" ? await viewHolder(site, look.judged) : null;
      progress.note(look, turn, nowMs);
      await observer.looked?.({ holder, place: turn.place });
      const leftMs = deadlineMs === null ? Infinity : deadlineMs - await clock.monotonicMs();
      if (leftMs <= 0) return { outcome: "timeout", holder, place: turn.place };
      if (look.kind === "vanished") continue;
      if (await armed(site, wakeUps, turn, look)) continue;
      const readyInMs = readiness.dueInMs(turn.place, nowMs);
      if (readyInMs <= 0) {
        await readiness.getReady(ticket.token, wakeUps);
        continue;
      }
      const nextMs = progress.nextLookMs({
        pollMs: longestPollMs(request, turn),
        willBeWoken: request.wakeUps === "sure" && wakeUps.isChained(),
        fraction: await random.fraction(),
        nowMs,
      });
      await wakeUps.sleep(Math.min(nextMs, leftMs, readyInMs));
    }
  } finally {
    interrupt?.removeEventListener("abort", ring);
    await wakeUps.close();
  }
}

function wakeUpKind({ wakeUps, goesOn }: AcquireRequest): WakeUpKind {
  if (wakeUps === "none") return "none";
  return goesOn ? "watch" : "file locks";
}

/** A watch does not tell that the holder has died. Who is next looks this often, where a look is cheap. */
const DEATH_POLL_MS = 1000;

function longestPollMs({ pollMs, wakeUps, goesOn }: AcquireRequest, { place }: Turn): number {
  return goesOn && wakeUps === "sure" && place === 1 ? Math.min(pollMs, DEATH_POLL_MS) : pollMs;
}

/** One try of mkdir if we may, else only a look; a stale lock is broken by whoever may try. */
async function lookOnce(
  site: Site,
  request: AcquireRequest,
  mayTry: boolean,
  observer: WaitObserver,
): Promise<Look> {
  if (mayTry) {
    const grantedAt = await tryMkdir(site);
    if (grantedAt !== null) return { kind: "granted", grantedAt };
  }
  const look = await lookAtLock(site);
  refuseOther(site, look);
  if (look.standing === "nothing") return await freeLook(site, mayTry);
  const judged = await judgeLock(site, look, request.staleMs);
  if (judged.verdict.verdict === "held" || !mayTry) return { kind: "standing", judged };
  if (look.entries.length > 0) {
    throw new FolderUnusable(site.paths.lock, { kind: "lock not empty", entries: look.entries });
  }
  const holder = await viewHolder(site, judged);
  const { outcome } = await breakLock(site, request.slug, judged, request.staleMs);
  // Another has the right to remove, and is at it.
  if (outcome !== "removed") return { kind: "standing", judged };
  observer.broke?.(holder);
  const grantedAt = await tryMkdir(site);
  return grantedAt === null ? { kind: "vanished" } : { kind: "granted", grantedAt };
}

/** The lock is free; that its folder has gone away altogether must be an error, not an endless wait. */
async function freeLook(site: Site, mayTry: boolean): Promise<Look> {
  if (mayTry) return { kind: "vanished" };
  const folder = await site.sys.files.entry(folderItself(site.paths));
  if (!folder) throw folderUnusable(site, "it went away during the wait", null);
  return { kind: "free" };
}

/**
 * The only step that grants.
 * @return the moment before the mkdir that succeeded, or null if the lock stands
 */
export async function tryMkdir(site: Site): Promise<Moment | null> {
  const now = await site.sys.clock.moment();
  try {
    await site.sys.files.makeFolder(site.paths.lock);
    return now;
  } catch (fault) {
    if (faultCode(fault) === "EEXIST") return null;
    throw fault;
  }
}

/** Makes sure that what can wake us will. True if something new was armed: then look once more before waiting. */
async function armed(site: Site, wakeUps: WakeUps, turn: Turn, look: Look): Promise<boolean> {
  const record = look.kind === "standing" ? look.judged.record : null;
  const lifeline = turn.ahead !== null
    ? lifelineOfTicket(site, turn.ahead)
    : record && lifelinePath(site.paths, record.token);
  const ticket = turn.ahead && ticketPath(site.paths, turn.ahead);
  const newChain = await wakeUps.waitOn(lifeline, ticket);
  const newWatch = turn.place === 1 && await wakeUps.watchLock();
  return newChain || newWatch;
}

function lifelineOfTicket(site: Site, ticket: string): string {
  return lifelinePath(site.paths, tokenOfTicket(ticket));
}

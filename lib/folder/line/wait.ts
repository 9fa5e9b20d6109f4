/**
 * Waiting in line until mkdir grants the lock.
 *
 * Guarantee: our waiters are served in order of arrival, and nobody waits for ever for one that is frozen or
 * dead. Not guaranteed: order against foreign peers, who may barge in; or after the state folder was
 * deleted. The line is advice: only mkdir grants.
 */

import type { Moment } from "../../sys/elapsed.ts";
import { FolderUnusable } from "../../lock/failures.ts";
import { tokenOfTicket, type Turn } from "./order.ts";
import { folderItself, lifelinePath, ticketPath } from "../state/layout.ts";
import type { AcquireRequest, UnansweredCall, WaitLook, WaitObserver } from "../../lock/service.ts";
import { isUnanswered, patiently, SILENT_PAUSE_MS } from "../unanswered_calls.ts";
import { breakLock } from "../removal/break.ts";
import { keepSightings } from "../verdict/sightings.ts";
import { judgeLock } from "../verdict/look_and_judge.ts";
import { inTime, tryInTime, type Wish } from "../grant.ts";
import { viewHolder, viewStaleHolder } from "../visit/holder_view.ts";
import { lookAtLock, refuseOther } from "../look.ts";
import { grantsFileLocks } from "../place/mount_trust.ts";
import { folderUnusable } from "../place/obstacles.ts";
import { type Look, Progress, Readiness } from "./progress.ts";
import type { Site, SiteMount } from "../site.ts";
import type { Ticket } from "./ticket.ts";
import { findTwin } from "./twin.ts";
import { type WakeUpKind, WakeUps } from "./wake_ups.ts";

export type WaitOutcome =
  | { readonly outcome: "granted"; readonly grantedAt: Moment; readonly place: number }
  | WaitLook & { readonly outcome: "timeout"; readonly unanswered: UnansweredCall | null };

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
  const wish = { request, token: ticket.token, deadlineMs, observer };
  return await new Wait(site, wish, ticket).last();
}

/**
 * So often a lock may stand in the way of mkdir and be gone when it is looked at, with no pause before the next try: a
 * share may go on saying that it is gone.
 */
const VANISHES = 5;

/** What one round has found. */
interface Round {
  readonly turn: Turn;
  readonly look: Look;
  /** When it looked, on the monotonic clock. */
  readonly nowMs: number;
}

/** One wait, round by round: look, decide, arm what wakes us, sleep. */
class Wait {
  readonly #site: Site;
  readonly #wish: Wish;
  readonly #ticket: Ticket;
  readonly #wakeUps: WakeUps;
  readonly #progress = new Progress();
  readonly #readiness: Readiness;
  #firstPlace = 0;
  #hasLooked = false;
  #vanished = 0;
  #seen: WaitLook = { holder: null, place: 0 };

  constructor(site: Site, wish: Wish, ticket: Ticket) {
    this.#site = site;
    this.#wish = wish;
    this.#ticket = ticket;
    this.#wakeUps = new WakeUps(site, wakeUpKind(site.mount, wish.request));
    this.#readiness = new Readiness(wish.observer);
  }

  async last(): Promise<WaitOutcome> {
    const { interrupt } = this.#wish.request;
    const ring = () => this.#wakeUps.ring();
    interrupt?.addEventListener("abort", ring);
    try {
      for (;;) {
        interrupt?.throwIfAborted();
        const next = await this.#round().catch((fault) => this.#afterSilence(fault));
        if (typeof next !== "number") return next;
        if (next > 0) await this.#wakeUps.sleep(next);
      }
    } finally {
      interrupt?.removeEventListener("abort", ring);
      await this.#wakeUps.close();
    }
  }

  /** @return how the wait ended; or how many milliseconds there is nothing to do, 0 to look again at once */
  async #round(): Promise<WaitOutcome | number> {
    const round = await this.#look();
    const outcome = await this.#decide(round);
    if (outcome !== null) return outcome;
    if (this.#vanishesAgain(round) || await armWakeUps(this.#site, this.#wakeUps, round)) return 0;
    return await this.#pauseMs(round);
  }

  /** Our place in line, and what stands there: with a try of mkdir, if we may. */
  async #look(): Promise<Round> {
    const isLocked = (ahead: string) => this.#wakeUps.waitsOn(lifelineOfTicket(this.#site, ahead));
    const turn = await this.#ticket.turn(isLocked);
    this.#firstPlace ||= turn.place;
    const nowMs = await this.#site.sys.clock.monotonicMs();
    const mayTry = this.#progress.mayTry(turn, nowMs);
    const look = await lookOnce(this.#site, this.#wish, mayTry);
    if (look.kind !== "granted") this.#progress.note(look, turn, nowMs);
    return { turn, look, nowMs };
  }

  /** @return how the wait ended; null if it goes on */
  async #decide({ turn, look, nowMs }: Round): Promise<WaitOutcome | null> {
    if (look.kind === "granted") {
      return { outcome: "granted", grantedAt: look.grantedAt, place: this.#firstPlace };
    }
    const holder = look.kind !== "standing"
      ? null
      : this.#progress.isHeldUp(look, nowMs)
      ? await viewStaleHolder(this.#site, look.judged)
      : await viewHolder(this.#site, look.judged);
    this.#seen = { holder, place: turn.place };
    if (!this.#hasLooked) await this.#wish.observer.began?.(turn.place);
    await this.#wish.observer.looked?.({ ...this.#seen, ...await this.#twin(look) });
    const isOver = await this.#leftMs() <= 0;
    if (this.#progress.isWatching()) await keepSightings(this.#site, isOver);
    return isOver ? { outcome: "timeout", ...this.#seen, unanswered: null } : null;
  }

  /** Asked at the first look only: a caller is told once. */
  async #twin(look: Look): Promise<Pick<WaitLook, "twin">> {
    if (this.#hasLooked) return {};
    this.#hasLooked = true;
    if (!this.#wish.observer.looked) return {};
    const judged = look.kind === "standing" ? look.judged : null;
    const { request: { slug }, token } = this.#wish;
    return { twin: await findTwin(this.#site, slug, token, judged) };
  }

  #vanishesAgain({ look }: Round): boolean {
    this.#vanished = look.kind === "vanished" ? this.#vanished + 1 : 0;
    return this.#vanished > 0 && this.#vanished <= VANISHES;
  }

  /** How long to sleep, if nothing wakes us earlier; 0 once it was time to get ready for the hold. */
  async #pauseMs({ turn, nowMs }: Round): Promise<number> {
    const { request, token } = this.#wish;
    const readyInMs = this.#readiness.dueInMs(turn.place, nowMs);
    if (readyInMs <= 0) {
      await this.#readiness.getReady(token, this.#wakeUps);
      return 0;
    }
    const nextMs = this.#progress.nextLookMs({
      pollMs: longestPollMs(request, turn),
      willBeWoken: request.wakeUps === "sure" && this.#wakeUps.isChained(),
      fraction: await this.#site.sys.random.fraction(),
      nowMs,
    });
    return Math.max(0, Math.min(nextMs, await this.#leftMs(), readyInMs));
  }

  /** The share has left a call without an answer. Another call may be answered: the wait goes on. */
  async #afterSilence(fault: unknown): Promise<WaitOutcome | number> {
    if (!isUnanswered(fault)) throw fault;
    await this.#wish.observer.silent?.(fault);
    const leftMs = await this.#leftMs();
    if (leftMs > 0) return Math.min(SILENT_PAUSE_MS, leftMs);
    return { outcome: "timeout", ...this.#seen, unanswered: fault };
  }

  async #leftMs(): Promise<number> {
    const { deadlineMs } = this.#wish;
    return deadlineMs === null ? Infinity : deadlineMs - await this.#site.sys.clock.monotonicMs();
  }
}

/** How a waiter is woken there; see `wake_ups.ts`. */
export function wakeUpKind(
  { type }: Pick<SiteMount, "type">,
  { wakeUps, outlivesWait }: Pick<AcquireRequest, "wakeUps" | "outlivesWait">,
): WakeUpKind {
  if (wakeUps === "none") return "none";
  return outlivesWait || !grantsFileLocks(type) ? "watch" : "file locks";
}

/** A watch does not tell that the holder has died. The first in line looks this often, where a look is cheap. */
const DEATH_POLL_MS = 1000;

function longestPollMs({ pollMs, wakeUps, outlivesWait }: AcquireRequest, { place }: Turn): number {
  return outlivesWait && wakeUps === "sure" && place === 1
    ? Math.min(pollMs, DEATH_POLL_MS)
    : pollMs;
}

/** One try of mkdir if we may, else only a look; a stale lock is broken by whoever may try. */
async function lookOnce(site: Site, wish: Wish, mayTry: boolean): Promise<Look> {
  const { request, observer } = wish;
  if (mayTry) {
    const grantedAt = await tryInTime(site, wish);
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
  const broken = breakLock(patiently(site), request.slug, judged, request.staleMs);
  const call = { operation: "rmdir", path: site.paths.lock };
  const { outcome } = await inTime(site, wish, broken, call);
  // Another has the right to remove, and is at it.
  if (outcome !== "removed") return { kind: "standing", judged };
  observer.broke?.(holder);
  const grantedAt = await tryInTime(site, wish);
  return grantedAt === null ? { kind: "vanished" } : { kind: "granted", grantedAt };
}

/** The lock is free; that its folder has gone away altogether must be an error, not an endless wait. */
async function freeLook(site: Site, mayTry: boolean): Promise<Look> {
  if (mayTry) return { kind: "vanished" };
  const folder = await site.sys.files.entry(folderItself(site.paths));
  if (!folder) throw folderUnusable(site, "it went away during the wait", null);
  return { kind: "free" };
}

/** Makes sure that what can wake us will. True if something new was armed: then look once more before waiting. */
async function armWakeUps(site: Site, wakeUps: WakeUps, { turn, look }: Round): Promise<boolean> {
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

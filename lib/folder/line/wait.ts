/**
 * Waiting in line until mkdir grants the lock.
 *
 * Guarantee: our waiters are served in order of arrival, and nobody waits for ever for one that is frozen or
 * dead. Not guaranteed: order against foreign peers, who may barge in; or after the state folder was
 * deleted. The line is advice: only mkdir grants.
 */

import { tokenOfTicket, type Turn } from "./order.ts";
import { lifelinePath, ticketPath } from "../state/layout.ts";
import type { Circle } from "../../lock/failures.ts";
import type { HolderView } from "../../lock/views.ts";
import type { AcquireRequest, UnansweredCall, WaitLook, WaitObserver } from "../../lock/service.ts";
import { isUnanswered, SILENT_PAUSE_MS } from "../unanswered_calls.ts";
import { keepSightings } from "../verdict/sightings.ts";
import type { Grant, Wish } from "../grant.ts";
import { viewHolder, viewStaleHolder } from "../visit/holder_view.ts";
import { grantsFileLocks } from "../place/mount_trust.ts";
import { type Found, type Look, Progress, Readiness } from "./progress.ts";
import { Looks } from "./look_and_try.ts";
import type { Site, SiteMount } from "../site.ts";
import type { Ticket } from "./ticket.ts";
import { Circles } from "./circles.ts";
import { findTwin } from "./twin.ts";
import { type WakeUpKind, WakeUps } from "./wake_ups.ts";

export type WaitOutcome =
  | { readonly outcome: "granted"; readonly grant: Grant; readonly place: number }
  | WaitLook & {
    readonly outcome: "timeout";
    readonly unanswered: UnansweredCall | null;
    readonly circle: Circle | null;
  };

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
  readonly #looks: Looks;
  readonly #readiness: Readiness;
  readonly #circles: Circles;
  #firstPlace = 0;
  #hasLooked = false;
  #vanished = 0;
  #seen: WaitLook = { holder: null, place: 0 };

  constructor(site: Site, wish: Wish, ticket: Ticket) {
    this.#site = site;
    this.#wish = wish;
    this.#ticket = ticket;
    this.#wakeUps = new WakeUps(site, wakeUpKind(site.mount, wish.request));
    this.#looks = new Looks(site, wish);
    this.#readiness = new Readiness(wish.observer);
    this.#circles = new Circles(site, wish.token, wish.request.within ?? []);
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
    const look = mayTry ? await this.#looks.tryAll() : await this.#looks.lookFromBehind();
    if (look.kind !== "granted") {
      this.#progress.note(look, turn, nowMs, this.#site.slots !== undefined);
    }
    return { turn, look, nowMs };
  }

  /** @return how the wait ended; null if it goes on */
  async #decide({ turn, look, nowMs }: Round): Promise<WaitOutcome | null> {
    if (look.kind === "granted") {
      return { outcome: "granted", grant: look.grant, place: this.#firstPlace };
    }
    const isHeldUp = this.#progress.isHeldUp(look, nowMs);
    this.#seen = { ...await viewHolders(this.#site, look, isHeldUp), place: turn.place };
    if (!this.#hasLooked) await this.#wish.observer.began?.(turn.place);
    await this.#wish.observer.looked?.({ ...this.#seen, ...await this.#twin(look) });
    const isOver = await this.#leftMs() <= 0;
    if (look.kind === "standing" && this.#progress.isWatching()) {
      for (const { site } of look.found) await keepSightings(site, isOver);
    }
    const circle = await this.#circles.seen(foundIn(look), nowMs, isOver);
    const inVain = { outcome: "timeout", ...this.#seen, unanswered: null } as const;
    return isOver || circle ? { ...inVain, circle } : null;
  }

  /** Asked at the first look only: a caller is told once. */
  async #twin(look: Look): Promise<Pick<WaitLook, "twin">> {
    if (this.#hasLooked) return {};
    this.#hasLooked = true;
    if (!this.#wish.observer.looked) return {};
    const { request: { slug }, token } = this.#wish;
    return { twin: await findTwin(this.#site, slug, token, foundIn(look)) };
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
      pollMs: longestPollMs(this.#site, request, turn),
      willBeWoken: request.wakeUps === "sure" && this.#wakeUps.isChained(),
      fraction: await this.#site.sys.random.fraction(),
      nowMs,
    });
    const soonMs = this.#circles.lookAgainMs();
    return Math.max(0, Math.min(nextMs, await this.#leftMs(), readyInMs, soonMs));
  }

  /** The share has left a call without an answer. Another call may be answered: the wait goes on. */
  async #afterSilence(fault: unknown): Promise<WaitOutcome | number> {
    if (!isUnanswered(fault)) throw fault;
    await this.#wish.observer.silent?.(fault);
    const leftMs = await this.#leftMs();
    if (leftMs > 0) return Math.min(SILENT_PAUSE_MS, leftMs);
    return { outcome: "timeout", ...this.#seen, unanswered: fault, circle: null };
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

/** A watch does not tell that a holder has died. The first in line looks this often, where a look is cheap. */
const DEATH_POLL_MS = 1000;

/** A file lock that is waited for takes a thread: with more slots than this, the watch and the timer must do. */
const MOST_CHAINED_SLOTS = 16;

function isChainedToAll({ slots }: Site): boolean {
  return slots === undefined || slots.length <= MOST_CHAINED_SLOTS;
}

function longestPollMs(
  site: Site,
  { pollMs, wakeUps, outlivesWait }: AcquireRequest,
  { place }: Turn,
): number {
  const isBlind = outlivesWait || !isChainedToAll(site);
  return isBlind && wakeUps === "sure" && place === 1 ? Math.min(pollMs, DEATH_POLL_MS) : pollMs;
}

/** What stands there, as people are told of it. */
async function viewHolders(
  line: Site,
  look: Look,
  isHeldUp: boolean,
): Promise<Pick<WaitLook, "holder" | "slots">> {
  const holders: HolderView[] = [];
  for (const { site, judged } of foundIn(look)) {
    const isInTheWay = isHeldUp && judged.verdict.verdict === "stale";
    holders.push(await (isInTheWay ? viewStaleHolder : viewHolder)(site, judged));
  }
  const holder = holders[0] ?? null;
  return line.slots ? { holder, slots: { count: line.slots.length, holders } } : { holder };
}

function foundIn(look: Look): readonly Found[] {
  return look.kind === "standing" ? look.found : [];
}

/** Makes sure that what can wake us will. True if something new was armed: then look once more before waiting. */
async function armWakeUps(site: Site, wakeUps: WakeUps, { turn, look }: Round): Promise<boolean> {
  const lifelines = turn.ahead !== null
    ? [lifelineOfTicket(site, turn.ahead)]
    : isChainedToAll(site)
    ? lifelinesOf(foundIn(look))
    : [];
  const ticket = turn.ahead && ticketPath(site.paths, turn.ahead);
  const newChain = await wakeUps.waitOn(lifelines, ticket);
  const newWatch = turn.place === 1 && await wakeUps.watchLock();
  return newChain || newWatch;
}

function lifelinesOf(found: readonly Found[]): string[] {
  return found.flatMap(({ site, judged: { record } }) => {
    return record ? [lifelinePath(site.paths, record.token)] : [];
  });
}

function lifelineOfTicket(site: Site, ticket: string): string {
  return lifelinePath(site.paths, tokenOfTicket(ticket));
}

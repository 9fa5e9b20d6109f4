/**
 * Waiting in line until mkdir grants the lock.
 *
 * Guarantee: our waiters are served in order of arrival, and nobody waits for ever for one that is frozen or
 * dead. Not guaranteed: order against foreign peers, who may barge in; or after the state folder was
 * deleted. The line is advice: only mkdir grants.
 */

import { pollAfterMs } from "../core/backoff.ts";
import { FolderUnusable, type HolderView } from "../core/failures.ts";
import { faultCode } from "../core/faults.ts";
import type { Turn } from "../core/line.ts";
import { speakingRecord } from "../core/still_ours.ts";
import type { AcquireRequest, WaitObserver } from "./acquire.ts";
import { breakLock, type Judged, judgeLock } from "./break.ts";
import { viewHolder } from "./holder_view.ts";
import { lookAtLock } from "./look.ts";
import { folderUnusable } from "./obstacles.ts";
import type { Site } from "./site.ts";
import { type Ticket, ticketPath } from "./ticket.ts";
import { WakeUps } from "./wake_ups.ts";

/**
 * A waiter that finds the lock free (or stale) on two looks this far apart may try whatever its place: those
 * ahead are frozen. Far longer than a hand-off takes, short enough for a person.
 */
const BYPASS_AFTER_MS = 1000;

/** Tickets are freshened between two looks, so no two are further apart. */
const LONGEST_LOOK_GAP_MS = 20_000;

/** The second in line looks at least this often, to see that the first one is frozen. */
const SECOND_POLL_MS = 2000;

/** Whose turn is as near as this gets ready for it. */
const NEARLY_THERE = 2;

/** The command outlives its killed wrapper: nothing wakes us when it ends, and it may end at any time. */
const ORPHAN_POLL_MS = 1000;

export type WaitOutcome =
  | { readonly outcome: "granted"; readonly grantedAtMs: number; readonly place: number }
  | { readonly outcome: "timeout"; readonly holder: HolderView | null; readonly place: number };

/** What one look led to. */
type Look =
  | { readonly kind: "granted"; readonly grantedAtMs: number }
  | { readonly kind: "free" }
  /** It stood in the way of our mkdir and was gone when we looked: try again at once. */
  | { readonly kind: "vanished" }
  | { readonly kind: "standing"; readonly judged: Judged };

/**
 * @param ticket our place in line
 * @param deadlineMs on the monotonic clock; null waits for ever
 */
export async function waitInLine(
  site: Site,
  request: AcquireRequest,
  ticket: Ticket,
  deadlineMs: number | null,
  observer: WaitObserver,
): Promise<WaitOutcome> {
  const { clock, random } = site.sys;
  const wakeUps = new WakeUps(site, request.wakeUps !== "none");
  const progress = new Progress();
  let firstPlace = 0;
  let readied = false;
  try {
    for (;;) {
      const turn = await ticket.turn((ahead) => wakeUps.waitsOn(ticketPath(site, ahead)));
      firstPlace ||= turn.place;
      const nowMs = await clock.monotonicMs();
      const mayTry = turn.place === 1 || progress.availableForMs(nowMs) >= BYPASS_AFTER_MS;
      const look = await lookOnce(site, request, mayTry);
      if (look.kind === "granted") {
        return { outcome: "granted", grantedAtMs: look.grantedAtMs, place: firstPlace };
      }
      const holder = look.kind === "standing" ? await viewHolder(site, look.judged) : null;
      progress.note(look, turn, nowMs);
      await observer.looked?.({ holder, place: turn.place, silent: isSilent(look) });
      const leftMs = deadlineMs === null ? Infinity : deadlineMs - await clock.monotonicMs();
      if (leftMs <= 0) return { outcome: "timeout", holder, place: turn.place };
      if (look.kind === "vanished") continue;
      if (await armed(site, wakeUps, turn, look)) continue;
      if (!readied && turn.place <= NEARLY_THERE) {
        readied = true;
        await observer.nearlyThere?.(ticket.token);
        continue;
      }
      const isSure = request.wakeUps === "sure" && wakeUps.isChained();
      const pollMs = isSure && turn.place > 2 ? LONGEST_LOOK_GAP_MS : pollAfterMs(
        progress.looks,
        request.pollMs,
        turn.place,
        await random.fraction(),
      );
      await wakeUps.sleep(
        Math.min(pollMs, leftMs, longestGapMs(look, turn, progress, mayTry, nowMs)),
      );
    }
  } finally {
    await wakeUps.close();
  }
}

/** One try of mkdir if we may, else only a look; a stale lock is broken by whoever may try. */
async function lookOnce(site: Site, request: AcquireRequest, mayTry: boolean): Promise<Look> {
  if (mayTry) {
    const grantedAtMs = await tryMkdir(site);
    if (grantedAtMs !== null) return { kind: "granted", grantedAtMs };
  }
  const look = await lookAtLock(site);
  if (look.standing === "other") {
    throw new FolderUnusable(site.paths.lock, { kind: "not a lock", found: look.found });
  }
  if (look.standing === "nothing") return await freeLook(site, mayTry);
  const judged = await judgeLock(site, look, request.staleMs);
  if (judged.verdict.verdict === "held" || !mayTry) return { kind: "standing", judged };
  if (look.entries.length > 0) {
    throw new FolderUnusable(site.paths.lock, { kind: "lock not empty", entries: look.entries });
  }
  const removed = await breakLock(site, request.slug, judged, request.staleMs);
  const grantedAtMs = removed.outcome === "removed" ? await tryMkdir(site) : null;
  if (grantedAtMs !== null) return { kind: "granted", grantedAtMs };
  // Broken, and another was quicker; or another has the right to remove, and is at it.
  return removed.outcome === "removed" ? { kind: "vanished" } : { kind: "standing", judged };
}

/** The lock is free; that its folder has gone away altogether must be an error, not an endless wait. */
async function freeLook(site: Site, mayTry: boolean): Promise<Look> {
  if (mayTry) return { kind: "vanished" };
  const folder = await site.sys.files.entry(`${site.paths.dir}/.`);
  if (!folder) throw folderUnusable(site, "it went away during the wait", null);
  return { kind: "free" };
}

/**
 * The only step that grants.
 * @return the monotonic clock before the mkdir that succeeded, or null if the lock stands
 */
export async function tryMkdir(site: Site): Promise<number | null> {
  const nowMs = await site.sys.clock.monotonicMs();
  try {
    await site.sys.files.makeFolder(site.paths.lock);
    return nowMs;
  } catch (fault) {
    if (faultCode(fault) === "EEXIST") return null;
    throw fault;
  }
}

/** Makes sure that what can wake us will. True if something new was armed: then look once more before waiting. */
async function armed(site: Site, wakeUps: WakeUps, turn: Turn, look: Look): Promise<boolean> {
  const record = look.kind === "standing" ? speakingRecord(look.judged.look) : null;
  const ahead = turn.ahead !== null
    ? ticketPath(site, turn.ahead)
    : record && `${site.paths.alive}/${record.token}`;
  const newChain = await wakeUps.waitOn(ahead);
  const newWatch = turn.place === 1 && await wakeUps.watchLock();
  return newChain || newWatch;
}

function longestGapMs(
  look: Look,
  turn: Turn,
  progress: Progress,
  mayTry: boolean,
  nowMs: number,
): number {
  if (
    look.kind === "standing" && look.judged.verdict.verdict === "held" && look.judged.verdict.orphan
  ) return ORPHAN_POLL_MS;
  const availableMs = progress.availableForMs(nowMs);
  if (mayTry || availableMs < 0) return turn.place === 2 ? SECOND_POLL_MS : LONGEST_LOOK_GAP_MS;
  return Math.max(BYPASS_AFTER_MS - availableMs, 1);
}

function isSilent(look: Look): boolean {
  return look.kind === "standing" && look.judged.verdict.verdict === "held" &&
    look.judged.verdict.silent;
}

/** What the looks so far say: how often since the last change, and since when the lock could be had. */
class Progress {
  looks = 0;
  #seen = "";
  #availableSinceMs: number | null = null;

  /** For how long the lock has been free or stale at every look; negative if it is held. */
  availableForMs(nowMs: number): number {
    return this.#availableSinceMs === null ? -1 : nowMs - this.#availableSinceMs;
  }

  note(look: Look, turn: Turn, nowMs: number): void {
    const available = look.kind === "free" ||
      (look.kind === "standing" && look.judged.verdict.verdict === "stale");
    this.#availableSinceMs = available ? this.#availableSinceMs ?? nowMs : null;
    const seen = `${turn.place} ${holdSeen(look)}`;
    this.looks = seen === this.#seen ? this.looks + 1 : 0;
    this.#seen = seen;
  }
}

/** Tells one hold from the next: a beat moves the mtime but not the token. */
function holdSeen(look: Look): string {
  if (look.kind !== "standing") return look.kind;
  const { verdict } = look.judged;
  const orphan = verdict.verdict === "held" && verdict.orphan ? " orphan" : "";
  return (speakingRecord(look.judged.look)?.token ?? `mtime ${look.judged.look.mtimeMs}`) + orphan;
}

/** The mkdir that grants, also on a share that leaves it without an answer. */

import type { Moment } from "../sys/elapsed.ts";
import { faultCode } from "../sys/faults.ts";
import type { AcquireRequest, WaitObserver } from "../lock/service.ts";
import { isUnanswered, patiently, untilAnswered } from "./unanswered_calls.ts";
import { giveBackUnclaimed } from "./claim.ts";
import type { Site } from "./site.ts";

/** What a waiter wants, and until when. */
export interface Wish {
  readonly request: AcquireRequest;
  /** Random name of the wait, and of the hold that comes of it. */
  readonly token: string;
  /** On the monotonic clock; null waits for ever. */
  readonly deadlineMs: number | null;
  readonly observer: WaitObserver;
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

/**
 * As `tryMkdir()`, but no longer than the wait lasts. An mkdir that is answered later, and has granted, is taken
 * back: nobody claims it any more.
 * @throws FileFault with ETIMEDOUT when the wait is over
 */
export async function tryInTime(site: Site, wish: Wish): Promise<Moment | null> {
  const tried = tryMkdir(site);
  try {
    return await inTime(site, wish, tried, { operation: "mkdir", path: site.paths.lock });
  } catch (fault) {
    if (isUnanswered(fault)) void takeBackLater(patiently(site), wish, tried);
    throw fault;
  }
}

/** An mkdir that succeeded: the lock, or the slot of it, and the moment before. */
export interface Grant {
  readonly site: Site;
  readonly at: Moment;
}

/** As `tryInTime()`: the lock, or each of its slots until one is granted. */
export async function tryForGrant(site: Site, wish: Wish): Promise<Grant | null> {
  for (const slot of await slotsInTurn(site)) {
    const at = await tryInTime(slot, wish);
    if (at !== null) return { site: slot, at };
  }
  return null;
}

/** What there is to be had: the lock itself, or its slots, from a random one on, so that all are used. */
export async function slotsInTurn(site: Site): Promise<readonly Site[]> {
  const { slots } = site;
  if (!slots) return [site];
  const first = Math.floor(await site.sys.random.fraction() * slots.length);
  return [...slots.slice(first), ...slots.slice(0, first)];
}

async function takeBackLater(
  site: Site,
  { request, token }: Wish,
  tried: Promise<Moment | null>,
): Promise<void> {
  try {
    const grantedAt = await tried;
    if (grantedAt !== null) await giveBackUnclaimed(site, request, token, grantedAt);
  } catch {
    // It granted nothing; or what it granted cannot be given back, and age decides.
  }
}

/** Waits for what is never given up on, but no longer than the wait lasts. */
export async function inTime<T>(
  { sys: { clock } }: Site,
  { request: { answerWithinMs }, deadlineMs, observer }: Wish,
  answer: Promise<T>,
  call: { readonly operation: string; readonly path: string },
): Promise<T> {
  if (answerWithinMs === undefined) return await answer;
  const onSilent = async () => await observer.silent?.(call);
  return await untilAnswered(clock, answer, { answerWithinMs, deadlineMs, onSilent }, call);
}

/** Acquiring by way of the line: a ticket, the wait, the claim. With it comes all that `run` needs of the line. */

import { isUnanswered, patiently } from "../unanswered_calls.ts";
import { Journal, logIfPossible } from "../audit.ts";
import { type Attempt, claim } from "../claim.ts";
import { GaveUp } from "../../lock/failures.ts";
import type { AcquireRequest, WaitObserver } from "../../lock/service.ts";
import { checkWritable } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import { Ticket } from "./ticket.ts";
import { waitInLine, type WaitOutcome } from "./wait.ts";

export { usePlaceUp } from "./places.ts";

/**
 * Takes a ticket, waits in line until mkdir grants the lock, and claims it.
 * @param token random name of the wait, and of the hold that comes of it
 * @param startMs when the wait began, on the monotonic clock
 * @throws as `acquire()`
 */
export async function waitAndClaim(
  site: Site,
  request: AcquireRequest,
  token: string,
  startMs: number,
  observer: WaitObserver,
): Promise<Attempt> {
  // It only spares a wait in vain: a share that does not answer it may answer the wait.
  await checkWritable(site).catch(async (fault) => {
    if (!isUnanswered(fault)) throw fault;
    await observer.silent?.(fault);
  });
  // One try is no wait.
  const keepPlaceMs = request.timeoutMs === 0 ? 0 : request.keepPlaceMs ?? 0;
  const { slug, note } = request;
  const ticket = await Ticket.take(site, slug, token, {
    keepPlaceMs,
    ...(note !== undefined && { note }),
    ...(request.within && { within: request.within }),
  });
  const journal = new Journal(site);
  const told = { slug, token, ...(note !== undefined && { note }) };
  let isInLine = true;
  try {
    const deadlineMs = request.timeoutMs === null ? null : startMs + request.timeoutMs;
    const began = async (place: number) => {
      await observer.began?.(place);
      const after = ticket.after === null ? {} : { after: ticket.after };
      await journal.note({ ...told, event: "waiting", place, ...after }, ticket.sinceMs);
      await journal.write();
    };
    const waited = await waitInLine(site, request, ticket, deadlineMs, { ...observer, began });
    if (waited.outcome === "timeout") {
      isInLine = false;
      return await giveUp(site, request, startMs, waited, ticket);
    }
    const { site: slot, at } = waited.grant;
    const claimed = await claim(patiently(slot), request, token, at, async () => {
      const lifeline = await ticket.handOverLifeline(patiently(slot));
      isInLine = false;
      return lifeline;
    });
    return { claim: claimed, site: slot, place: waited.place, isBack: ticket.after !== null };
  } finally {
    if (isInLine) {
      await ticket.leave();
      await journal.note({ slug, token, event: "gave_up" });
      await journal.write();
    }
  }
}

async function giveUp(
  site: Site,
  request: AcquireRequest,
  startMs: number,
  { holder, slots, place, unanswered, circle }: Extract<WaitOutcome, { outcome: "timeout" }>,
  ticket: Ticket,
): Promise<never> {
  const waitedMs = await site.sys.clock.monotonicMs() - startMs;
  const kept = await ticket.leave();
  await logIfPossible(site, request.slug, {
    event: "gave_up",
    waitedMs,
    reason: circle ? "deadlock" : "timeout",
  });
  const journal = new Journal(site);
  await journal.note({ slug: request.slug, token: ticket.token, event: "gave_up" });
  await journal.write();
  const timeoutMs = request.timeoutMs ?? Infinity;
  const call = unanswered && `${unanswered.operation} ${unanswered.path}`;
  throw new GaveUp(
    site.paths.lock,
    waitedMs,
    timeoutMs,
    holder,
    place,
    null,
    call,
    kept,
    slots ?? null,
    circle,
  );
}

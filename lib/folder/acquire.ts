/** Acquiring: the fast path, or a ticket and a wait; then the claim. */

import { GaveUp } from "../lock/failures.ts";
import { checkFolder, checkWritable, explain } from "./place/obstacles.ts";
import { isUnanswered, patiently, siteOfWaiter } from "./answers.ts";
import { type Claim, claim } from "./claim.ts";
import { logIfPossible } from "./audit.ts";
import { FolderHold } from "./hold.ts";
import { makeLifeline } from "./state/lifeline.ts";
import type { AcquireRequest, WaitObserver } from "../lock/request.ts";
import type { Site } from "./site.ts";
import { Ticket } from "./line/ticket.ts";
import { tryInTime } from "./grant.ts";
import { waitInLine, type WaitOutcome } from "./line/wait.ts";

/**
 * Acquires the lock.
 * @return the hold; it beats from now on if its mode is `run`
 * @throws GaveUp when the time is over; FolderUnusable if the folder cannot be used; the reason of
 *   `request.interrupt` if that was aborted. Nothing is held then
 */
export async function acquire(
  site: Site,
  request: AcquireRequest,
  observer: WaitObserver = {},
): Promise<FolderHold> {
  const { answerWithinMs } = request;
  const waiter = answerWithinMs === undefined ? site : siteOfWaiter(site, answerWithinMs);
  const start = await site.sys.clock.moment();
  waiter.clock.sees(start);
  const startMs = start.monotonicMs;
  try {
    await checkFolder(waiter);
    // All that the claim needs of the machine is tried before the mkdir: should it fail, no lock is left.
    await site.sys.processes.self();
    for (;;) {
      request.interrupt?.throwIfAborted();
      const { claim, place } = await tryToHold(waiter, request, startMs, observer);
      if (!claim) continue;
      const waitedMs = await site.sys.clock.monotonicMs() - startMs;
      const hold = new FolderHold(site, request, claim, { waitedMs, place });
      // Between mkdir and the record nobody would know whose the lock is: so it is claimed first, then given back.
      if (request.interrupt?.aborted) await hold.release();
      request.interrupt?.throwIfAborted();
      return hold;
    }
  } catch (failure) {
    throw await explain(waiter, failure);
  }
}

interface Attempt {
  /** Null: the claim took too long to be safe; try again. */
  readonly claim: Claim | null;
  /** Place in line when the wait began; 0 without a wait. */
  readonly place: number;
}

async function tryToHold(
  site: Site,
  request: AcquireRequest,
  startMs: number,
  observer: WaitObserver,
): Promise<Attempt> {
  const token = await site.sys.random.token();
  const deadlineMs = request.timeoutMs === null ? null : startMs + request.timeoutMs;
  const lineIsEmpty = !(await site.sys.files.list(site.paths.queue))?.some((name) =>
    !name.startsWith(".")
  );
  const wish = { request, token, deadlineMs, observer };
  const grantedAt = lineIsEmpty ? await tryInTime(site, wish) : null;
  if (grantedAt !== null) {
    const holder = patiently(site);
    return {
      claim: await claim(holder, request, token, grantedAt, () => makeLifeline(holder, token)),
      place: 0,
    };
  }
  return await waitAndClaim(site, request, token, startMs, observer);
}

async function waitAndClaim(
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
  const ticket = await Ticket.take(site, request.slug, token);
  let becameHold = false;
  try {
    const deadlineMs = request.timeoutMs === null ? null : startMs + request.timeoutMs;
    const waited = await waitInLine(site, request, ticket, deadlineMs, observer);
    if (waited.outcome === "timeout") {
      return await giveUp(site, request, startMs, waited);
    }
    const claimed = await claim(patiently(site), request, token, waited.grantedAt, async () => {
      const lifeline = await ticket.handOverLifeline();
      becameHold = true;
      return lifeline;
    });
    return { claim: claimed, place: waited.place };
  } finally {
    if (!becameHold) await ticket.leave();
  }
}

async function giveUp(
  site: Site,
  request: AcquireRequest,
  startMs: number,
  { holder, place, unanswered }: Extract<WaitOutcome, { outcome: "timeout" }>,
): Promise<never> {
  const waitedMs = await site.sys.clock.monotonicMs() - startMs;
  await logIfPossible(site, request.slug, { event: "gave_up", waitedMs, reason: "timeout" });
  const timeoutMs = request.timeoutMs ?? Infinity;
  const call = unanswered && `${unanswered.operation} ${unanswered.path}`;
  throw new GaveUp(site.paths.lock, waitedMs, timeoutMs, holder, place, null, call);
}

/** Acquiring: the fast path, or a ticket and a wait; then the claim. */

import { checkFolder, explain, siteOfFault } from "./place/obstacles.ts";
import { isUnanswered, patiently, SILENT_PAUSE_MS, siteOfWaiter } from "./unanswered_calls.ts";
import { GaveUp } from "../lock/failures.ts";
import { type Attempt, claim } from "./claim.ts";
import { FolderHold } from "./hold.ts";
import { loadLine } from "./line/load_line.ts";
import { makeLifeline } from "./state/lifeline.ts";
import type { AcquireRequest, WaitObserver } from "../lock/service.ts";
import type { Site } from "./site.ts";
import { tryForGrant } from "./grant.ts";

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
    // All that the claim needs of the machine is tried before the mkdir: should it fail, no lock is left.
    await site.sys.processes.self();
    for (;;) {
      request.interrupt?.throwIfAborted();
      const attempt = await tryToHold(waiter, request, startMs, observer)
        .catch((fault) => goOnInSilence(waiter, request, startMs, observer, fault));
      if (!attempt?.claim) continue;
      const { claim, place, isBack } = attempt;
      const granted = patiently(attempt.site);
      const waitedMs = await site.sys.clock.monotonicMs() - startMs;
      const hold = new FolderHold(granted, request, claim, { waitedMs, place }, isBack);
      // Between mkdir and the record nobody would know whose the lock is: so it is claimed first, then given back.
      if (request.interrupt?.aborted) await hold.release();
      request.interrupt?.throwIfAborted();
      return hold;
    }
  } catch (failure) {
    throw await explain(siteOfFault(waiter, failure), failure);
  }
}

/**
 * A share has left a call without an answer before the wait in line has begun, which goes on in spite of that.
 * @throws GaveUp when the time is over; any other fault
 */
async function goOnInSilence(
  { sys: { clock }, paths }: Site,
  { timeoutMs, answerWithinMs, interrupt }: AcquireRequest,
  startMs: number,
  observer: WaitObserver,
  fault: unknown,
): Promise<null> {
  if (!isUnanswered(fault) || answerWithinMs === undefined) throw fault;
  await observer.silent?.(fault);
  const waitedMs = await clock.monotonicMs() - startMs;
  const leftMs = (timeoutMs ?? Infinity) - waitedMs;
  if (leftMs <= 0) {
    const call = `${fault.operation} ${fault.path}`;
    throw new GaveUp(paths.lock, waitedMs, timeoutMs!, null, null, null, call);
  }
  await clock.sleep(Math.min(SILENT_PAUSE_MS, leftMs), interrupt);
  return null;
}

/** Who does not ask for a slot must not take the lock beside those that have one. */
async function refuseSlots({ sys, paths }: Site): Promise<void> {
  if (await sys.files.entry(paths.slots) === null) return;
  const slots = await import("./slots/slots_file.ts");
  await slots.refuseSlots(sys, paths.slots);
}

async function tryToHold(
  site: Site,
  request: AcquireRequest,
  startMs: number,
  observer: WaitObserver,
): Promise<Attempt> {
  await checkFolder(site);
  if (!site.slots) await refuseSlots(site);
  const token = await site.sys.random.token();
  const deadlineMs = request.timeoutMs === null ? null : startMs + request.timeoutMs;
  const lineIsEmpty = !(await site.sys.files.list(site.paths.queue))?.some((name) =>
    !name.startsWith(".")
  );
  const wish = { request, token, deadlineMs, observer };
  const granted = lineIsEmpty ? await tryForGrant(site, wish) : null;
  if (granted !== null) {
    const holder = patiently(granted.site);
    return {
      claim: await claim(holder, request, token, granted.at, () => makeLifeline(holder, token)),
      site: holder,
      place: 0,
      isBack: false,
    };
  }
  const { waitAndClaim } = await loadLine();
  return await waitAndClaim(site, request, token, startMs, observer);
}

/** What all trials share: where they take place, and how long anything may take. */

import { FileFault } from "../sys/faults.ts";
import type { Found } from "./rules/judgement.ts";
import type { Clock } from "../sys/sys.ts";

/** A trial that could not be carried through. The message says why. */
export class TrialFailed extends Error {
  override readonly name = "TrialFailed";
}

/** @return undefined if it takes longer */
export async function inTime<T>(
  clock: Clock,
  answer: Promise<T>,
  limitMs: number,
): Promise<T | undefined> {
  const over = new AbortController();
  answer.catch(() => {});
  try {
    return await Promise.race([
      answer,
      clock.sleep(limitMs, over.signal).then(() => undefined),
    ]);
  } finally {
    over.abort();
  }
}

/** A trial takes a second or two; one that takes this long is held up by a share that does not answer. */
const TRIAL_LIMIT_MS = 60_000;

/** Makes a trial; what goes wrong on the way is a finding too. */
export async function attempt<T extends object>(
  clock: Clock,
  trial: () => Promise<T>,
): Promise<Found<T>> {
  try {
    const found = await inTime(clock, trial(), TRIAL_LIMIT_MS);
    return found ?? { untried: `no answer within ${TRIAL_LIMIT_MS / 1000} s` };
  } catch (failure) {
    if (failure instanceof FileFault) {
      return { untried: `${failure.operation} failed: ${failure.reason}` };
    }
    if (failure instanceof TrialFailed) return { untried: failure.message };
    throw failure;
  }
}

const LOOK_EVERY_MS = 10;

/**
 * Looks again and again.
 * @return how long it took until `look` said yes; null if it did not within the limit
 */
export async function timeUntil(
  clock: Clock,
  limitMs: number,
  look: () => Promise<boolean>,
): Promise<number | null> {
  const beginMs = await clock.monotonicMs();
  for (;;) {
    if (await look()) return await clock.monotonicMs() - beginMs;
    if (await clock.monotonicMs() - beginMs > limitMs) return null;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

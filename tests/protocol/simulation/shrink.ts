/**
 * Makes a failing schedule short enough to read.
 *
 * Guarantee: the schedule that comes back fails, in the same way by its first words, and is never harder
 * to read than the one given: shorter, or with more plain choices.
 * Non-guarantee: it is not the shortest there is.
 * Assumption: a run is a function of its schedule.
 */

import { type Chaos, type Outcome, replay, runSchedule } from "./random_run.ts";
import type { Scenario } from "./scenario.ts";

/** Gives the run of a schedule if it fails in the way looked for, else null. */
/** Enough for schedules of a few hundred steps; what is left then is short enough to read. */
const MOST_RUNS = 2000;

export type FailingRun<T> = (schedule: readonly number[]) => Promise<T | null>;

export async function shrinkSchedule<T>(
  schedule: readonly number[],
  failing: FailingRun<T>,
): Promise<{ readonly schedule: readonly number[]; readonly runs: number }> {
  let best = schedule;
  let runs = 0;
  const tried = async (candidate: readonly number[]): Promise<boolean> => {
    if (runs >= MOST_RUNS) return false;
    runs++;
    if (await failing(candidate) === null) return false;
    best = candidate;
    return true;
  };
  for (let size = Math.max(1, best.length >> 1), better = false;;) {
    for (let at = 0; at < best.length && runs < MOST_RUNS;) {
      const without = [...best.slice(0, at), ...best.slice(at + size)];
      const plain = best.map((number, index) => index >= at && index < at + size ? 0 : number);
      if (await tried(without)) better = true;
      else if (best.slice(at, at + size).some((number) => number !== 0) && await tried(plain)) {
        better = true;
        at += size;
      } else at += size;
    }
    if (size > 1) size >>= 1;
    else if (better && runs < MOST_RUNS) better = false;
    else break;
  }
  const end = best.findLastIndex((number) => number !== 0) + 1;
  return { schedule: best.slice(0, end), runs };
}

/** Shrinks a failed random run; gives the short run with its trace. */
export async function shrinkRandomRun(
  scenario: Scenario,
  failed: Outcome,
  chaos: Chaos = {},
): Promise<Outcome> {
  const kind = (failure: string | null) => failure?.split(/[ :]/).slice(0, 2).join(" ");
  const { schedule } = await shrinkSchedule(failed.schedule, async (candidate) => {
    let at = 0;
    const next = () => candidate[at++] ?? 0;
    const outcome = await runSchedule(scenario, failed.seed, next, chaos);
    return kind(outcome.failure) === kind(failed.failure) ? outcome : null;
  });
  return await replay(scenario, failed.seed, schedule, chaos);
}

/** A run that got stuck may have been so for thousands of events. */
const LINES_SHOWN_AT_EACH_END = 150;

/** What went wrong, for a person: the seed, the schedule for `replay`, and every event of it. */
export function tellOutcome(scenario: Scenario, outcome: Outcome): string {
  const lines = [...outcome.trace];
  const hidden = lines.length - 2 * LINES_SHOWN_AT_EACH_END;
  if (hidden > 1) lines.splice(LINES_SHOWN_AT_EACH_END, hidden, `          … ${hidden} lines …`);
  return [
    `${scenario.name}, seed ${outcome.seed}: ${outcome.failure ?? "nothing wrong"}`,
    ...lines,
    `schedule: [${outcome.schedule.join(", ")}]`,
  ].join("\n");
}

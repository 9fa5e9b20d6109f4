/** A failing schedule for a person: its seed, and the shortest list of steps that still fails. */

import type { Chaos, Outcome } from "./simulation/random_run.ts";
import type { Scenario } from "./simulation/scenario.ts";
import { shrinkRandomRun } from "./simulation/shrink.ts";

export async function failureReport(
  scenario: Scenario,
  failed: Outcome,
  chaos: Chaos,
): Promise<string> {
  const short = await shrinkRandomRun(scenario, failed, chaos);
  return [
    `${scenario.name}: ${failed.failure}`,
    `seed ${failed.seed}; the shortest schedule that fails (${short.failure}):`,
    ...short.trace,
    `again: deno task simulate --seed ${failed.seed} --runs 1`,
  ].join("\n");
}

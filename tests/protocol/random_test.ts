/** Random schedules of the real code in the simulated world: a fixed set; `deno task simulate` goes on. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { failureReport } from "./failure_report.ts";
import { EVERY_SCENARIO } from "./every_scenario.ts";
import { variantScenario } from "./scenarios.ts";
import { randomRuns } from "./simulation/random_run.ts";
import { TIME_SCENARIOS } from "./time_scenarios.ts";
import { WRONG_FILES } from "./wrong_files.ts";
import { WRONG_VARIANTS } from "./wrong_variants.ts";

/** Enough that each wrong rule is found ten times over, few enough for a minute in all. */
const RUNS = 400;
/** The longest that a wrong rule took to be found was some hundreds of schedules. */
const RUNS_TO_FIND = 10_000;

/** In scenes of time each run takes as long as ten others: holders sit hours out. */
const RUNS_OF_TIME = 100;

for (const one of EVERY_SCENARIO) {
  const { scenario, chaos } = one;
  const runs = TIME_SCENARIOS.includes(one) ? RUNS_OF_TIME : RUNS;
  Deno.test(`simulated: ${scenario.name}: never two, and all are served`, async () => {
    const search = await randomRuns(scenario, { runs, chaos });
    if (search.failed) throw new Error(await failureReport(scenario, search.failed, chaos));
    assertEquals(search.runs, runs);
    assert(search.events > runs, "nothing happened in these runs");
  });
}

for (const variant of WRONG_VARIANTS) {
  Deno.test(`simulated: ${variant.name} is found to be wrong`, async () => {
    const { scenario, chaos } = variantScenario(variant);
    const { failed } = await randomRuns(scenario, { runs: RUNS_TO_FIND, chaos });
    assert(failed, `${RUNS_TO_FIND} schedules did not find it`);
    const expected = variant.showsAs === "overlap" ? "two inside" : "freshened the lock of";
    assert(failed.failure?.includes(expected), `found something else: ${failed.failure}`);
  });
}

for (const { scenario, chaos, shows } of WRONG_FILES) {
  Deno.test(`simulated: ${scenario.name} is found to be wrong`, async () => {
    const { failed } = await randomRuns(scenario, { runs: RUNS_TO_FIND, chaos });
    assert(failed, `${RUNS_TO_FIND} schedules did not find it`);
    assertMatch(failed.failure ?? "", shows);
  });
}

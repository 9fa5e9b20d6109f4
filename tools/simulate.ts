/**
 * `deno task simulate [--seed N] [--runs N]`: random schedules of the real code in the simulated world.
 * Prints the seed, and on failure the shortest schedule as a readable list.
 */

import { parseArgs } from "@std/cli/parse-args";
import { failureReport } from "../tests/protocol/failure_report.ts";
import { ALL_SCENARIOS } from "../tests/protocol/fault_scenarios.ts";
import { randomRuns } from "../tests/protocol/simulation/random_run.ts";
import { countFlag, refuseAllBut } from "./flags.ts";
import { runTool } from "./plain.ts";

/** Some seven minutes on one core. */
const DEFAULT_RUNS = 100_000;

/** @return whether all schedules kept the invariants */
async function simulate(firstSeed: number, runs: number): Promise<boolean> {
  console.log(`seed ${firstSeed}, ${runs} schedules over ${ALL_SCENARIOS.length} scenarios`);
  let done = 0;
  for (const [at, { scenario, chaos }] of ALL_SCENARIOS.entries()) {
    // At least one in each, so that `--runs 1` runs a seed again wherever it failed.
    const share = Math.max(1, Math.ceil((runs - done) / (ALL_SCENARIOS.length - at)));
    const search = await randomRuns(scenario, { firstSeed, runs: share, chaos });
    done += search.runs;
    const { events, seconds, failed } = search;
    const result = failed ? "FAILED" : "ok";
    console.log(
      `${result}  ${scenario.name}: ${search.runs} schedules, ${events} steps, ${
        seconds.toFixed(1)
      } s`,
    );
    if (failed) {
      console.log(await failureReport(scenario, failed, chaos));
      return false;
    }
  }
  console.log(`${done} schedules without a violation`);
  return true;
}

async function main(): Promise<void> {
  const names = ["seed", "runs"] as const;
  const asked = parseArgs(Deno.args, {
    string: [...names],
    unknown: refuseAllBut(names),
  }) as Partial<Record<typeof names[number], string>>;
  const firstSeed = countFlag("seed", asked.seed, 1 + Math.floor(Math.random() * 1e9));
  if (!await simulate(firstSeed, countFlag("runs", asked.runs, DEFAULT_RUNS))) Deno.exit(1);
}

if (import.meta.main) await runTool("simulate", main);

/**
 * `deno task simulate [--seed N] [--runs N]`: random schedules of the real code in the simulated world.
 * Prints the seed, and on failure the shortest schedule as a readable list.
 */

import { parseArgs } from "@std/cli/parse-args";
import { failureReport } from "../tests/protocol/failure_report.ts";
import { EVERY_SCENARIO } from "../tests/protocol/every_scenario.ts";
import { randomRuns } from "../tests/protocol/simulation/random_run.ts";
import { countFlag, refuseAllBut } from "./flags.ts";
import { runTool } from "./plain.ts";

/** Some seven minutes on one core. */
const DEFAULT_RUNS = 100_000;

/** @return whether all schedules kept the invariants */
async function simulate(firstSeed: number, runs: number): Promise<boolean> {
  console.log(`seed ${firstSeed}, ${runs} schedules over ${EVERY_SCENARIO.length} scenarios`);
  let done = 0;
  const excuses = new Map<string, number>();
  for (const [at, { scenario, chaos }] of EVERY_SCENARIO.entries()) {
    // At least one in each, so that `--runs 1` runs a seed again wherever it failed.
    const share = Math.max(1, Math.ceil((runs - done) / (EVERY_SCENARIO.length - at)));
    const search = await randomRuns(scenario, { firstSeed, runs: share, chaos });
    done += search.runs;
    const { events, seconds, failed } = search;
    const result = failed ? "FAILED" : "ok";
    console.log(
      `${result}  ${scenario.name}: ${search.runs} schedules, ${events} steps, ${
        seconds.toFixed(1)
      } s`,
    );
    for (const [reason, times] of search.excuses) {
      excuses.set(reason, (excuses.get(reason) ?? 0) + times);
    }
    if (failed) {
      console.log(await failureReport(scenario, failed, chaos));
      return false;
    }
  }
  console.log(`${done} schedules without a violation`);
  if (excuses.size > 0) console.log("Locks of the living that were let go with an excuse:");
  const often = [...excuses].toSorted(([, one], [, other]) => other - one);
  for (const [reason, times] of often) console.log(`${times}`.padStart(7), reason);
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

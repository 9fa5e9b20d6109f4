/**
 * A machine that sleeps or stops, and a clock that is set, at each step of a plain schedule.
 */

import { assert, assertEquals } from "@std/assert";
import { type Chaos, faultNumber, type Outcome, runSchedule } from "./simulation/random_run.ts";
import type { Scenario } from "./simulation/scenario.ts";
import { type Arms, diskScene, shareScene, sleepScene } from "./time_scenarios.ts";

const SLEEP_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longer than any run here takes to come to rest without faults. */
const MOST_STEPS = 700;

interface Sweep {
  readonly name: string;
  readonly scene: (arms?: Arms) => Scenario;
  readonly fault: Parameters<typeof faultNumber>[0];
  /** Of the machine, or of the clock: those after all of them set back. */
  readonly at: number;
  readonly chaos: Chaos;
}

const forMs = (ms: number) => [ms, ms] as const;
const sleeps = { sleeps: 1, standMs: forMs(SLEEP_MS) };
const stops = { stops: 1, standMs: forMs(SLEEP_MS) };
const sets = { clockSets: 1, clockSetMs: forMs(HOUR_MS) };

const SWEEPS: readonly Sweep[] = [
  {
    name: "the first of two machines sleeps",
    scene: sleepScene,
    fault: "sleep",
    at: 0,
    chaos: sleeps,
  },
  {
    name: "the second of two machines sleeps",
    scene: sleepScene,
    fault: "sleep",
    at: 1,
    chaos: sleeps,
  },
  {
    name: "the first of two machines stops",
    scene: sleepScene,
    fault: "stop",
    at: 0,
    chaos: stops,
  },
  {
    name: "a disk's clock is set forward",
    scene: diskScene,
    fault: "set clock",
    at: 0,
    chaos: sets,
  },
  { name: "a disk's clock is set back", scene: diskScene, fault: "set clock", at: 1, chaos: sets },
  {
    name: "a share's clock is set forward",
    scene: shareScene,
    fault: "set clock",
    at: 2,
    chaos: sets,
  },
  {
    name: "a share's clock is set back",
    scene: shareScene,
    fault: "set clock",
    at: 5,
    chaos: sets,
  },
];

/** @return the first run that fails, and how many steps there are */
async function sweep({ scene, fault, at, chaos }: Sweep, arms?: Arms) {
  let steps = 0;
  for (; steps < MOST_STEPS; steps++) {
    let step = 0;
    const next = () => step++ === steps ? faultNumber(fault, at) : 0;
    const run: Outcome = await runSchedule(scene(arms), 1, next, chaos);
    if (run.failure !== null) return { failure: run.failure, steps };
    if (run.schedule.length <= steps) break;
  }
  return { failure: null, steps };
}

for (const one of SWEEPS) {
  Deno.test(`simulated: never two, and all are served, if at any step ${one.name}`, async () => {
    const { failure, steps } = await sweep(one);
    assertEquals(failure, null, `at step ${steps}`);
    assert(steps > 100, `only ${steps} steps`);
  });
}

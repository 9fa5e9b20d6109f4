/**
 * Every schedule of two processes of the real code, within the bounds that each test names; and a crash and a
 * freeze of each process at each of its steps.
 */

import { assert, assertEquals } from "@std/assert";
import { holds, type Job, PATHS, runs } from "./scripts.ts";
import { EVERY_SCENARIO } from "./every_scenario.ts";
import { scenario } from "./scenarios.ts";
import { exhaust } from "./simulation/exhaust.ts";
import { foreignPeer } from "./simulation/foreign_peer.ts";
import type { Budget } from "./simulation/possible.ts";
import { faultNumber, runSchedule } from "./simulation/random_run.ts";
import { atMostOneInside, type Scenario } from "./simulation/scenario.ts";

const ALPHA = { host: "alpha" };
/** The timer alone: what wakes early only adds orders that the timer can bring about too. */
const UNWOKEN: Job = { wakeUps: "none" };
const HOUR_MS = 3_600_000;

/** Nothing here is broken by age while its process lives: no overlap is excused. */
function strictly(one: Scenario): Scenario {
  return { ...one, check: atMostOneInside };
}

function two(name: string, oldLockMs?: number): Scenario {
  const cast = ["a", "b"].map((name) => ({ on: ALPHA, name, does: holds(UNWOKEN) }));
  return strictly(scenario(name, cast, oldLockMs === undefined ? {} : { oldLockMs }));
}

function exhaustively(one: Scenario, budget: Budget): void {
  Deno.test(`exhaustive: ${one.name}`, async () => {
    const found = await exhaust(one, { inOrder: true, ...budget });
    if (found.failure) throw new Error([found.failure, ...found.trace].join("\n"));
    assert(found.complete, "the search was cut short");
    assert(
      found.states > 100 && found.schedules > 5,
      `only ${found.states} states, ${found.schedules} schedules`,
    );
  });
}

exhaustively(two("two take turns, in every order"), {});
exhaustively(two("two break an hour-old lock, in every order of up to two switches", HOUR_MS), {
  switches: 2,
});
exhaustively(two("one of two is killed at any step, in every order of up to two switches"), {
  kills: 1,
  switches: 2,
});
exhaustively(
  strictly(scenario("one meets a peer that knows mkdir and rmdir, in every order", [
    { on: ALPHA, name: "a", does: holds(UNWOKEN) },
    { on: ALPHA, name: "foreign", does: foreignPeer({ lock: PATHS.lock }), stays: false },
  ])),
  {},
);

/** Longer than any run here takes to come to rest without faults. */
const MOST_STEPS = 400;
const FREEZES_MS = [3000, 50_000];

const LINE = scenario("three in line", [
  ...["a", "b", "c"].map((name) => ({ on: ALPHA, name, does: runs({ worksMs: 300 }) })),
]);

for (const [at, name] of ["a", "b", "c"].entries()) {
  Deno.test(`simulated: a crash of ${name} at any step lets the others through`, async () => {
    let steps = 0;
    for (; steps < MOST_STEPS; steps++) {
      const run = await faultAt(steps, faultNumber("kill", at), { kills: 1 });
      assertEquals(run.failure, null, `killed at step ${steps}`);
      if (run.schedule.length <= steps) break;
    }
    assert(steps > 30, `only ${steps} steps`);
  });

  for (const freezeMs of FREEZES_MS) {
    Deno.test(`simulated: a freeze of ${name} for ${freezeMs} ms at any step lets all through`, async () => {
      let steps = 0;
      for (; steps < MOST_STEPS; steps++) {
        const chaos = { freezes: 1, freezeMs: [freezeMs, freezeMs] as const };
        const run = await faultAt(steps, faultNumber("freeze", at), chaos);
        assertEquals(run.failure, null, `frozen at step ${steps}`);
        if (run.schedule.length <= steps) break;
      }
      assert(steps > 30, `only ${steps} steps`);
    });
  }
}

/** The plain schedule, but for one fault at this step. */
async function faultAt(step: number, fault: number, chaos: Parameters<typeof runSchedule>[3]) {
  let at = 0;
  return await runSchedule(LINE, 1, () => at++ === step ? fault : 0, chaos);
}

Deno.test("the scenarios have names of their own", () => {
  const names = EVERY_SCENARIO.map(({ scenario }) => scenario.name);
  assertEquals(new Set(names).size, names.length);
});

/** Locks with slots: several locks that share one line. */

import { assert, assertEquals } from "@std/assert";
import { direct } from "./directed.ts";
import { holds, type Job, PATHS, runs } from "./scripts.ts";
import { CALM, type Cast } from "./scenarios.ts";
import { exhaust } from "./simulation/exhaust.ts";
import type { Budget } from "./simulation/possible.ts";
import { randomRuns } from "./simulation/random_run.ts";
import type { Scenario } from "./simulation/scenario.ts";
import {
  atMostOneInEachSlot,
  ONE,
  servedInOrder,
  slotLock,
  slotScenario,
  THREE,
  tryingWithoutVerdict,
  TWO,
} from "./slot_scenarios.ts";

const ALPHA = { host: "alpha" };
const UNWOKEN: Job = { wakeUps: "none" };
const HOUR_MS = 3_600_000;

function two(slots: readonly string[], job: Job = {}): Cast[] {
  return ["a", "b"].map((name) => ({
    on: ALPHA,
    name,
    does: holds({ ...UNWOKEN, slots, ...job }),
  }));
}

function exhaustively(one: Scenario, budget: Budget): void {
  Deno.test(`exhaustive: ${one.name}`, async () => {
    const found = await exhaust(one, { inOrder: true, ...budget });
    if (found.failure) throw new Error([found.failure, ...found.trace].join("\n"));
    assert(found.complete, "the search was cut short");
    assert(found.states > 100 && found.schedules > 5, `only ${found.states} states`);
  });
}

exhaustively(slotScenario("two share one slot, in every order", two(ONE), ONE), {});
exhaustively(slotScenario("two have two slots, in every order", two(TWO), TWO), {});
exhaustively(slotScenario("two have three slots, in every order", two(THREE), THREE), {});
exhaustively(
  slotScenario(
    "two find one of two slots left an hour ago, in every order of up to two switches",
    two(TWO),
    TWO,
    atMostOneInEachSlot,
    { oldLockMs: HOUR_MS },
  ),
  { switches: 2 },
);
exhaustively(
  slotScenario("one of two at two slots is killed at any step", two(TWO), TWO),
  { kills: 1, switches: 2 },
);

Deno.test("simulated: a slot that is taken without its verdict is found to be wrong (N15)", async () => {
  const job = { slots: TWO, worksMs: 300, armed: tryingWithoutVerdict };
  const cast = ["a", "b", "c"].map((name) => ({ on: ALPHA, name, does: runs(job) }));
  const scenario = slotScenario("without a verdict", cast, TWO);
  const { failed } = await randomRuns(scenario, { runs: 1000, chaos: CALM });
  assert(failed?.failure?.includes("two inside slot"), failed?.failure ?? "not found");
});

async function served(cast: Cast[], slots: readonly string[]): Promise<string[]> {
  const scenario = slotScenario("slots", cast, slots, servedInOrder(slots));
  const run = await direct(scenario, []);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  return run.world.notes.filter((note) => note.endsWith(" served"))
    .map((note) => note.replace(" served", ""));
}

const at = (name: string, startsMs: number, worksMs: number, slots = TWO): Cast => {
  return { on: ALPHA, name, does: runs({ slots, startsMs, worksMs }) };
};

Deno.test("free slots go out one after the other, and those that wait are served in order of arrival (P7)", async () => {
  const cast = [
    at("a", 0, 5000),
    at("b", 100, 5000),
    at("c", 200, 100),
    at("d", 300, 100),
    at("e", 400, 100),
  ];
  assertEquals(await served(cast, TWO), ["a", "b", "c", "d", "e"]);
});

Deno.test("whichever slot comes free first goes to the first in line", async () => {
  const cast = [at("a", 0, 20_000), at("b", 100, 1000), at("c", 200, 100), at("d", 300, 100)];
  assertEquals(await served(cast, TWO), ["a", "b", "c", "d"]);
});

Deno.test("a holder of any slot that is killed is found dead by the first in line at once", async () => {
  for (const dead of ["a", "b"]) {
    const held = ["a", "b"].map((name): Cast => {
      return { on: ALPHA, name, does: holds({ slots: TWO, worksMs: 60_000 }) };
    });
    const cast = [...held, at("c", 200, 100)];
    const run = await direct(slotScenario("slots", cast, TWO), [
      { let: "a", untilNoted: "a served" },
      { let: "b", untilNoted: "b served" },
      { kill: dead },
    ]);
    assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
    const breaks = run.world.textOf(`${PATHS.dir}/lock.1.log`) +
      run.world.textOf(`${PATHS.dir}/lock.2.log`);
    assert(/c stale_break .*reason=dead holder=./.test(breaks), breaks);
  }
});

Deno.test("the folder of a slot that is removed under its holder is lost, and the other slot is not", async () => {
  const cast = [at("a", 0, 20_000), at("b", 100, 20_000)];
  const run = await direct(slotScenario("slots", cast, TWO), [
    { let: "a", untilNoted: "a served" },
    { let: "b", untilNoted: "b served" },
    {
      do: (world) => {
        const folder = world.tree.find(PATHS.dir, "readdir")!.children;
        const mine = ["1", "2"].find((slot) => {
          return world.textOf(`${PATHS.dir}/lock.${slot}.log`).includes("a acquired");
        })!;
        folder.delete(slotLock(mine).slice(PATHS.dir.length + 1));
      },
    },
  ]);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  const logs = ["1", "2"].map((slot) => run.world.textOf(`${PATHS.dir}/lock.${slot}.log`)).join("");
  assert(/ a lost/.test(logs), logs);
  assert(!/ b lost/.test(logs) && / b released/.test(logs), logs);
});

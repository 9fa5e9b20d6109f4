/** Several locks: at once, and one inside of another. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { lockPaths } from "../../lib/folder/state/layout.ts";
import { type NamedLock, SeveralLocks } from "../../lib/lock/several.ts";
import { direct, type Direction } from "./directed.ts";
import { failureReport } from "./failure_report.ts";
import { type Job, PATHS } from "./scripts.ts";
import { CALM } from "./scenarios.ts";
import { type Kind, nests, takesBoth } from "./several_scripts.ts";
import { exhaust } from "./simulation/exhaust.ts";
import { type Chaos, randomRuns } from "./simulation/random_run.ts";
import type { Scenario } from "./simulation/scenario.ts";
import type { Script } from "./simulation/sim_process.ts";
import type { World } from "./simulation/world.ts";
import { atMostOneInEachSlot } from "./slot_scenarios.ts";

const ALPHA = { host: "alpha" };
const ROUGH: Chaos = { events: 300, kills: 1, freezes: 1 };
/** The timer alone: what wakes early only adds orders that the timer can bring about too. */
const UNWOKEN: Job = { wakeUps: "none" };

function scene(
  name: string,
  cast: Readonly<Record<string, Script>>,
  atEnd: (world: World) => string | null = nobodyInACircle,
): Scenario {
  return {
    name,
    check: atMostOneInEachSlot,
    looksAt: ["a", "b"].map((lock) => lockPaths(PATHS.dir, lock).lock),
    atEnd,
    build: (world) => {
      world.placeFolder(PATHS.dir);
      const machine = world.machine(ALPHA);
      for (const [who, does] of Object.entries(cast)) world.start(machine, who, does);
    },
  };
}

function nobodyInACircle(world: World): string | null {
  return world.notes.find((note) => note.includes("in a circle")) ?? null;
}

/** Known to be wrong: each takes them in the order in which it names them. */
class Unsorted extends SeveralLocks {
  protected override inOrder(locks: readonly NamedLock[]): readonly NamedLock[] {
    return locks;
  }
}

/** Known to be wrong: whoever cannot have the second keeps the first. */
class KeepsTheFirst extends SeveralLocks {
  protected override giveAllBack(): Promise<void> {
    return Promise.resolve();
  }
}

function opposite(job: Job, kind: Kind = SeveralLocks): Record<string, Script> {
  return {
    one: takesBoth(["a", "b"], job, kind),
    two: takesBoth(["b", "a"], job, kind),
    three: takesBoth(["a", "b"], job, kind),
  };
}

Deno.test("simulated: two locks at once, named in opposite orders: never two in one, and all are served", async () => {
  const scenario = scene("opposite orders", opposite({ worksMs: 300, holds: 2 }));
  const { failed } = await randomRuns(scenario, { runs: 400, chaos: ROUGH });
  if (failed) throw new Error(await failureReport(scenario, failed, ROUGH));
});

Deno.test("exhaustive: two take two locks at once, in every order of up to two switches", async () => {
  const cast = { one: takesBoth(["a", "b"], UNWOKEN), two: takesBoth(["b", "a"], UNWOKEN) };
  const found = await exhaust(scene("two locks", cast), { inOrder: true, switches: 2 });
  assertEquals(found.failure, null, found.trace.join("\n"));
  assert(found.complete && found.states > 100, `${found.states} states`);
});

Deno.test("simulated: names that are not sorted lead into a circle (N16)", async () => {
  const scenario = scene("unsorted", opposite({ worksMs: 300 }, Unsorted));
  const { failed } = await randomRuns(scenario, { runs: 1000, chaos: CALM });
  assertMatch(failed?.failure ?? "not found", /in a circle/);
});

Deno.test("simulated: a failure that keeps the first lock keeps others waiting for it (N17)", async () => {
  const job = { worksMs: 60_000, timeoutMs: 2000 };
  const livesOn = (script: Script): Script => async (sys, me) => {
    await script(sys, me);
    await me.livesOn();
    return "lives on";
  };
  for (const kind of [SeveralLocks, KeepsTheFirst]) {
    const cast = {
      holder: takesBoth(["b"], { worksMs: 60_000 }),
      loser: livesOn(takesBoth(["a", "b"], { ...job, startsMs: 500 }, kind)),
      last: takesBoth(["a"], { startsMs: 70_000, worksMs: 10, timeoutMs: 600_000 }),
    };
    const run = await direct(scene("fails", cast), []);
    const isServed = run.world.notes.includes("last served");
    assertEquals(isServed, kind === SeveralLocks, [run.failure, ...run.world.notes].join("\n"));
  }
});

/** Each has its first lock, and then goes on to the second. */
async function circle(cast: Readonly<Record<string, Script>>, directions: readonly Direction[]) {
  const run = await direct(scene("a circle", cast, () => null), directions);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  return run;
}

Deno.test("a circle of nested holds is named by one of the two at once, and the other is served (U3, U4)", async () => {
  const run = await circle({ one: nests(["a", "b"]), two: nests(["b", "a"]) }, [
    { let: "one", untilNoted: "one has a" },
    { let: "two", untilNoted: "two has b" },
  ]);
  const { notes } = run.world;
  const circles = notes.filter((note) => note.includes("in a circle"));
  assertEquals(circles.length, 1, notes.join("\n"));
  assertMatch(circles[0]!, /^(one in a circle: two b a|two in a circle: one a b)$/);
  assert(notes.includes(circles[0]!.startsWith("one") ? "two served" : "one served"));
  assert(run.virtualMs <= 2000, `${run.virtualMs} ms`);
});

Deno.test("simulated: of two in a circle one is always served, and nobody waits for ever", async () => {
  const cast = { one: nests(["a", "b"]), two: nests(["b", "a"]) };
  const served = (world: World) => {
    return world.notes.some((note) => note.endsWith("served")) ? null : "none of them was served";
  };
  const scenario = scene("a circle", cast, served);
  const { failed } = await randomRuns(scenario, { runs: 400, chaos: { ...CALM, slownessMs: 300 } });
  if (failed) throw new Error(await failureReport(scenario, failed, CALM));
});

Deno.test("a circle of three is named with each of its links", async () => {
  const run = await circle(
    { one: nests(["a", "b"]), two: nests(["b", "c"]), three: nests(["c", "a"]) },
    [
      { let: "one", untilNoted: "one has a" },
      { let: "two", untilNoted: "two has b" },
      { let: "three", untilNoted: "three has c" },
    ],
  );
  const { notes } = run.world;
  const circles = notes.filter((note) => note.includes("in a circle"));
  assertEquals(circles.length, 1, notes.join("\n"));
  assertEquals(circles[0]!.split(";").length, 2, circles[0]);
  assertEquals(notes.filter((note) => note.endsWith("served")).length, 2, notes.join("\n"));
});

Deno.test("who waits for a lock of ours without holding what we wait for is in no circle", async () => {
  const run = await circle({
    one: nests(["a", "b"], { worksMs: 100 }),
    other: nests(["c", "a"], { worksMs: 100 }),
    holder: nests(["b", "d"], { worksMs: 3000 }),
  }, [
    { let: "holder", untilNoted: "holder has b" },
    { let: "one", untilNoted: "one has a" },
    { let: "other", untilNoted: "other has c" },
  ]);
  assertEquals(run.world.notes.filter((note) => note.endsWith("served")).length, 3);
});

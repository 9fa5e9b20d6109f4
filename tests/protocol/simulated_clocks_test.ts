/** What the simulated clocks say while machines stand still and people set them. */

import { assert, assertEquals } from "@std/assert";
import { direct } from "./directed.ts";
import { scenarioOf } from "./plain_runs.ts";
import { propertiesOf } from "./properties.ts";
import { FILE_EPOCH_MS, WallClock } from "./simulation/clocks.ts";
import { findEvent, markOf } from "./simulation/events.ts";
import { exhaust } from "./simulation/exhaust.ts";
import { isCalm, randomRun, replay } from "./simulation/random_run.ts";
import type { Script } from "./simulation/sim_process.ts";
import { World, type WorldSetup } from "./simulation/world.ts";

const property = propertiesOf("simulated clocks:");

const MINUTE_MS = 60_000;

/** What passes on both clocks, and on the file system's, from one step to the next. */
const measures: Script = async ({ clock, files }) => {
  const fileMs = async (name: string) => await files.create(`/share/${name}`, "");
  const before = [await clock.monotonicMs(), await clock.wallMs(), await fileMs("before")];
  const after = [await clock.monotonicMs(), await clock.wallMs(), await fileMs("after")];
  return after.map((ms, at) => ms - before[at]!).join();
};

async function measured(
  fault: Parameters<typeof direct>[1][number],
  world: WorldSetup = {},
): Promise<string> {
  const run = await direct(scenarioOf({ a: { does: measures } }, world), [
    { let: "a", until: ({ number }) => number === 4 },
    fault,
  ]);
  assertEquals(run.failure, null);
  return run.world.processes[0]!.outcome;
}

property("a machine that sleeps loses time on its monotonic clock alone", async () => {
  const passed = await measured({ stand: "sleep", host: "alpha", forMs: MINUTE_MS });
  assertEquals(passed, "0,60000,60000");
});

property("a machine that stops loses none, and a paused one loses it on both clocks", async () => {
  const stopped = await measured({ stand: "stop", host: "alpha", forMs: MINUTE_MS });
  assertEquals(stopped, "60000,60000,60000");
  const paused = await measured({ stand: "pause", host: "alpha", forMs: MINUTE_MS });
  assertEquals(paused, "0,0,60000");
});

property("a wall clock that is set moves file times on a local disk alone", async () => {
  const fault = { setClockOf: "alpha", byMs: -MINUTE_MS };
  assertEquals(await measured(fault), "0,-60000,0");
  assertEquals(await measured(fault, { diskOf: "alpha" }), "0,-60000,-60000");
  const share = { setClockOf: "the share", byMs: MINUTE_MS };
  assertEquals(await measured(share), "0,0,60000");
});

property("timers and commands of a machine that sleeps stand still with it", async () => {
  const sleeps: Script = ({ clock }) => clock.sleep(1000);
  const works: Script = async (_, me) => await me.commandEnded(await me.startCommand("", 1000));
  const until = { let: "b", until: () => true };
  for (const [kind, endsMs] of [["sleep", MINUTE_MS + 1000], ["stop", MINUTE_MS]] as const) {
    const run = await direct(scenarioOf({ a: { does: works }, b: { does: sleeps } }), [
      { let: "a", until: ({ operation }) => operation === "commandEnded" },
      until,
      { stand: kind, host: "alpha", forMs: MINUTE_MS },
    ]);
    assertEquals([run.failure, run.virtualMs], [null, endsMs]);
  }
});

Deno.test("simulated clocks: a shown time leads back to the last true moment that it may mean", () => {
  const clock = new WallClock("a clock");
  clock.set(3000, 1000);
  clock.set(-3000, 2000);
  const trueMsOf = (shownMs: number, nowMs = 10_000) =>
    clock.readingOf(FILE_EPOCH_MS + shownMs, 1, nowMs)?.trueMs;
  assertEquals([500, 4500, 2500, 9500].map((ms) => trueMsOf(ms)), [500, 4500, 2500, 9500]);
  assertEquals(trueMsOf(4500, 3000), 1500);
  assertEquals(trueMsOf(99_000, 3000), undefined);
});

Deno.test("simulated clocks: each event of time is found again by its mark", () => {
  const world = new World({ diskOf: "alpha" });
  world.machine({ host: "alpha" });
  world.machine({ host: "beta" });
  const [alpha, beta] = world.hosts;
  const clock = world.wallClocks[1]!;
  for (
    const event of [
      { kind: "sleep", host: alpha!, forMs: 7 },
      { kind: "pause", host: beta!, forMs: 8 },
      { kind: "set clock", clock, byMs: -9 },
    ] as const
  ) assertEquals(findEvent(world, markOf(world, event, null)), event);
});

property("random runs set clocks and let machines stand, and replay does the same", async () => {
  const chaos = { events: 60, sleeps: 2, stops: 1, pauses: 1, clockSets: 3 };
  const beta = { host: "beta" };
  const parts = { a: { does: measures }, b: { on: beta, does: measures } };
  const scenario = { ...scenarioOf(parts), mostMs: 36_000_000 };
  const seen = new Set<string>();
  for (let seed = 1; seed <= 60; seed++) {
    const first = await randomRun(scenario, seed, chaos);
    const again = await replay(scenario, seed, first.schedule, chaos);
    assertEquals([again.failure, again.events], [first.failure, first.events]);
    assertEquals(again.world.describe(), first.world.describe());
    const words = / (SLEEPS|STANDS|IS PAUSED|is set back|is set forward)/g;
    for (const [, word] of again.trace.join("\n").matchAll(words)) seen.add(word!);
  }
  assertEquals(seen.size, 5, [...seen].join());
});

property("exhaust() tries each fault of time at each step, if asked to", async () => {
  const scenario = scenarioOf({ a: { does: measures } });
  const outcomes = async (budget: Parameters<typeof exhaust>[1]) => {
    const seen = new Set<string>();
    const atEnd = (world: World) => {
      seen.add(world.processes[0]!.outcome);
      return null;
    };
    const found = await exhaust({ ...scenario, atEnd }, budget);
    assert(found.complete);
    return [...seen].sort();
  };
  assertEquals(await outcomes({}), ["0,0,0"]);
  // The sleep falls between the readings of the wall clock or of the file, or between the monotonic ones too.
  const slept = await outcomes({ stands: 1, standMs: [["sleep", MINUTE_MS]] });
  assertEquals(slept, ["0,0,0", "0,0,60000", "0,60000,0", "0,60000,60000"]);
  const set = await outcomes({ clockSets: 1, clockSetMs: [5] });
  assertEquals(set, ["0,0,0", "0,0,5", "0,5,0"]);
});

Deno.test("simulated clocks: a scene is calm only without any fault", () => {
  assertEquals([isCalm({ events: 9 }), isCalm({ sleeps: 1 }), isCalm({ clockSets: 1 })], [
    true,
    false,
    false,
  ]);
});

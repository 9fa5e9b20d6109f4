import { assert, assertEquals, assertLess, assertMatch, assertNotEquals } from "@std/assert";
import { property } from "./properties.ts";
import { type Chaos, randomRun, randomRuns, replay } from "./simulation/random_run.ts";
import { shrinkRandomRun, tellOutcome } from "./simulation/shrink.ts";
import type { World } from "./simulation/world.ts";
import { breaksAfterLook, fileLocked, plain, toy } from "./toy_mutexes.ts";

const wrong = toy("break after look", [breaksAfterLook, breaksAfterLook, breaksAfterLook], {
  oldLock: true,
});
const ROUGH: Chaos = { kills: 1, freezes: 2, freezeMs: [10, 5000], slownessMs: 5000 };

property(
  "randomRuns() finds nothing wrong with three that only make and remove the lock",
  async () => {
    const found = await randomRuns(toy("plain", [plain(3), plain(3), plain(3)]), { runs: 300 });
    assertEquals(found.failed, null);
    assertEquals(found.runs, 300);
  },
);

property("randomRuns() finds nothing wrong with file locks under kills and freezes", async () => {
  const scenario = toy("file lock", [fileLocked, fileLocked, fileLocked]);
  assertEquals((await randomRuns(scenario, { runs: 300, chaos: ROUGH })).failed, null);
});

property("randomRuns() finds two winners of a stale lock", async () => {
  assertMatch((await randomRuns(wrong, { runs: 300 })).failed?.failure ?? "", /^two inside/);
});

property("randomRun() makes the same schedule of the same seed, another of another", async () => {
  const scenario = toy("plain", [plain(5), plain(5), fileLocked]);
  const traceOf = async (seed: number) => {
    const { schedule } = await randomRun(scenario, seed, ROUGH);
    return (await replay(scenario, seed, schedule, ROUGH)).trace;
  };
  assertEquals(await traceOf(7), await traceOf(7));
  assertNotEquals(await traceOf(7), await traceOf(8));
});

property("replay() does what the random run did", async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const first = await randomRun(wrong, seed, ROUGH);
    const again = await replay(wrong, seed, first.schedule, ROUGH);
    assertEquals([again.failure, again.events], [first.failure, first.events]);
    assertEquals(again.world.describe(), first.world.describe());
  }
});

property("shrinkRandomRun() gives a shorter schedule that fails in the same way", async () => {
  const chaos = { ...ROUGH, kills: 0 };
  const { failed } = await randomRuns(wrong, { firstSeed: 2, runs: 300, chaos });
  assert(failed);
  const short = await shrinkRandomRun(wrong, failed, chaos);
  assertMatch(short.failure ?? "", /^two inside/);
  assertLess(short.schedule.length, failed.schedule.length);
  assertLess(short.trace.length, 25);
});

property("tellOutcome() names the scenario, the seed, each step and the schedule", async () => {
  const { failed } = await randomRuns(wrong, { runs: 300 });
  assert(failed);
  const text = tellOutcome(wrong, await shrinkRandomRun(wrong, failed));
  assertMatch(text, /^break after look, seed \d+: two inside: /);
  assertMatch(text, /^ +0\.000s [abc]: makeFolder \/share\/lock\.lock → EEXIST$/m);
  assertMatch(text, /^schedule: \[[\d, ]+\]$/m);
});

property("randomRuns() tells who is stuck behind a dead holder's lock", async () => {
  const scenario = toy("plain", [plain(4), plain(4)]);
  const { failed } = await randomRuns(scenario, { runs: 300, chaos: { kills: 1 } });
  assertMatch(failed?.failure ?? "", /^stuck after \d+ ms: [ab] waits for /);
});

property("randomRuns() counts what was excused, and fails where all was calm", async () => {
  const lenient = {
    ...toy("plain", [plain(1)]),
    check(world: World) {
      if (world.nowMs === 0 && world.excuses.size === 0) world.excuse("for a reason");
      return null;
    },
  };
  const rough = await randomRuns(lenient, { runs: 3, chaos: { freezes: 1 } });
  assertEquals([rough.failed, [...rough.excuses]], [null, [["for a reason", 3]]]);
  const calm = await randomRuns(lenient, { runs: 3 });
  assertEquals(calm.failed?.failure, "excused though all was calm: for a reason");
});

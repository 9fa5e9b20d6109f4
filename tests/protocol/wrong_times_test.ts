/** Known-wrong rules about time are found to be wrong. */

import { assertEquals, assertMatch } from "@std/assert";
import { direct, type Direction } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { holds, type Job } from "./scripts.ts";
import { randomRuns } from "./simulation/random_run.ts";
import type { Call } from "./simulation/sim_process.ts";
import { type Arms, diskScene, shareScene, shortCallsScene } from "./time_scenarios.ts";
import { BEATS_DEAF, CREDULOUS, DEAF, HASTY, REMOVES_DEAF, STUBBORN } from "./wrong_times.ts";

const ALPHA = { host: "alpha" };
const BETA = { host: "beta", watch: "own" } as const;
const HOUR_MS = 3_600_000;
const SLEEP_MS = 60_000;
const LONG: Job = { worksMs: 2 * SLEEP_MS };

const saysThatItBreaks = ({ operation, detail }: Call) =>
  operation === "append" && detail.includes("stale_break");
const writesRecord = ({ operation, paths }: Call) =>
  operation === "create" && paths[0]!.includes("/.new-");

const ASLEEP: readonly Direction[] = [
  { stand: "sleep", host: "alpha", forMs: SLEEP_MS },
  { let: "next", untilNoted: "next served" },
];

/** What goes wrong if a machine sleeps after the look on which its process acts. */
async function asleep(arms: Arms, checksSteps: boolean, directions: readonly Direction[]) {
  const cast = [
    { on: ALPHA, name: "sleeper", does: holds({ ...LONG, ...arms }) },
    { on: BETA, name: "next", does: holds({ ...LONG, ...arms }) },
    { on: BETA, name: "third", does: holds({ ...LONG, ...arms }) },
  ];
  const stage = { checksSteps, oldLockMs: HOUR_MS, world: { birthtimes: false } };
  const run = await direct(scenario("asleep", cast, stage), [...directions, ...ASLEEP]);
  return run.failure ?? "";
}

const BREAKS: readonly Direction[] = [{ let: "sleeper", until: saysThatItBreaks }];
const BEATS: readonly Direction[] = [
  { let: "sleeper", untilNoted: "sleeper served" },
  { let: "sleeper", until: writesRecord },
];

Deno.test("a removal that believes the monotonic clock alone lets two in", async () => {
  assertEquals(await asleep({}, true, BREAKS), "");
  assertMatch(await asleep(REMOVES_DEAF, false, BREAKS), /^two inside/);
  assertMatch(await asleep(DEAF, true, BREAKS), /without the right to/);
});

Deno.test("a heartbeat that believes the monotonic clock alone freshens another's lock", async () => {
  assertEquals(await asleep({}, true, BEATS), "");
  assertMatch(await asleep(BEATS_DEAF, true, BEATS), /freshened the lock of/);
});

const SET = { events: 250, kills: 1, freezes: 1, clockSets: 3 };
/** They are found within some dozens, or some hundreds. */
const RUNS_TO_FIND = 10_000;

Deno.test("a clock of the file system that is carried on whatever is set lets two in", async () => {
  const { failed } = await randomRuns(diskScene(STUBBORN), { runs: RUNS_TO_FIND, chaos: SET });
  assertMatch(failed?.failure ?? "", /^two inside/);
});

Deno.test("an age that is believed without watching lets two in", async () => {
  const { failed } = await randomRuns(shareScene(HASTY), { runs: RUNS_TO_FIND, chaos: SET });
  assertMatch(failed?.failure ?? "", /^two inside/);
});

Deno.test("what another lock was seen to do is believed of this one, and lets two in (V23)", async () => {
  const arms = shortCallsScene(CREDULOUS);
  const { failed } = await randomRuns(arms, { runs: RUNS_TO_FIND, chaos: SET });
  assertMatch(failed?.failure ?? "", /^two inside/);
});

/** Machines that sleep, and clocks that are set, while others go on. */

import { assertEquals, assertGreater } from "@std/assert";
import { direct, type Direction } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { acquiresAndReleases, holds, PATHS, runs, STALE_MS } from "./scripts.ts";
import type { Call } from "./simulation/sim_process.ts";
import type { World } from "./simulation/world.ts";

const ALPHA = { host: "alpha" };
const BETA = { host: "beta", watch: "own" } as const;
const HOUR_MS = 3_600_000;
const SLEEP_MS = 60_000;
/** An `acquire` hold of these tests beats, as far as the others know, every five seconds. */
const TWO_BEATS_MS = 10_000;

const saysThatItBreaks = ({ operation, detail }: Call) =>
  operation === "append" && detail.includes("stale_break");

async function goesWell(
  cast: Parameters<typeof scenario>[1],
  stage: Parameters<typeof scenario>[2],
  directions: readonly Direction[],
): Promise<World> {
  const run = await direct(scenario("clocks", cast, stage), directions);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  return run.world;
}

/** A disk of this machine goes by the machine's own clock. */
const bothClocks = (byMs: number): Direction[] => [
  { setClockOf: "alpha", byMs },
  { setClockOf: "the share", byMs },
];

Deno.test("a breaker whose machine slept between its look and its rmdir leaves the next holder's lock alone (K1, R6)", async () => {
  const cast = [
    { on: ALPHA, name: "sleeper", does: holds() },
    { on: BETA, name: "next", does: holds({ worksMs: 2 * SLEEP_MS }) },
  ];
  const world = await goesWell(cast, { oldLockMs: HOUR_MS }, [
    { let: "sleeper", until: saysThatItBreaks },
    { stand: "sleep", host: "alpha", forMs: SLEEP_MS },
    { let: "next", untilNoted: "next served" },
  ]);
  assertEquals(world.textOf(PATHS.log).includes(" lost"), false);
});

Deno.test("a clock that was set back makes no new lock old (K4, K5)", async () => {
  const cast = [{ on: ALPHA, name: "waiter", does: runs() }];
  const world = await goesWell(cast, { oldLockMs: 1000, checksSteps: false }, [
    { let: "waiter", until: ({ operation }) => operation === "sleep" },
    ...bothClocks(-HOUR_MS),
    { do: ({ tree }) => tree.removeFolder(PATHS.lock) },
    { do: ({ tree }) => tree.makeFolder(PATHS.lock) },
  ]);
  assertEquals(world.textOf(PATHS.log).includes("age=3"), true, world.textOf(PATHS.log));
  assertGreater(world.nowMs, STALE_MS);
});

Deno.test("a clock that was set forth ends no acquire hold that is being watched (V17)", async () => {
  const cast = [
    {
      on: ALPHA,
      name: "a",
      does: acquiresAndReleases({ worksMs: TWO_BEATS_MS - 1000 }),
      stays: false,
    },
    { on: ALPHA, name: "waiter", does: runs() },
  ];
  const world = await goesWell(cast, {}, [
    { let: "a", untilNoted: "a served" },
    { let: "waiter", until: ({ operation }) => operation === "sleep" },
    ...bothClocks(HOUR_MS),
  ]);
  assertEquals(world.textOf(PATHS.log).includes("stale_break"), false);
});

Deno.test("a bare lock is watched for two heartbeats by who sees the clock being set forth, and then broken (V14, V19)", async () => {
  for (
    const [stoodForMs, isBroken] of [[TWO_BEATS_MS - 1000, false], [
      TWO_BEATS_MS + 1000,
      true,
    ]] as const
  ) {
    let clock = { nowMs: 0 };
    const cast = [{ on: ALPHA, name: "waiter", does: runs() }];
    const world = await goesWell(cast, { oldLockMs: 1000, checksSteps: false }, [
      { do: (world) => void (clock = world) },
      { let: "waiter", until: ({ operation }) => operation === "sleep" },
      ...bothClocks(HOUR_MS),
      { let: "waiter", until: () => clock.nowMs >= stoodForMs },
      { do: (world) => isBroken || world.tree.removeFolder(PATHS.lock) },
    ]);
    assertEquals(world.textOf(PATHS.log).includes("stale_break"), isBroken);
    assertEquals(world.nowMs < 2 * TWO_BEATS_MS, true, `looked again late: ${world.nowMs}`);
  }
});

Deno.test("a holder whose machine slept past --stale does not take a peer's lock for its own, by its young record (K1, O6)", async () => {
  const cast = [{ on: ALPHA, name: "holder", does: runs({ worksMs: 20_000 }) }];
  const stage = { checksSteps: false, world: { birthtimes: false } };
  const world = await goesWell(cast, stage, [
    { let: "holder", untilNoted: "holder served" },
    { let: "holder", until: ({ operation }) => operation === "sleep" },
    { stand: "sleep", host: "alpha", forMs: SLEEP_MS },
    { passMs: SLEEP_MS - 1 },
    { do: ({ tree }) => tree.removeFolder(PATHS.lock) },
    { do: ({ tree }) => tree.makeFolder(PATHS.lock) },
  ]);
  assertEquals(world.textOf(PATHS.log).includes("holder lost"), true, world.textOf(PATHS.log));
  assertEquals(world.stands(PATHS.lock), true, "it removed the peer's lock");
});

/** A mount that remembers that a taker had not signed yet. */

import { assertEquals, assertMatch } from "@std/assert";
import { direct } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { holds, type Job, PATHS } from "./scripts.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import type { Run } from "./simulation/scenario.ts";
import type { Call } from "./simulation/sim_process.ts";
import type { World } from "./simulation/world.ts";
import { withoutListingTakers } from "./wrong_files.ts";

/** Age is believed at once there: it is the taking that this is about. */
const FORGETFUL: MachineSetup = {
  host: "far",
  watch: "own",
  absenceMayLagMs: 30_000,
  isAtItsWorst: true,
  mount: { isLocalDisk: false, locksProveLife: false, cachesForMs: 0, listingsLagMs: 0 },
};
const LASTING: Job = { worksMs: 60_000, wakeUps: "none" };
const HOUR_MS = 3_600_000;
/** Longer than a taker without a name is waited for, and not as long as one on another machine. */
const HELD_UP_MS = 8000;

const about = (operation: string, path: string) => (call: Call): boolean =>
  call.operation === operation && call.paths[0] === path;

/** One is held up between its last look and its rmdir; the other had looked before it signed. */
async function meet(job: Job): Promise<Run> {
  const cast = [
    { on: FORGETFUL, name: "a", does: holds(job) },
    { on: { ...FORGETFUL, host: "further" }, name: "b", does: holds(job) },
  ];
  const taker = `${PATHS.removing}/1`;
  let isLater = () => false;
  const heldUp = (world: World) => {
    const untilMs = world.nowMs + HELD_UP_MS;
    isLater = () => world.nowMs >= untilMs || world.inside.length > 0;
  };
  return await direct(scenario("two takers", cast, { oldLockMs: HOUR_MS }), [
    // Both have watched the old lock for long enough by then.
    { let: "b", until: ({ operation }) => operation === "sleep" },
    { let: "a", until: about("create", `${taker}/who.json`) },
    { let: "b", until: about("entry", taker) },
    { let: "a", until: about("removeFolder", PATHS.lock) },
    { do: heldUp },
    { let: "b", until: () => isLater() },
  ]);
}

Deno.test("a taker that has signed is not passed over by who looked before it did", async () => {
  const { failure, trace, world } = await meet(LASTING);
  assertEquals(failure, null, [failure, ...trace].join("\n"));
  assertEquals(world.processes.map(({ outcome }) => outcome), ["served", "served"]);
});

Deno.test("who did not list its folder would pass it over, and two would be inside", async () => {
  const { failure } = await meet({ ...LASTING, around: withoutListingTakers });
  assertMatch(failure ?? "", /removed the lock without the right|two inside/);
});

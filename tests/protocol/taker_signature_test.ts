/** A mount that remembers that a taker had not signed yet. */

import { assertEquals, assertMatch } from "@std/assert";
import { lookAtLock } from "../../lib/folder/look.ts";
import { removeLock } from "../../lib/folder/removal/removal.ts";
import { openSite } from "../../lib/folder/open_site.ts";
import type { Sys } from "../../lib/sys/sys.ts";
import { direct } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { holds, type Job, PATHS } from "./scripts.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import { type Chaos, randomRuns, type Search } from "./simulation/random_run.ts";
import type { Run } from "./simulation/scenario.ts";
import type { Call, Script } from "./simulation/sim_process.ts";
import { FILE_EPOCH_MS, type World } from "./simulation/world.ts";
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

Deno.test("a taker that has signed is not passed over by who looked before it did (M3, R13)", async () => {
  const { failure, trace, world } = await meet(LASTING);
  assertEquals(failure, null, [failure, ...trace].join("\n"));
  assertEquals(world.processes.map(({ outcome }) => outcome), ["served", "served"]);
});

Deno.test("who did not list its folder would pass it over, and two would be inside", async () => {
  const { failure } = await meet({ ...LASTING, around: withoutListingTakers });
  assertMatch(failure ?? "", /removed the lock without the right|two inside/);
});

/** Nothing but the removal of an old lock, and a new one made at once: so the search meets it often. */
function removes(around: (sys: Sys) => Sys): Script {
  return async (sys, me) => {
    const site = openSite(around(sys), PATHS, { mount: me.machine.mount });
    const before = await lookAtLock(site);
    if (before.standing !== "lock" || before.mtimeMs >= FILE_EPOCH_MS) return "too late";
    const { outcome } = await removeLock(site, {
      slug: me.name,
      lockToken: null,
      announce: () => Promise.resolve(),
      lookAgain: async () => {
        const look = await lookAtLock(site);
        return look.standing === "lock" && look.mtimeMs === before.mtimeMs ? look : null;
      },
      mayBeAnothers: true,
      patienceMs: 10_000,
    });
    if (outcome !== "removed") return outcome;
    await sys.files.makeFolder(PATHS.lock);
    me.enter("remover");
    await sys.clock.sleep(60_000);
    me.leave();
    return "served";
  };
}

async function searchRemovals(around: (sys: Sys) => Sys, runs: number): Promise<Search> {
  const cast = ["a", "b"].map((name) => ({
    on: { ...FORGETFUL, host: `host of ${name}` },
    name,
    does: removes(around),
  }));
  const chaos: Chaos = { events: 80, freezes: 3, freezeMs: [1100, 4000], slownessMs: 0 };
  return await randomRuns(scenario("removals", cast, { oldLockMs: HOUR_MS }), { runs, chaos });
}

Deno.test("random schedules find out who passes a taker over without listing its folder", async () => {
  const { failed } = await searchRemovals(withoutListingTakers, 10_000);
  assertMatch(failed?.failure ?? "", /two inside|without the right/);
});

Deno.test("random schedules find no two removers of one lock on a mount that remembers what was absent", async () => {
  const { failed, runs } = await searchRemovals((sys) => sys, 4000);
  assertEquals([failed?.failure, runs], [undefined, 4000]);
});

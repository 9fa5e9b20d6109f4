/** A share that goes on showing attributes of the past, though folders are listed: sshfs as it comes. */

import { assertEquals } from "@std/assert";
import { LOCAL_DISK } from "../../lib/folder/place/mount_trust.ts";
import { direct } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { PATHS, runs } from "./scripts.ts";
import type { MachineSetup } from "./simulation/machine.ts";

const ALPHA = { host: "alpha" };
const LAG_MS = 40_000;
const CACHING: MachineSetup = {
  host: "gamma",
  watch: "own",
  fileLocks: "none",
  attributesMayLagMs: LAG_MS,
  listingRefreshes: false,
};

async function looksThroughTheCache(on: MachineSetup) {
  const cast = [
    { on: ALPHA, name: "holder", does: runs({ worksMs: 3 * LAG_MS }) },
    { on, name: "waiter", does: runs({ startsMs: 100 }) },
  ];
  const world = { granularityMs: 1000, birthtimes: false };
  const meeting = scenario("caching", cast, { lagMs: LAG_MS, world });
  return await direct(meeting, [{ let: "holder", untilNoted: "holder served" }], true);
}

Deno.test("who sees lock and record of different times breaks no holder that beats", async () => {
  const { failure, trace, world } = await looksThroughTheCache(CACHING);
  assertEquals(failure, null, [failure, ...trace].join("\n"));
  assertEquals(world.textOf(PATHS.log).includes("stale_break"), false);
});

Deno.test("who took that share for a disk of its own would break it", async () => {
  const { world } = await looksThroughTheCache({ ...CACHING, mount: LOCAL_DISK });
  assertEquals(world.textOf(PATHS.log).includes("waiter stale_break"), true);
});

/** What those who wait do when somebody sets the clock that stamps the files. */

import { assertEquals } from "@std/assert";
import { direct } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { holds, PATHS } from "./scripts.ts";
import { foreignPeer } from "./simulation/foreign_peer.ts";
import type { Call } from "./simulation/sim_process.ts";

const ALPHA = { host: "alpha" };
const HOUR_MS = 3_600_000;

const triesFirst = ({ operation, paths }: Call) =>
  operation === "makeFolder" && paths[0] === PATHS.lock;

Deno.test("a clock that is set as soon as a wait has begun does not make a foreign peer's lock old at once", async () => {
  const cast = [
    {
      on: ALPHA,
      name: "foreign",
      does: foreignPeer({ lock: PATHS.lock, worksMs: 9000 }),
      stays: false,
    },
    { on: ALPHA, name: "waiter", does: holds({ worksMs: 300 }) },
  ];
  const run = await direct(scenario("set", cast, { world: { diskOf: "alpha" } }), [
    { let: "foreign", until: ({ operation }) => operation === "sleep" },
    { let: "waiter", until: triesFirst },
    { setClockOf: "alpha", byMs: HOUR_MS },
  ]);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  assertEquals(run.world.textOf(PATHS.log).includes("stale_break"), false);
});

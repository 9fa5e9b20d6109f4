/** What a holder or breaker does when its machine wakes, after others have gone on without it. */

import { assertEquals } from "@std/assert";
import { direct } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { holds, PATHS } from "./scripts.ts";
import type { Call, Script } from "./simulation/sim_process.ts";

const ALPHA = { host: "alpha" };
const BETA = { host: "beta", watch: "own" } as const;
const HOUR_MS = 3_600_000;
const SLEEP_MS = 60_000;

/** The same, on a machine whose monotonic clock has stood still for some time. */
function onMachineThatSlept(slept: { ms: number }, does: Script): Script {
  return (sys, me) => {
    const monotonicMs = async () => await sys.clock.monotonicMs() - slept.ms;
    const moment = async () => {
      const now = await sys.clock.moment();
      return { ...now, monotonicMs: now.monotonicMs - slept.ms };
    };
    return does({ ...sys, clock: { ...sys.clock, monotonicMs, moment } }, me);
  };
}

const saysThatItBreaks = ({ operation, detail }: Call) =>
  operation === "append" && detail.includes("stale_break");

Deno.test("a breaker whose machine slept between its look and its rmdir leaves the next holder's lock alone", async () => {
  const slept = { ms: 0 };
  const cast = [
    { on: ALPHA, name: "sleeper", does: onMachineThatSlept(slept, holds()) },
    { on: BETA, name: "next", does: holds({ worksMs: 2 * SLEEP_MS }) },
  ];
  const run = await direct(scenario("asleep", cast, { oldLockMs: HOUR_MS }), [
    { let: "sleeper", until: saysThatItBreaks },
    { freeze: "sleeper", forMs: SLEEP_MS },
    { do: () => void (slept.ms = SLEEP_MS) },
    { let: "next", untilNoted: "next served" },
  ]);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  assertEquals(run.world.textOf(PATHS.log).includes(" lost"), false);
});

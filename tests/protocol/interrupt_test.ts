/** A wait that is called off, in the simulated world: at every step of it. */

import { assert, assertEquals } from "@std/assert";
import { parseLogLine } from "../../lib/log/lines.ts";
import { acquire } from "../../lib/folder/acquire.ts";
import { openSite } from "../../lib/folder/open_site.ts";
import { direct } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { type Job, PATHS, runs, STALE_MS } from "./scripts.ts";
import { countedCalls } from "./simulation/counted_calls.ts";
import type { Script } from "./simulation/sim_process.ts";
import type { World } from "./simulation/world.ts";

/** Acquires, and is interrupted just before its call number `atCall`; notes how that ended. */
function acquiresInterrupted(atCall: number): Script {
  return async (sys, me) => {
    const interrupt = new AbortController();
    const reason = new Error("called off");
    const observed = countedCalls(sys, (call) => {
      if (call === atCall) interrupt.abort(reason);
    });
    const site = openSite(observed, PATHS);
    const request = { slug: me.name, mode: "run", pollMs: 1000, staleMs: STALE_MS } as const;
    try {
      const hold = await acquire(site, {
        ...request,
        timeoutMs: null,
        wakeUps: "sure",
        interrupt: interrupt.signal,
      });
      me.world.note("acquired after all");
      await hold.release();
    } catch (thrown) {
      assertEquals(thrown, reason);
      me.world.note("called off");
    }
    return "ended";
  };
}

/** How many calls an acquire takes before it can no longer be called off, and what was seen at each. */
async function interruptEverywhere(others: Job | null): Promise<number> {
  for (let atCall = 1;; atCall++) {
    const cast = [
      ...(others ? [{ on: { host: "alpha" }, name: "other", does: runs(others) }] : []),
      { on: { host: "alpha" }, name: "a", does: acquiresInterrupted(atCall) },
    ];
    const run = await direct(scenario("called off", cast), [
      ...(others ? [{ let: "other", untilNoted: "other served" } as const] : []),
    ]);
    assertEquals(run.failure, null, `call ${atCall}`);
    const { world } = run;
    assertEquals(world.stands(PATHS.lock), false, `the lock stands after call ${atCall}`);
    const left = [PATHS.queue, PATHS.alive, PATHS.removing].flatMap((path) => namesIn(world, path));
    assertEquals(left, [], `left after call ${atCall}`);
    const { acquired, released } = eventsIn(world.textOf(PATHS.log));
    assertEquals(acquired, released, `call ${atCall}`);
    if (world.notes.includes("acquired after all")) return atCall;
    assert(world.notes.includes("called off"), `call ${atCall}`);
  }
}

function namesIn(world: World, path: string): string[] {
  return [...world.tree.find(path, "list")?.children.keys() ?? []];
}

function eventsIn(log: string): { readonly acquired: number; readonly released: number } {
  const events = log.split("\n").map((line) => parseLogLine(line)?.event);
  const count = (event: string) => events.filter((one) => one === event).length;
  return { acquired: count("acquired"), released: count("released") };
}

Deno.test("an acquire that is called off at any step holds nothing and leaves nothing (C8)", async () => {
  assert(await interruptEverywhere(null) > 20);
});

Deno.test("a wait that is called off at any step holds nothing and leaves nothing", async () => {
  assert(await interruptEverywhere({ worksMs: 3000 }) > 40);
});

/** Places in line that are kept for callers whose calls are cut off. */

import { assert, assertEquals } from "@std/assert";
import { direct } from "./directed.ts";
import { type Cast, scenario } from "./scenarios.ts";
import { type Job, PATHS, runs } from "./scripts.ts";
import { perform } from "./simulation/events.ts";
import type { Run } from "./simulation/scenario.ts";
import type { World } from "./simulation/world.ts";

const ALPHA = { host: "alpha" };
const KEPT_MS = 600_000;

const one = (name: string, job: Job): Cast => ({ on: ALPHA, name, does: runs(job) });

/** Calls that are cut off after ten seconds; half a second later comes the next one. */
const CUT_OFF: Job = { timeoutMs: 10_000, awayMs: 500, keepPlaceMs: KEPT_MS, worksMs: 100 };

/** Does something to the world at a moment. */
function hand(atMs: number, act: (world: World) => void): Cast {
  return {
    on: ALPHA,
    name: `hand at ${atMs}`,
    does: async (sys, me) => {
      await sys.clock.sleep(atMs);
      act(me.world);
      return "done";
    },
  };
}

function kills(name: string): (world: World) => void {
  return (world) => {
    const process = world.processes.find((one) => one.name === name)!;
    perform(world, { kind: "kill", process });
  };
}

async function servedIn(cast: Cast[]): Promise<[string[], Run]> {
  const run = await direct(scenario("calls that are cut off", cast), []);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  const served = run.world.notes.filter((note) => note.endsWith(" served"));
  return [served.map((note) => note.replace(" served", "")), run];
}

function placesOf(world: World): number {
  return world.tree.find(PATHS.places, "readdir")?.children.size ?? 0;
}

Deno.test("a caller whose calls are cut off is served in the order in which it first came (H1, H4)", async () => {
  const [served, run] = await servedIn([
    one("h", { worksMs: 15_000 }),
    one("a", { ...CUT_OFF, startsMs: 100 }),
    one("b", { startsMs: 1000, worksMs: 100 }),
    one("c", { startsMs: 2000, worksMs: 100 }),
  ]);
  assertEquals(served, ["h", "a", "b", "c"]);
  assertEquals(placesOf(run.world), 0, "a hold uses its place up");
});

Deno.test("many of them keep their order over many calls", async () => {
  const callers = ["a", "b", "c", "d", "e"];
  const [served] = await servedIn([
    one("h", { worksMs: 95_000 }),
    ...callers.map((name, index) =>
      one(name, { ...CUT_OFF, startsMs: 100 + 1000 * index, awayMs: 200 + 70 * index })
    ),
    one("z", { startsMs: 8000, worksMs: 100 }),
  ]);
  assertEquals(served, ["h", ...callers, "z"]);
});

Deno.test("an absent one costs nobody anything, and is ahead again once it is back (H6)", async () => {
  const [served] = await servedIn([
    one("h", { worksMs: 15_000 }),
    one("a", { ...CUT_OFF, startsMs: 100, awayMs: 10_000 }),
    one("b", { startsMs: 1000, worksMs: 10_000 }),
    one("c", { startsMs: 2000, worksMs: 100 }),
  ]);
  assertEquals(served, ["h", "b", "a", "c"]);
});

Deno.test("a waiter that is killed leaves its place to the next call of its slug (H2)", async () => {
  const [served] = await servedIn([
    one("h", { worksMs: 15_000 }),
    one("a1", { ...CUT_OFF, slug: "a", startsMs: 100, timeoutMs: 60_000 }),
    one("b", { startsMs: 1000, worksMs: 100 }),
    one("c", { startsMs: 2000, worksMs: 100 }),
    one("a2", { ...CUT_OFF, slug: "a", startsMs: 9000 }),
    hand(5000, kills("a1")),
  ]);
  assertEquals(served, ["h", "a2", "b", "c"]);
});

Deno.test("a waiter that is killed leaves no place where none is to be kept (H1)", async () => {
  const [served] = await servedIn([
    one("h", { worksMs: 15_000 }),
    one("a1", { slug: "a", startsMs: 100 }),
    one("b", { startsMs: 1000, worksMs: 100 }),
    one("a2", { slug: "a", startsMs: 9000, worksMs: 100 }),
    hand(5000, kills("a1")),
  ]);
  assertEquals(served, ["h", "b", "a2"]);
});

Deno.test("a place is kept for as long as was said, and then tidied away (H3)", async () => {
  const [served, run] = await servedIn([
    one("h", { worksMs: 30_000 }),
    one("a", { ...CUT_OFF, startsMs: 100, awayMs: 5000, keepPlaceMs: 4000 }),
    one("b", { startsMs: 1000, worksMs: 100 }),
  ]);
  assertEquals(served, ["h", "b", "a"]);
  assertEquals(placesOf(run.world), 0);
});

Deno.test("one place is taken by one of two calls of the same slug, and the other comes last (H4)", async () => {
  const [served, run] = await servedIn([
    one("h", { worksMs: 30_000 }),
    one("a1", { ...CUT_OFF, slug: "a", startsMs: 100, awayMs: 2000 }),
    one("b", { startsMs: 1000, worksMs: 100 }),
    one("a2", { ...CUT_OFF, slug: "a", startsMs: 11_000, timeoutMs: 60_000 }),
  ]);
  assertEquals(served.slice(0, 3), ["h", "a2", "b"]);
  assertEquals(served.length, 4);
  assertEquals(placesOf(run.world), 0);
});

Deno.test("a hold that was had without a wait uses the place of its slug up (H8)", async () => {
  const [, run] = await servedIn([
    one("h", { worksMs: 5000 }),
    one("a1", { ...CUT_OFF, slug: "a", startsMs: 100, timeoutMs: 1000, awayMs: 60_000 }),
    one("a2", { slug: "a", startsMs: 10_000, worksMs: 100 }),
    hand(20_000, (world) => world.note(`kept: ${placesOf(world)}`)),
  ]);
  assert(run.world.notes.includes("kept: 0"));
});

Deno.test("places and queue deleted in the middle cost the order, and nobody his turn (D3, L14)", async () => {
  const clear = (folder: string) => (world: World) =>
    void world.tree.find(folder, "readdir")?.children.clear();
  const [served] = await servedIn([
    one("h", { worksMs: 30_000 }),
    one("a", { ...CUT_OFF, startsMs: 100, awayMs: 3000 }),
    one("b", { startsMs: 1000, worksMs: 100 }),
    one("c", { ...CUT_OFF, startsMs: 2000 }),
    hand(11_000, clear(PATHS.places)),
    hand(11_500, clear(PATHS.queue)),
  ]);
  assertEquals(served.toSorted(), ["a", "b", "c", "h"]);
});

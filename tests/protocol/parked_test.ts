/** Breakers and holders that are parked, killed or frozen at the worst step. */

import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import { direct, type Direction } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { acquire } from "../../lib/folder/acquire.ts";
import { openSite } from "../../lib/folder/open_site.ts";
import { acquiresAndReleases, holds, PATHS, requestOf, runs, STALE_MS } from "./scripts.ts";
import type { Call, Script } from "./simulation/sim_process.ts";
import { FILE_EPOCH_MS, type World } from "./simulation/world.ts";

const ALPHA = { host: "alpha" };
const BETA = { host: "beta", watch: "own" } as const;
const HOUR_MS = 3_600_000;

const takesTheRight = ({ operation, paths }: Call) =>
  operation === "makeFolder" && paths[0]!.startsWith(`${PATHS.removing}/`);
const removesTheLock = ({ operation, paths }: Call) =>
  operation === "removeFolder" && paths[0] === PATHS.lock;

const oldLock = { oldLockMs: HOUR_MS };

function all(names: string, worksMs = 300) {
  return names.split("").map((name) => ({ on: ALPHA, name, does: holds({ worksMs }) }));
}

async function goesWell(
  name: string,
  cast: Parameters<typeof scenario>[1],
  stage: Parameters<typeof scenario>[2],
  directions: readonly Direction[],
): Promise<World> {
  const run = await direct(scenario(name, cast, stage), directions);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  return run.world;
}

function logged(world: World, word: string): string[] {
  return world.textOf(PATHS.log).split("\n").filter((line) => line.includes(` ${word}`));
}

Deno.test("a breaker that was parked after its look leaves the next holder's lock alone (R5, R6)", async () => {
  const world = await goesWell("parked", all("abc", 5000), oldLock, [
    { let: "a", until: takesTheRight },
    { let: "b", untilNoted: "b served" },
  ]);
  assertEquals(logged(world, "stale_break").length, 1);
  assertEquals(logged(world, "lost"), []);
  assertEquals(world.processes.map(({ outcome }) => outcome), ["served", "served", "served"]);
});

Deno.test("a breaker that was parked before its rmdir keeps all others from removing (R4)", async () => {
  const world = await goesWell("parked", all("abc"), oldLock, [
    { let: "a", until: removesTheLock },
    { let: "b", until: ({ operation }) => operation === "sleep" },
    { passMs: 5000 },
  ]);
  assertEquals(logged(world, "stale_break").length, 1);
  assertEquals(world.processes.map(({ outcome }) => outcome), ["served", "served", "served"]);
});

Deno.test("a lock made anew in the gap, with the same inode and mtime, lets no second one of ours in", async () => {
  const world = await goesWell("made anew", all("abc"), oldLock, [
    { let: "a", until: takesTheRight },
    {
      do: (world) => {
        const mtimeMs = world.tree.find(PATHS.lock, "stat")!.mtimeMs;
        world.tree.removeFolder(PATHS.lock);
        world.tree.makeFolder(PATHS.lock);
        world.tree.setMtime(PATHS.lock, mtimeMs);
      },
    },
    { let: "b", until: takesTheRight },
  ]);
  assertEquals(logged(world, "lost"), []);
  assertEquals(logged(world, "stale_break").length, 1);
});

Deno.test("a heartbeat between a breaker's look and its taking the right makes it back off", async () => {
  const cast = [
    { on: BETA, name: "holder", does: runs({ worksMs: 120_000 }) },
    { on: ALPHA, name: "breaker", does: holds({ startsMs: 10 }) },
  ];
  const world = await goesWell("heartbeat", cast, {}, [
    { let: "holder", untilNoted: "holder served" },
    { passMs: 2 * STALE_MS },
    { let: "breaker", until: takesTheRight },
    {
      let: "holder",
      until: ({ operation, paths }) => operation === "setMtime" && paths[0] === PATHS.lock,
    },
    { let: "holder", until: ({ operation }) => operation === "sleep" },
  ]);
  assertEquals(logged(world, "stale_break"), []);
  assertEquals(logged(world, "lost"), []);
  assertEquals(world.processes.map(({ outcome }) => outcome), ["served", "served"]);
});

Deno.test("a breaker killed with the right in its hand is passed over at once (R10, R17)", async () => {
  const world = await goesWell("killed", all("abc"), oldLock, [
    { let: "a", until: removesTheLock },
    { kill: "a" },
  ]);
  assertEquals(world.stands(PATHS.lock), false);
  assert(world.nowMs < 10_000, `it took ${world.nowMs} ms`);
  assertEquals(world.processes.map(({ outcome }) => outcome), ["", "served", "served"]);
});

Deno.test("a breaker frozen with the right in its hand is waited for, never doubled (R10)", async () => {
  const world = await goesWell("frozen", all("abc"), oldLock, [
    { let: "a", until: removesTheLock },
    { freeze: "a", forMs: 15_000 },
  ]);
  assertEquals(logged(world, "stale_break").length, 1);
  assertEquals(logged(world, "acquired").length, 3);
});

Deno.test("a claim that is held up beyond a breaker's short --stale lets no second one in (V15)", async () => {
  const hasty: Script = async (sys, me) => {
    const request = { ...requestOf(me, "run", {}), staleMs: 1000 };
    const hold = await acquire(openSite(sys, PATHS), request);
    me.enter("hasty");
    me.world.note("hasty served");
    await sys.clock.sleep(60_000);
    me.leave();
    await hold.release();
    return "served";
  };
  for (const heldUpMs of [4900, 5100, 12_000]) {
    const cast = [
      { on: ALPHA, name: "slow", does: holds({ worksMs: 60_000 }) },
      { on: ALPHA, name: "hasty", does: hasty },
    ];
    const world = await goesWell("a slow claim", cast, {}, [
      { let: "slow", until: ({ paths }) => paths[0] === `${PATHS.state}/fence` },
      { let: "hasty", until: ({ operation }) => operation === "sleep" },
      { freeze: "slow", forMs: heldUpMs },
    ]);
    assertEquals(world.processes.map(({ outcome }) => outcome), ["served", "served"]);
  }
});

Deno.test("a break that is said, and then withdrawn because it was late, is taken back in the log (G7, R7)", async () => {
  const world = await goesWell("said, late, withdrawn", all("a"), {
    ...oldLock,
    checksSteps: false,
  }, [
    { let: "a", until: saysThatItBreaks },
    { do: (world) => world.tree.setMtime(PATHS.lock, FILE_EPOCH_MS + world.nowMs + 20_000) },
    { freeze: "a", forMs: 25_000 },
  ]);
  const said = world.textOf(PATHS.log).split("\n").map((line) => line.split(" ")[2] ?? "");
  assertEquals(said.slice(0, 4), ["stale_break", "not_removed", "stale_break", "acquired"]);
  assertEquals(world.processes.map(({ outcome }) => outcome), ["served"]);
});

Deno.test("the next breaker passes a dead one over and waits for a frozen one", async () => {
  const world = await goesWell("dead, then frozen", all("abcd"), oldLock, [
    { let: "a", until: removesTheLock },
    { kill: "a" },
    { let: "b", until: removesTheLock },
    { freeze: "b", forMs: 15_000 },
  ]);
  assertEquals(world.processes.map(({ outcome }) => outcome), ["", "served", "served", "served"]);
  assertEquals(world.stands(`${PATHS.removing}/1`), false, "the dead one's folder is cleared");
});

const saysThatItBreaks = ({ operation, detail }: Call) =>
  operation === "append" && detail.includes("stale_break");

Deno.test("a breaker that was held up right after it said so says it once (G8)", async () => {
  const world = await goesWell("said once", all("a"), oldLock, [
    { let: "a", until: saysThatItBreaks },
    { freeze: "a", forMs: 25_000 },
  ]);
  assertEquals(logged(world, "stale_break").length, 1);
  assertEquals(world.processes.map(({ outcome }) => outcome), ["served"]);
});

for (const birthtimes of [true, false]) {
  const where = birthtimes ? "" : ", without birth times";
  Deno.test(`a holder that was held up before it stamps the lock makes its successor's young again, and is lost${where}`, async () => {
    const cast = [
      { on: ALPHA, name: "holder", does: runs({ worksMs: 200_000 }) },
      { on: BETA, name: "next", does: acquiresAndReleases({ worksMs: 30_000 }), stays: false },
    ];
    const stamps = ({ operation, paths }: Call) =>
      operation === "setMtime" && paths[0] === PATHS.lock;
    let stampedAtMs = 0;
    let mtimeMs = 0;
    const stage = { checksSteps: false, world: { birthtimes } };
    const world = await goesWell("held up", cast, stage, [
      { let: "holder", untilNoted: "holder served" },
      { let: "holder", until: ({ operation }) => operation === "sleep" },
      { let: "holder", until: stamps },
      { let: "next", untilNoted: "next served" },
      { do: ({ nowMs }) => void (stampedAtMs = FILE_EPOCH_MS + nowMs) },
      {
        let: "holder",
        until: ({ operation, detail }) => operation === "append" && detail.includes(" lost"),
      },
      { do: ({ tree }) => void (mtimeMs = tree.find(PATHS.lock, "stat")!.mtimeMs) },
    ]);
    assertGreaterOrEqual(mtimeMs, stampedAtMs);
    assertEquals(logged(world, "lost").length, 1);
    assertEquals(logged(world, "released").map((line) => line.split(" ")[1]), ["next"]);
  });
}

const writesTheRecord = ({ operation, paths }: Call) =>
  operation === "create" && paths[0]!.startsWith(`${PATHS.state}/.new-`);

/** A holder of another machine, of which a breaker sees nothing, is held up at each question of its first beat. */
Deno.test("a beat that is held up between its questions of the clock never freshens another's lock (B4, B5)", async () => {
  const FIRST_QUESTIONS = 4;
  for (let questions = 0; questions < FIRST_QUESTIONS; questions++) {
    const seen = new Set<Call>();
    let isBeating = false;
    const nthQuestion = (call: Call) => {
      isBeating ||= call.operation === "sleep";
      if (isBeating && call.operation === "moment") seen.add(call);
      return seen.size > questions;
    };
    const cast = [
      { on: ALPHA, name: "a", does: holds({ worksMs: 60_000 }) },
      { on: BETA, name: "b", does: holds({ worksMs: 60_000 }) },
    ];
    const world = await goesWell("held up", cast, { world: { birthtimes: false } }, [
      { let: "a", untilNoted: "a served" },
      { let: "b", until: ({ operation }) => operation === "sleep" },
      { let: "a", until: nthQuestion },
      { passMs: 40_000 },
      { let: "a", until: (call) => takesTheRight(call) || writesTheRecord(call) },
      { let: "b", untilNoted: "b served" },
    ]);
    assertEquals(logged(world, "stale_break").length, 1, `question ${questions}`);
  }
});

/** One hold in the simulated world, at the moments that real time hardly ever hits. */

import { assertEquals, assertLess, assertRejects, assertStringIncludes } from "@std/assert";
import { parseRecord } from "../../lib/folder/state/record.ts";
import { acquire } from "../../lib/folder/acquire.ts";
import { openSite } from "../../lib/folder/open_site.ts";
import { direct } from "./directed.ts";
import { CONTAINER, scenario } from "./scenarios.ts";
import { holds, PATHS, requestOf, runs, STALE_MS } from "./scripts.ts";
import type { Call } from "./simulation/sim_process.ts";
import { FILE_EPOCH_MS } from "./simulation/world.ts";

Deno.test("a command that is named while a beat is under way stays named (E6)", async () => {
  const does = scenario("one", [{
    on: { host: "alpha" },
    name: "a",
    does: async (sys, me) => {
      const request = requestOf(me, "run", { wakeUps: "none" });
      const hold = await acquire(openSite(sys, PATHS), request);
      const beating = hold.beat();
      await me.pause("the beat is under way");
      await hold.nameCommand(4711, "1");
      await beating;
      await hold.beat();
      me.world.note(me.world.textOf(PATHS.record));
      await hold.release();
    },
  }]);
  const run = await direct(does, []);
  assertEquals(run.failure, null);
  const record = parseRecord(run.world.notes.at(-1) ?? "");
  assertEquals([record?.childPid, record?.beat], [4711, 3]);
});

Deno.test("a wrapper killed before anything names its command, which cleans its environment, is not dead", async () => {
  const works = { worksMs: STALE_MS / 2 };
  const does = scenario("killed in the step after the start", [
    { on: { host: "alpha" }, name: "a", does: runs({ ...works, scrubs: true }) },
    { on: { host: "alpha" }, name: "b", does: runs({ worksMs: 10 }) },
  ]);
  const run = await direct(does, [
    { let: "a", until: ({ operation }) => operation === "startCommand" },
    { let: "a", until: ({ operation }) => operation === "write" },
    { kill: "a" },
  ]);
  assertEquals(run.failure, null);
  assertEquals(run.world.processes.map(({ state }) => state), ["killed", "finished"]);
});

for (const [what, seesNamespaces] of [["at once", true], ["by age", false]] as const) {
  const who = seesNamespaces ? "sees" : "does not see";
  Deno.test(`the lock of an ended container is broken ${what} where one ${who} that nothing is left in it`, async () => {
    const does = scenario("an ended container", [
      { on: CONTAINER, name: "a", does: holds({ worksMs: STALE_MS / 2 }) },
      { on: { host: "alpha", seesNamespaces }, name: "b", does: runs({ worksMs: 10 }) },
    ]);
    const run = await direct(does, [{ let: "a", untilNoted: "a served" }, { kill: "a" }]);
    assertEquals(run.failure, null);
    assertEquals(run.world.processes.map(({ state }) => state), ["killed", "finished"]);
    assertEquals(run.world.nowMs < STALE_MS, seesNamespaces);
  });
}

Deno.test("a command that is left in a container holds, whoever sees that something is left in it", async () => {
  const does = scenario("a container with a command", [
    { on: CONTAINER, name: "a", does: runs({ worksMs: STALE_MS / 2 }) },
    { on: { host: "alpha", seesNamespaces: true }, name: "b", does: runs({ worksMs: 10 }) },
  ]);
  const run = await direct(does, [
    { let: "a", until: ({ operation }) => operation === "startCommand" },
    { let: "a", until: ({ operation }) => operation === "look" },
    { kill: "a" },
  ]);
  assertEquals(run.failure, null);
  assertEquals(run.world.nowMs > STALE_MS / 2, true);
});

const writesItsName = ({ operation, detail }: Call) =>
  operation === "write" && detail.includes("lockToken");

Deno.test("a claim that came too late, and cannot be given back, is not tried for ever (C6)", async () => {
  const endedAtMs: number[] = [];
  const does = scenario("late", [
    {
      on: { host: "alpha" },
      name: "late",
      does: async (sys, me) => {
        const request = { ...requestOf(me, "run", { wakeUps: "none" }), timeoutMs: 120_000 };
        const failure = await assertRejects(() => acquire(openSite(sys, PATHS), request));
        endedAtMs.push(await sys.clock.wallMs());
        me.world.note(`${failure}`);
      },
    },
    { on: { host: "alpha" }, name: "frozen", does: runs() },
  ]);
  const frozenForMs = 600_000;
  const { failure, trace, world } = await direct(does, [
    {
      let: "late",
      until: ({ operation, paths }) => operation === "rename" && paths[1] === PATHS.record,
    },
    { passMs: STALE_MS + 1 },
    { let: "frozen", until: writesItsName },
    {
      let: "frozen",
      until: ({ operation, paths }) => operation === "list" && paths[0] === PATHS.removing,
    },
    { freeze: "frozen", forMs: frozenForMs },
  ]);
  assertEquals(failure, null, trace.join("\n"));
  assertStringIncludes(world.notes.join(), "gave up waiting");
  assertLess(endedAtMs[0]! - FILE_EPOCH_MS, frozenForMs);
});

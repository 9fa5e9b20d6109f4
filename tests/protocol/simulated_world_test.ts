/** What the simulated world promises of files, clocks, deaths and rest. */

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { after, killedAt, outcomes, scenarioOf } from "./plain_runs.ts";
import { propertiesOf } from "./properties.ts";
import { randomRun } from "./simulation/random_run.ts";
import { runScenario } from "./simulation/scenario.ts";
import type { Script } from "./simulation/sim_process.ts";

const property = propertiesOf("simulated world:");

property("cuts mtimes to the granularity, and moves a folder's with its content", async () => {
  const does: Script = async ({ files, clock }) => {
    await clock.sleep(3500);
    await files.makeFolder("/share/a");
    await clock.sleep(1000);
    const made = (await files.entry("/share/a"))!.mtimeMs;
    await files.create("/share/a/x", "");
    const filled = (await files.entry("/share/a"))!.mtimeMs;
    await files.setMtime("/share/a", 1_700_000_001_999);
    const set = (await files.entry("/share/a"))!.mtimeMs;
    return [made % 100_000, filled % 100_000, set % 100_000].join();
  };
  assertEquals((await outcomes({ a: { does } }, { granularityMs: 1 })).a, "3500,4500,1999");
  assertEquals((await outcomes({ a: { does } }, { granularityMs: 1000 })).a, "3000,4000,1000");
  assertEquals((await outcomes({ a: { does } }, { granularityMs: 2000 })).a, "2000,4000,0");
});

property("gives an inode number again at once, and a birthtime if it keeps one", async () => {
  const does: Script = async ({ files }) => {
    const look = async () => {
      await files.makeFolder("/share/a");
      const entry = await files.entry("/share/a") as { inode?: number; birthtimeMs: number | null };
      await files.removeFolder("/share/a");
      return `${entry.inode} ${entry.birthtimeMs === null ? "unborn" : "born"}`;
    };
    return [await look(), await look()].join();
  };
  const shown = { showsInodes: true };
  const [first, second] = (await outcomes({ a: { does } }, shown)).a!.split(",");
  assertEquals(first, second);
  assertMatch(first!, /^\d+ born$/);
  const { a } = await outcomes({ a: { does } }, { birthtimes: false });
  assertEquals(a, "undefined unborn,undefined unborn");
});

property("lets a killed process do nothing more", async () => {
  const does: Script = async ({ files }) => {
    try {
      for (let at = 0; at < 5; at++) await files.makeFolder(`/share/${at}`);
    } finally {
      await files.makeFolder("/share/finally");
    }
  };
  for (let nth = 0; nth < 5; nth++) {
    const { world } = await killedAt(scenarioOf({ a: { does } }), nth);
    assertEquals(world.tree.find("/share", "stat")!.children.size, nth);
    assertEquals(world.stands("/share/finally"), false);
  }
});

property("ends a sleep early when its wake is aborted, and lets the others sleep on", async () => {
  const does: Script = async ({ clock }) => {
    const startMs = await clock.monotonicMs();
    const wake = new AbortController();
    const long = clock.sleep(60_000, wake.signal).then(() => clock.monotonicMs());
    await clock.sleep(100);
    wake.abort();
    return `${await long - startMs}`;
  };
  assertEquals((await outcomes({ a: { does } })).a, "100");
});

property("waits for code to come to rest through any number of async layers", async () => {
  const deep = async (layers: number): Promise<void> => {
    if (layers > 0) await Promise.all([deep(layers - 1), Promise.race([deep(0), null])]);
  };
  const does: Script = async ({ files }) => {
    await files.makeFolder("/share/lock");
    await deep(200);
    await files.removeFolder("/share/lock");
    await deep(200);
    return "done";
  };
  assertEquals((await outcomes({ a: { does }, b: { does: after(1, does) } })).a, "done");
});

property("counts who leaves as inside until its next step", async () => {
  const leaves: Script = async (_, me) => {
    me.enter();
    me.leave();
    await me.pause("between leaving and giving back");
  };
  const enters: Script = async (_, me) => {
    await me.pause("start");
    me.enter();
    me.leave();
  };
  const scenario = scenarioOf({ a: { does: leaves }, b: { does: enters } });
  const bFirst = await runScenario(scenario, (_, find) => find().at(-1) ?? null, {
    seed: 1,
    traced: false,
  });
  assertMatch(bFirst.failure ?? "", /^two inside/);
  assertEquals((await randomRun(scenario, 1, { events: 0 })).failure, null);
});

property("makes a file in two steps: empty, then filled", async () => {
  const creates: Script = async ({ files }) => {
    await files.create("/share/who.json", "text");
  };
  const scenario = scenarioOf({ a: { does: creates } });
  const half = (await killedAt(scenario, 1)).world;
  assertEquals([half.stands("/share/who.json"), half.textOf("/share/who.json")], [true, ""]);
  const whole = (await killedAt(scenario, 2)).world;
  assertEquals(whole.textOf("/share/who.json"), "text");
});

property("draws other names and fractions for each process and seed", async () => {
  const does: Script = async ({ random }) => `${await random.token()} ${await random.fraction()}`;
  const draw = async (seed: number) => {
    const run = await randomRun(scenarioOf({ a: { does }, b: { does } }), seed, { events: 0 });
    return run.world.processes.map(({ outcome }) => outcome);
  };
  const [a, b] = await draw(1);
  assertMatch(a!, /^[a-z0-9]{24} 0\.\d+$/);
  assertNotEquals(a!.slice(0, 24), b!.slice(0, 24));
  assertEquals(await draw(1), [a, b]);
  assertNotEquals((await draw(2))[0], a);
});

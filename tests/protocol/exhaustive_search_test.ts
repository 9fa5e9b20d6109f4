import { assert, assertEquals, assertMatch } from "@std/assert";
import { propertiesOf } from "./properties.ts";
import { exhaust } from "./simulation/exhaust.ts";
import type { Scenario } from "./simulation/scenario.ts";
import type { Script } from "./simulation/sim_process.ts";
import type { World } from "./simulation/world.ts";
import {
  breaksAfterLook,
  breaksByRename,
  breaksSameInode,
  fileLocked,
  plain,
  toy,
} from "./toy_mutexes.ts";

const property = propertiesOf("exhaust()");

property("finds nothing wrong with two that only make and remove the lock", async () => {
  const found = await exhaust(toy("plain", [plain(3), plain(3)]));
  assertEquals([found.failure, found.complete], [null, true]);
});

property("finds two winners if a stale lock is removed after a mere look", async () => {
  const found = await exhaust(
    toy("break after look", [breaksAfterLook, breaksAfterLook], { oldLock: true }),
  );
  assertMatch(found.failure ?? "", /^two inside/);
  const steps = found.trace.filter((line) => /(make|remove)Folder/.test(line));
  assertEquals(steps.map((line) => line.replace(/.*: (\w+) \S+(.*)/, "$1$2")), [
    "makeFolder → EEXIST",
    "makeFolder → EEXIST",
    "removeFolder",
    "makeFolder",
    "removeFolder",
    "makeFolder",
  ]);
});

property("finds two winners if a stale lock is renamed aside and back", async () => {
  const three = [breaksByRename, breaksByRename, breaksByRename];
  const found = await exhaust(toy("rename", three, { oldLock: true }), { switches: 4 });
  assertMatch(found.failure ?? "", /^two inside/);
  assert(found.trace.some((line) => line.includes("rename")), found.trace.join("\n"));
});

property("finds two winners if an inode number is taken for an identity", async () => {
  const scenario = toy("inode", [breaksSameInode, breaksSameInode, plain()], {
    oldLock: true,
    showsInodes: true,
  });
  assertMatch((await exhaust(scenario, { switches: 3 })).failure ?? "", /^two inside/);
});

property("finds that who waits for a dead holder's lock waits for ever", async () => {
  const found = await exhaust(toy("plain", [plain(), plain()]), { kills: 1 });
  assertMatch(found.failure ?? "", /^stuck .* waits for /);
});

property("finds that a file lock goes with its process, at whatever step it dies", async () => {
  const found = await exhaust(toy("file lock", [fileLocked, fileLocked]), { kills: 2 });
  assertEquals([found.failure, found.complete], [null, true]);
});

property("lets time pass for others while one is frozen", async () => {
  const scenario: Scenario = {
    ...toy("freeze", [plain(), plain(2)]),
    atEnd: (world) => world.nowMs >= 5000 ? "slow" : null,
  };
  const found = await exhaust(scenario, { freezes: 1, freezeMs: [5000] });
  assertEquals(found.failure, "slow");
});

property("comes to the same ends with and without merging and reduction", async () => {
  const scenarios = [
    toy("plain", [plain(2), plain(2)]),
    toy("file lock", [fileLocked, fileLocked]),
    toy("mixed", [plain(1), fileLocked]),
  ];
  for (const scenario of scenarios) {
    for (const kills of [0, 1]) {
      const spared = { ...scenario, check: () => null, mostMs: 2000 };
      const all = await exhaust(spared, { kills, merge: false, reduce: false });
      const merged = await exhaust(spared, { kills, reduce: false });
      const reduced = await exhaust(spared, { kills });
      assertEquals(merged.ends, all.ends);
      assertEquals(reduced.ends, all.ends);
      assert(reduced.runs <= merged.runs && merged.runs <= all.runs);
    }
  }
});

property("says so when it is cut short", async () => {
  const found = await exhaust(toy("plain", [plain(9), plain(9), plain(9)]), { mostStates: 100 });
  assertEquals([found.failure, found.complete], [null, false]);
});

property(
  "takes a process's own calls in the order in which they were made, if asked to",
  async () => {
    const both: Script = async ({ files }) => {
      await Promise.all(["one", "two", "three"].map((name) => files.makeFolder(`/share/${name}`)));
    };
    const scenario = toy("own calls", [both]);
    assertEquals((await exhaust(scenario, { merge: false, reduce: false })).schedules, 6);
    assertEquals((await exhaust(scenario, { inOrder: true })).schedules, 1);
  },
);

property("takes for different what a check remembers differently", async () => {
  const makes = (name: string): Script => ({ files }) => files.makeFolder(`/share/${name}`);
  const memories = new WeakMap<World, string[]>();
  const scenario: Scenario = {
    ...toy("remembered", [makes("x"), makes("y")]),
    looksAt: ["/share"],
    check(world) {
      const memory = memories.get(world) ?? [];
      memories.set(world, memory);
      for (const name of ["x", "y"]) {
        if (world.stands(`/share/${name}`) && !memory.includes(name)) memory.push(name);
      }
      return null;
    },
    atEnd: (world) => memories.get(world)?.join() === "y,x" ? "the other way round" : null,
  };
  const remembered = (world: World) => memories.get(world)?.join() ?? "";
  assertEquals((await exhaust({ ...scenario, remembered })).failure, "the other way round");
});

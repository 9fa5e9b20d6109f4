/** What may go wrong with files, shares and machines of the simulated world. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { faultCode } from "../../lib/sys/faults.ts";
import type { Files } from "../../lib/sys/sys.ts";
import { direct } from "./directed.ts";
import { after, outcomes, type Part, scenarioOf } from "./plain_runs.ts";
import { propertiesOf } from "./properties.ts";
import { dueEvents, findEvent, markOf } from "./simulation/events.ts";
import { exhaust } from "./simulation/exhaust.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import { randomRun, replay } from "./simulation/random_run.ts";
import { type Run, runScenario, type Scenario } from "./simulation/scenario.ts";
import type { Script } from "./simulation/sim_process.ts";

const property = propertiesOf("simulated faults:");

const MINUTE_MS = 60_000;
const BETA: MachineSetup = { host: "beta", watch: "own" };

/** What a call gives: its answer, or the code of its fault. */
async function answered(call: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await call) ?? "done";
  } catch (thrown) {
    const code = faultCode(thrown);
    if (code === null) throw thrown;
    return code;
  }
}

/** What the second sees of what the first does a second later; an old answer wherever one is allowed. */
async function seenOf(
  changes: (files: Files) => Promise<unknown>,
  looks: (files: Files) => Promise<unknown>,
  on: MachineSetup,
  before: (files: Files) => Promise<unknown> = looks,
): Promise<string[]> {
  const seen: string[] = [];
  const a: Part = { does: after(1000, async ({ files }) => void await changes(files)) };
  const b: Part = {
    on: { ...on, isAtItsWorst: true },
    does: async ({ files, clock }) => {
      seen.push(await answered(before(files)));
      await clock.sleep(2000);
      seen.push(await answered(looks(files)));
      await clock.sleep(MINUTE_MS);
      seen.push(await answered(looks(files)));
    },
  };
  await outcomes({ a, b }, {}, (world) => world.placeFile("/share/old", "old"));
  return seen;
}

property("a name that was absent may stay so until its folder is listed", async () => {
  const on = { ...BETA, absenceMayLagMs: 30_000 };
  const makes = (files: Files) => files.create("/share/new", "text");
  const reads = async (files: Files) => (await files.read("/share/new", 99))?.text ?? null;
  assertEquals(await seenOf(makes, reads, on), ["null", "null", '"text"']);
  const lists = async (files: Files) => {
    await files.list("/share");
    return await reads(files);
  };
  assertEquals(await seenOf(makes, lists, on), ["null", '"text"', '"text"']);
});

property(
  "a folder that was absent hides what is in it, until one's own mkdir says that it stands",
  async () => {
    const on = { ...BETA, absenceMayLagMs: 30_000 };
    const makes = async (files: Files) => {
      await files.makeFolder("/share/folder");
      await files.create("/share/folder/file", "");
    };
    const lists = (files: Files) => files.list("/share/folder");
    assertEquals(await seenOf(makes, lists, on), ["null", "null", '["file"]']);
    const makesToo = async (files: Files) => {
      await answered(files.makeFolder("/share/folder"));
      return await lists(files);
    };
    assertEquals(await seenOf(makes, makesToo, on, lists), ["null", '["file"]', '["file"]']);
  },
);

property("a content may be old until its folder is listed, though its time is new", async () => {
  const on = { ...BETA, contentsMayLagMs: 30_000 };
  const writes = (files: Files) => files.overwrite("/share/old", "new");
  const reads = async (files: Files) => (await files.read("/share/old", 99))?.text;
  assertEquals(await seenOf(writes, reads, on), ['"old"', '"old"', '"new"']);
  const entry = async (files: Files) => (await files.entry("/share/old"))!.mtimeMs % 100_000;
  assertEquals((await seenOf(writes, entry, on)).slice(0, 2), ["0", "1000"]);
  const listed = async (files: Files) => [await files.list("/share"), await reads(files)][1];
  assertEquals(await seenOf(writes, listed, on), ['"old"', '"new"', '"new"']);
});

property(
  "a mount may remember its listings, and refuse a mkdir over what it remembers",
  async () => {
    const on = { ...BETA, listingsMayLagMs: 30_000, attributesMayLagMs: 30_000 };
    const removes = (files: Files) => files.removeFile("/share/old");
    assertEquals(await seenOf(removes, (files) => files.list("/share"), on), [
      '["old"]',
      '["old"]',
      "[]",
    ]);
    const makes = (files: Files) => files.makeFolder("/share/old");
    const looks = (files: Files) => files.entry("/share/old").then((entry) => entry?.kind);
    assertEquals(await seenOf(removes, makes, on, looks), ['"file"', "EEXIST", "done"]);
  },
);

property("what this machine has changed itself, its mount knows", async () => {
  const on = {
    ...BETA,
    absenceMayLagMs: MINUTE_MS,
    contentsMayLagMs: MINUTE_MS,
    listingsMayLagMs: MINUTE_MS,
    isAtItsWorst: true,
  };
  const does: Script = async ({ files }) => {
    const seen = [await files.read("/share/own", 99), await files.list("/share")];
    await files.create("/share/own", "one");
    seen.push(await files.list("/share"));
    const texts = [(await files.read("/share/own", 99))!.text];
    await files.overwrite("/share/own", "two");
    texts.push((await files.read("/share/own", 99))!.text);
    return JSON.stringify([...seen, ...texts]);
  };
  const { a } = await outcomes({ a: { on, does } });
  assertEquals(a, '[null,[],["own"],"one","two"]');
});

property("a mandatory file lock keeps all others from the content, by path too", async () => {
  const on: MachineSetup = { host: "alpha", fileLocks: "mandatory", lockedFault: "EBUSY" };
  const does: Script = async ({ files }) => {
    const [one, other] = [await files.open("/share/old"), await files.open("/share/old")];
    const tries = async () => [
      await answered(files.read("/share/old", 9).then((content) => content?.text)),
      await answered(files.readTail("/share/old", 9)),
      await answered(files.overwrite("/share/old", "new")),
      await answered(files.append("/share/old", "")),
      await answered(other!.write("new")),
    ];
    await one!.tryLock("exclusive");
    const exclusive = [...await tries(), await answered(one!.write("own"))];
    await one!.tryLock("shared");
    const shared = await tries();
    await one!.close();
    return [exclusive, shared, await tries()].map((list) => list.join()).join(" ");
  };
  const { a } = await outcomes(
    { a: { on, does } },
    {},
    (world) => world.placeFile("/share/old", "old"),
  );
  const busy = "EBUSY,EBUSY,EBUSY,EBUSY";
  assertEquals(
    a,
    [`${busy},EBUSY,done`, `"own","own",EBUSY,EBUSY,EBUSY`, '"own","own",true,done,done'].join(" "),
  );
});

property("a rename that a server refuses for a second succeeds within two", async () => {
  const on: MachineSetup = { host: "alpha", renamesRefusedMs: 1000, isAtItsWorst: true };
  const does: Script = async ({ files, clock }) => {
    await files.create("/share/new", "new");
    const startMs = await clock.monotonicMs();
    await files.rename("/share/new", "/share/old");
    const tookMs = await clock.monotonicMs() - startMs;
    return `${tookMs >= 1000 && tookMs < 2000} ${(await files.read("/share/old", 9))?.text}`;
  };
  const placed = { a: { on, does } };
  const { a } = await outcomes(placed, {}, (world) => world.placeFile("/share/old", "old"));
  assertEquals(a, "true new");
});

const creates: Script = async ({ files, clock }, me) => {
  me.world.note(await answered(files.create("/share/file", "text")));
  await clock.sleep(1);
  me.world.note(`${me.world.textOf("/share/file")} ${me.world.stands("/share/file")}`);
};

property(
  "a call fails once and has no effect; a file that could not be filled is removed",
  async () => {
    const notesOf = async (operation: string) => {
      const failed = await faulty(scenarioOf({ a: { does: creates } }), operation, "fail");
      assertEquals(failed.failure, null);
      return failed.world.notes;
    };
    assertEquals(await notesOf("create"), ["ENOSPC", " false"]);
    assertEquals(await notesOf("write"), ["ENOSPC", " false"]);
  },
);

/** Plain choices, but that the first call of this operation meets a fault. */
async function faulty(
  scenario: Scenario,
  operation: string,
  kind: "fail" | "never answered",
): Promise<Run> {
  let done = false;
  return await runScenario(scenario, (_, find) => {
    const may = find();
    const step = may.find((event) => event.kind === "step" && event.call.operation === operation);
    if (done || step?.kind !== "step") return may[0] ?? null;
    done = true;
    const { process, call } = step;
    return kind === "fail"
      ? { kind, process, call, code: "ENOSPC" }
      : { kind, process, call, hasEffect: true };
  }, { seed: 1, traced: true });
}

property(
  "a call may never be answered: its process lives on, until somebody kills it",
  async () => {
    const run = await faulty(scenarioOf({ a: { does: creates } }), "create", "never answered");
    const [a] = run.world.processes;
    assertEquals([run.failure, a!.state, run.world.stands("/share/file")], [null, "killed", true]);
    assert(run.virtualMs >= MINUTE_MS, `${run.virtualMs}`);
  },
);

property(
  "with a machine die all that run there, and the server may keep their file locks",
  async () => {
    for (const deadLocksStay of [false, true]) {
      const on: MachineSetup = { host: "beta", lockDomain: "server", deadLocksStay };
      const locks: Script = async ({ files, clock }, me) => {
        await (await files.open("/share/old"))!.tryLock("exclusive");
        me.enter("command", await me.startCommand(""));
        await clock.sleep(MINUTE_MS);
      };
      const asks: Script = async ({ files, clock }, me) => {
        await clock.sleep(1000);
        assertEquals(me.world.inside.length, 0);
        return await (await files.open("/share/old"))!.tryLock("exclusive");
      };
      const scenario = scenarioOf(
        { a: { on, does: locks }, b: { on: { host: "alpha", lockDomain: "server" }, does: asks } },
        {},
        (world) => world.placeFile("/share/old", ""),
      );
      let isDead = false;
      const run = await runScenario(scenario, (world, find) => {
        const may = find();
        const machine = world.machines[0]!;
        if (isDead || world.inside.length === 0) return may[0] ?? null;
        isDead = true;
        return { kind: "machine dies", machine };
      }, { seed: 1, traced: false });
      const [a, b] = run.world.processes;
      assertEquals([run.failure, a!.state], [null, "killed"]);
      assertEquals(b!.outcome, deadLocksStay ? "held" : "granted");
    }
  },
);

property(
  "a command works on without its main thread, and is seen by who looks at threads",
  async () => {
    const sees = async (looks: MachineSetup["looks"]) => {
      const does: Script = async ({ processes }, me) => {
        const pid = await me.startCommand("HELD=token");
        me.world.endMainThread(me, pid);
        const { state } = await processes.look(pid);
        const seen = `${state} ${me.world.commandRuns(me, pid)}`;
        me.world.endCommand(me, pid);
        return `${seen} ${(await processes.look(pid)).state}`;
      };
      return (await outcomes({ a: { on: { host: "alpha", looks: looks! }, does } })).a;
    };
    assertEquals(await sees("sees"), "alive true gone");
    assertEquals(await sees("main threads"), "gone true gone");
  },
);

property("an environment that cannot be read leaves the answer open", async () => {
  const does: Script = async ({ processes }, me) => {
    await me.startCommand("HELD=token", 10);
    const answers = [await processes.inEnvironment("token", null)];
    answers.push(await processes.inEnvironment("another", null));
    return answers.join();
  };
  const on: MachineSetup = { host: "alpha", environments: "some" };
  assertEquals((await outcomes({ a: { on, does } })).a, "yes,unknown");
});

property("a server lives on for as long as others do", async () => {
  const serves: Script = async (_, me) => {
    await me.livesOn();
    return `${me.world.nowMs}`;
  };
  const found = await outcomes({
    a: { does: serves },
    b: { does: after(5000, () => Promise.resolve()) },
    c: { does: serves },
  });
  assertEquals([found.a, found.c], ["5000", "5000"]);
});

/** Each goes on whatever happens to its calls. */
const busy: Script = async ({ files, clock }) => {
  for (let at = 0; at < 5; at++) {
    await answered(files.create(`/share/${at}`, "text"));
    await answered(files.removeFile(`/share/${at}`));
    await clock.sleep(10);
  }
};

property("replay() meets the same faults again, and marks find them", async () => {
  const scenario = scenarioOf({ a: { does: busy }, b: { on: BETA, does: busy } });
  const chaos = { events: 120, errors: 2, silences: 1, machineDeaths: 1 };
  const traces: string[] = [];
  for (let seed = 1; seed <= 60; seed++) {
    const first = await randomRun(scenario, seed, chaos);
    const again = await replay(scenario, seed, first.schedule, chaos);
    assertEquals([again.failure, again.events], [first.failure, first.events], `seed ${seed}`);
    assertEquals(again.world.describe(), first.world.describe());
    traces.push(...again.trace);
  }
  for (const fault of [/ENOSPC \(ONCE\)$/, /NEVER ANSWERED$/, /the machine \w+ DIES$/]) {
    assertMatch(traces.find((line) => fault.test(line)) ?? "none", fault);
  }
  await direct(scenario, [{
    do(world) {
      const step = dueEvents(world, null).find((event) => event.kind === "step");
      assert(step?.kind === "step");
      const { process, call } = step;
      const machine = world.machines[1]!;
      for (
        const event of [
          { kind: "fail", process, call, code: "ENOSPC" },
          { kind: "never answered", process, call, hasEffect: true },
          { kind: "machine dies", machine },
        ] as const
      ) assertEquals(findEvent(world, markOf(world, event, null)), event);
    },
  }]);
});

property("the exhaustive search lets each call fail", async () => {
  const writes: Script = async ({ files }) => {
    await answered(files.create("/share/file", "text"));
    await answered(files.removeFile("/share/file"));
  };
  const scenario = scenarioOf({ a: { does: writes } });
  const plain = await exhaust(scenario);
  const failing = await exhaust(scenario, { errors: 1 });
  assertEquals([plain.schedules, plain.ends.size], [1, 1]);
  assert(failing.complete);
  assertEquals(failing.ends.size, 2, "the file is gone, or it could not be removed");
});

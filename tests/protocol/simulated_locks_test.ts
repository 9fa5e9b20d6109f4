/** File locks of the simulated world. */

import { assertEquals } from "@std/assert";
import { after, killedAt, outcomes, scenarioOf } from "./plain_runs.ts";
import { propertiesOf } from "./properties.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import type { Script } from "./simulation/sim_process.ts";
import type { World } from "./simulation/world.ts";

const property = propertiesOf("simulated file locks:");

const lockOnce: Script = async ({ files }) => {
  const file = await files.open("/share/file");
  const granted = await file!.tryLock("exclusive");
  await file!.close();
  return granted;
};

/** Takes the file lock at once and has it for ten seconds. */
const locksLong: Script = async ({ files, clock }, me) => {
  const file = await files.open("/share/file");
  const granted = await file!.tryLock("exclusive");
  await clock.sleep(10_000);
  await me.pause("at the end");
  return granted;
};

const withFile = (world: World) => world.placeFile("/share/file", "");

property("excludes by file lock between processes, until the holder has exited", async () => {
  const found = await outcomes(
    {
      a: { does: locksLong },
      b: { does: after(5000, lockOnce) },
      c: { does: after(11_000, lockOnce) },
    },
    {},
    withFile,
  );
  assertEquals(found, { a: "granted", b: "held", c: "granted" });
});

property("excludes by file lock between two open files of one process", async () => {
  const does: Script = async ({ files }) => {
    const [one, other] = [await files.open("/share/file"), await files.open("/share/file")];
    const answers = [await one!.tryLock("shared"), await other!.tryLock("shared")];
    answers.push(await one!.tryLock("exclusive"));
    await other!.close();
    answers.push(await one!.tryLock("exclusive"));
    return answers.join();
  };
  assertEquals((await outcomes({ a: { does } }, {}, withFile)).a, "granted,granted,held,granted");
});

property("keeps a file lock on its file through rename and removal", async () => {
  const does: Script = async ({ files }) => {
    const file = await files.open("/share/file");
    await file!.tryLock("exclusive");
    await files.rename("/share/file", "/share/moved");
    const moved = await (await files.open("/share/moved"))!.tryLock("shared");
    await files.create("/share/file", "");
    const anew = await (await files.open("/share/file"))!.tryLock("shared");
    return `${moved},${anew}`;
  };
  assertEquals((await outcomes({ a: { does } }, {}, withFile)).a, "held,granted");
});

property("does not exclude by file lock between machines or mounts", async () => {
  const beta = { host: "beta" };
  const mount = { host: "alpha", lockDomain: "second mount" };
  const without: MachineSetup = { host: "gamma", fileLocks: "none" };
  const found = await outcomes(
    {
      a: { does: locksLong },
      b: { on: beta, does: after(5000, lockOnce) },
      c: { on: mount, does: after(6000, lockOnce) },
      d: { on: without, does: after(7000, lockOnce) },
    },
    {},
    withFile,
  );
  assertEquals(found, { a: "granted", b: "granted", c: "granted", d: "unknown" });
});

property(
  "frees a file lock whenever its process is killed, and wakes who waits for it",
  async () => {
    const waits: Script = async ({ files, clock }) => {
      await clock.sleep(100);
      const file = await files.open("/share/file");
      await file!.lock("exclusive");
      return `locked after ${await clock.wallMs() % 100_000 < 1000 ? "a moment" : "long"}`;
    };
    const scenario = scenarioOf({ a: { does: locksLong }, b: { does: waits } }, {}, withFile);
    for (let nth = 0; nth < 4; nth++) {
      const run = await killedAt(scenario, nth);
      assertEquals([run.failure, run.world.processes[0]!.state], [null, "killed"]);
      assertEquals(run.world.processes[1]!.outcome, "locked after a moment", run.trace.join("\n"));
    }
  },
);

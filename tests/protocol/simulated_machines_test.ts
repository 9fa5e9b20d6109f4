/** What a simulated machine sees of others, and of its mount. */

import { assertEquals } from "@std/assert";
import { faultCode } from "../../lib/sys/faults.ts";
import { after, killedAt, outcomes, scenarioOf } from "./plain_runs.ts";
import { propertiesOf } from "./properties.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import { randomRun } from "./simulation/random_run.ts";
import { runScenario } from "./simulation/scenario.ts";
import type { Script } from "./simulation/sim_process.ts";

const property = propertiesOf("simulated machines:");

property("tells of processes only on their own machine, and knows the dead", async () => {
  const looks: Script = async ({ processes, clock }) => {
    const { pid } = await processes.self();
    const other = await processes.look(pid === 101 ? 102 : 101);
    await clock.sleep(1000);
    const later = await processes.look(pid === 101 ? 102 : 101);
    return `${other.state},${later.state}`;
  };
  const brief: Script = ({ clock }) => clock.sleep(500);
  const found = await outcomes({
    a: { does: looks },
    b: { does: brief },
    c: { on: { host: "beta" }, does: looks },
    d: { on: { host: "delta", strangers: [102] }, does: looks },
    e: { on: { host: "gamma", looks: "unknown" }, does: looks },
  });
  assertEquals(found, {
    a: "alive,gone",
    b: "",
    c: "gone,gone",
    d: "alive,alive",
    e: "unknown,unknown",
  });
});

property("lets a command outlive the process that started it", async () => {
  const starts: Script = async (_, me) => {
    me.enter("run", await me.startCommand("HELD=token", 5000));
    await me.pause("never done");
    return "";
  };
  const watches: Script = async ({ processes, clock }) => {
    const seen: string[] = [];
    for (let at = 0; at < 2; at++) {
      await clock.sleep(3000);
      seen.push(await processes.inEnvironment("token", null));
    }
    return seen.join();
  };
  const run = await killedAt(scenarioOf({ a: { does: starts }, b: { does: watches } }), 1);
  assertEquals([run.failure, run.world.processes[1]!.outcome], [null, "yes,no"]);
  assertEquals(run.world.inside.length, 0);
});

property("shows a lagging machine old attributes until it lists or opens", async () => {
  const beta: MachineSetup = { host: "beta", attributesMayLagMs: 30_000 };
  const changes: Script = async ({ files, clock }) => {
    await clock.sleep(1000);
    await files.removeFolder("/share/lock");
  };
  const looks: Script = async ({ files, clock }) => {
    const seen = [await files.entry("/share/lock")];
    await clock.sleep(2000);
    seen.push(await files.entry("/share/lock"));
    await files.list("/share/lock");
    seen.push(await files.entry("/share/lock"));
    return seen.map((entry) => entry?.kind ?? "nothing").join();
  };
  const scenario = scenarioOf(
    { a: { does: changes }, b: { on: beta, does: looks } },
    {},
    (world) => world.placeFolder("/share/lock"),
  );
  const preferOld = await runScenario(scenario, (_, find) => {
    const may = find();
    return may.find((event) => event.kind === "step" && event.otherwise) ?? may[0] ?? null;
  }, { seed: 1, traced: false });
  assertEquals(preferOld.world.processes[1]!.outcome, "folder,folder,nothing");
  const plainly = await randomRun(scenario, 1, { events: 0 });
  assertEquals(plainly.world.processes[1]!.outcome, "folder,nothing,nothing");
});

property("lets mkdir tell a lagging machine the truth", async () => {
  const beta: MachineSetup = { host: "beta", attributesMayLagMs: 30_000 };
  const makes: Script = async ({ files, clock }) => {
    await clock.sleep(1000);
    await files.makeFolder("/share/lock");
  };
  const tries: Script = async ({ files, clock }) => {
    await files.entry("/share/lock");
    await clock.sleep(2000);
    return await files.makeFolder("/share/lock").then(() => "made", faultCode) ?? "";
  };
  const found = await outcomes({ a: { does: makes }, b: { on: beta, does: tries } });
  assertEquals(found.b, "EEXIST");
});

property("tells a watch of changes in its folder, as its machine's mount allows", async () => {
  const watches: Script = async ({ files, clock }) => {
    let heard = "nothing";
    try {
      const watch = await files.watch("/share", (paths) => heard = paths.join());
      await clock.sleep(2000);
      await watch.close();
    } catch (thrown) {
      heard = faultCode(thrown) ?? "";
    }
    return heard;
  };
  const makes = after(1000, ({ files }) => files.makeFolder("/share/lock"));
  const found = await outcomes({
    a: { does: makes },
    near: { does: watches },
    far: { on: { host: "beta", watch: "own" }, does: watches },
    deaf: { on: { host: "gamma", watch: "silent" }, does: watches },
    without: { on: { host: "delta", watch: "fails" }, does: watches },
  });
  const { near, far, deaf, without } = found;
  assertEquals([near, far, deaf, without], ["/share/lock", "nothing", "nothing", "EMFILE"]);
});

property("keeps a clock of its own on each machine", async () => {
  const does: Script = async ({ clock }) => `${await clock.wallMs() - 1_750_000_000_000}`;
  const found = await outcomes({
    a: { does },
    b: { on: { host: "beta", wallOffsetMs: 7_200_000 }, does },
  });
  assertEquals(found, { a: "0", b: "7200000" });
});

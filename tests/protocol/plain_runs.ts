/**
 * Runs of a few small scripts in a world of their own, for the tests of the world itself.
 *
 * Guarantee: only plain choices are made, so that each test says all that happens.
 * Non-guarantee: one order is tried, not every one.
 * Assumption: `/share` is where the scripts work.
 */

import { assertEquals } from "@std/assert";
import type { MachineSetup } from "./simulation/machine.ts";
import { type Outcome, randomRun } from "./simulation/random_run.ts";
import { type Run, runScenario, type Scenario } from "./simulation/scenario.ts";
import type { Script } from "./simulation/sim_process.ts";
import type { World, WorldSetup } from "./simulation/world.ts";

export interface Part {
  readonly on?: MachineSetup;
  readonly does: Script;
}

const ALPHA: MachineSetup = { host: "alpha" };

export function scenarioOf(
  parts: Readonly<Record<string, Part>>,
  world: WorldSetup = {},
  prepare: (world: World) => void = () => {},
): Scenario {
  return {
    name: "test",
    world,
    mostMs: 600_000,
    build(world) {
      world.placeFolder("/share");
      prepare(world);
      const setups = Object.values(parts).map(({ on = ALPHA }) => on);
      const machines = new Map(setups.map((setup) => [setup, world.machine(setup)]));
      for (const [name, { on = ALPHA, does }] of Object.entries(parts)) {
        world.start(machines.get(on)!, name, does);
      }
    },
  };
}

/** Runs with plain choices only; gives what each script returned. */
export async function outcomes(
  parts: Readonly<Record<string, Part>>,
  world: WorldSetup = {},
  prepare?: (world: World) => void,
): Promise<Record<string, string>> {
  const run: Outcome = await randomRun(scenarioOf(parts, world, prepare), 1, { events: 0 });
  assertEquals(run.failure, null);
  return Object.fromEntries(run.world.processes.map(({ name, outcome }) => [name, outcome]));
}

export function after(ms: number, script: Script): Script {
  return async (sys, me) => {
    await sys.clock.sleep(ms);
    return await script(sys, me);
  };
}

/** Runs plainly, but kills the first process just before its nth event. */
export async function killedAt(scenario: Scenario, nth: number): Promise<Run> {
  let count = 0;
  return await runScenario(scenario, (world, find, last) => {
    const victim = world.processes[0]!;
    if (count++ === nth && victim.alive) return { kind: "kill", process: victim };
    const may = find();
    return may.find((event) => "process" in event && event.process === last) ?? may[0] ?? null;
  }, { seed: 1, traced: true });
}

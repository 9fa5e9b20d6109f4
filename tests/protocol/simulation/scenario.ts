/**
 * A scenario (who is there, what they do, what must never be seen) and one run of it.
 *
 * Guarantee: the check is asked after every event and at each entering, so no overlap is too short to be
 * seen; a run ends when nobody lives any more, when something is found wrong, or at its limits, and being
 * at the limits is a finding too: somebody who could still be served was not.
 * Non-guarantee: a run proves nothing about the choices that it did not make.
 * Assumption: `build` makes everything anew each time; scripts keep nothing between runs.
 */

import { dueEvents, type Event, nameOf, nextTimerMs, perform } from "./events.ts";
import { quiescence } from "./quiescence.ts";
import type { SimProcess } from "./sim_process.ts";
import { World, type WorldSetup } from "./world.ts";

export interface Scenario {
  readonly name: string;
  readonly world?: WorldSetup;
  /** Makes machines, sets files there, starts processes. */
  readonly build: (world: World) => void;
  /** What is wrong just now, or null. Default: `atMostOneInside`. */
  readonly check?: (world: World) => string | null;
  /** Paths that `check` looks at. The exhaustive search then tries every order of what happens to them. */
  readonly looksAt?: readonly string[];
  /** What `check` and `atEnd` have remembered of this world so far. The exhaustive search takes it for a part of its state. */
  readonly remembered?: (world: World) => string;
  /** What is wrong when all have ended, or null. */
  readonly atEnd?: (world: World) => string | null;
  /** Beyond this virtual time, who has not ended is stuck. Default: ten hours. */
  readonly mostMs?: number;
  /** Beyond this many events too. Default: 20,000. */
  readonly mostEvents?: number;
}

export function atMostOneInside(world: World): string | null {
  if (world.inside.length < 2) return null;
  return `two inside: ${world.inside.map((one) => `${one.process.name} (${one.kind})`).join(", ")}`;
}

/**
 * Picks one of what may happen next, or anything else that it wants to happen; null gives the run up.
 * `may` finds out what may happen; nothing if all are stuck, which is then noted as the failure.
 */
export type Choose = (world: World, may: () => Event[], last: SimProcess | null) => Event | null;

export interface Run {
  readonly failure: string | null;
  readonly events: number;
  readonly virtualMs: number;
  /** Readable lines, if they were asked for. */
  readonly trace: readonly string[];
  readonly world: World;
}

export interface RunSetup {
  readonly seed: number;
  readonly traced: boolean;
  /** Called before anything is built. */
  readonly prepare?: (world: World) => void;
}

export async function runScenario(
  scenario: Scenario,
  choose: Choose,
  setup: RunSetup,
): Promise<Run> {
  const world = new World(scenario.world, setup.seed);
  world.check = scenario.check ?? atMostOneInside;
  if (setup.traced) world.trace = [];
  setup.prepare?.(world);
  scenario.build(world);
  await quiescence();
  const mostMs = scenario.mostMs ?? 36_000_000;
  const mostEvents = scenario.mostEvents ?? 20_000;
  let events = 0;
  let last: SimProcess | null = null;
  world.runCheck();
  while (world.failure === null) {
    if (!world.processes.some((process) => process.alive)) {
      world.failure = scenario.atEnd?.(world) ?? null;
      break;
    }
    const event = choose(world, () => nextEvents(world, last, mostMs), last);
    if (event === null) break;
    if (events >= mostEvents) {
      world.fail(stuck(world));
      break;
    }
    events++;
    perform(world, event);
    if (event.kind === "step" || event.kind === "fail" || event.kind === "hint") {
      last = event.process;
      await quiescence();
    }
    world.runCheck();
  }
  const { failure, nowMs: virtualMs } = world;
  return { failure, events, virtualMs, trace: world.trace ?? [], world };
}

function nextEvents(world: World, last: SimProcess | null, mostMs: number): Event[] {
  const due = dueEvents(world, last);
  if (due.length > 0) return due;
  const untilMs = nextTimerMs(world);
  if (untilMs !== null && untilMs <= mostMs) return [{ kind: "time", untilMs }];
  world.fail(stuck(world));
  return [];
}

function stuck(world: World): string {
  const lines = world.processes.filter((process) => process.alive).map((process) => {
    const calls = process.pending.map(nameOf);
    const waits = calls.length > 0 ? calls.join(", ") : "nothing that will ever come";
    return `${process.name} waits for ${waits}${process.frozen ? " (frozen)" : ""}`;
  });
  return `stuck after ${world.nowMs} ms: ${lines.join("; ")}`;
}

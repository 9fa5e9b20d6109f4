/** Runs that are directed: one process is let go on to a certain step and parked there, then another. */

import type { StandKind } from "./simulation/clocks.ts";
import { dueEvents, type Event } from "./simulation/events.ts";
import { type Run, runScenario, type Scenario } from "./simulation/scenario.ts";
import type { Call, SimProcess } from "./simulation/sim_process.ts";
import type { World } from "./simulation/world.ts";

export type Direction =
  /** Lets a process go on, alone, until it is about to make such a call; there it stays parked. */
  | { readonly let: string; readonly until: (call: Call) => boolean }
  /** Lets a process go on, alone, until it has said so: see `World.note`. */
  | { readonly let: string; readonly untilNoted: string }
  | { readonly kill: string }
  | { readonly freeze: string; readonly forMs: number }
  /** A whole machine stands still. */
  | { readonly stand: StandKind; readonly host: string; readonly forMs: number }
  /** Sets a clock: that of a host, or of the share. */
  | { readonly setClockOf: string; readonly byMs: number }
  /** Lets time pass; nobody moves. */
  | { readonly passMs: number }
  | { readonly do: (world: World) => void };

/**
 * Follows the directions, then lets everybody go on to the end, each in turn.
 * @param showsOld each share shows what is past for as long as it may
 */
export async function direct(
  scenario: Scenario,
  directions: readonly Direction[],
  showsOld = false,
): Promise<Run> {
  const left = [...directions];
  let turn = 0;
  return await runScenario(scenario, (world, may) => {
    for (;;) {
      const now = left[0];
      if (!now) break;
      const event = follow(world, now);
      if (event !== "done") return event;
      left.shift();
      if ("kill" in now) return { kind: "kill", process: named(world, now.kill) };
      if ("freeze" in now) {
        return { kind: "freeze", process: named(world, now.freeze), forMs: now.forMs };
      }
      if ("stand" in now) {
        const host = world.hosts.find((one) => one.host === now.host)!;
        return { kind: now.stand, host, forMs: now.forMs };
      }
      if ("setClockOf" in now) {
        const clock = world.wallClocks.find(({ name }) => name.endsWith(` of ${now.setClockOf}`))!;
        return { kind: "set clock", clock, byMs: now.byMs };
      }
      if ("passMs" in now) return { kind: "time", untilMs: world.nowMs + now.passMs };
    }
    const events = may();
    const old = showsOld && events.find((event) => event.kind === "step" && event.otherwise);
    if (old) return old;
    return events[turn++ % events.length] ?? null;
  }, { seed: 1, traced: true });
}

function follow(world: World, direction: Direction): Event | "done" {
  if ("do" in direction) direction.do(world);
  if (!("let" in direction)) return "done";
  const process = named(world, direction.let);
  const arrived = "until" in direction
    ? process.pending.some(direction.until)
    : world.notes.includes(direction.untilNoted);
  if (arrived) return "done";
  const [event] = dueEvents(world, process).filter((one) =>
    ("process" in one && one.process === process) || one.kind === "command ends"
  );
  if (event) return event;
  const due = process.pending.flatMap(({ dueMs }) => dueMs ?? []);
  if (due.length === 0) throw new Error(`${process.name} never gets there`);
  return { kind: "time", untilMs: Math.min(...due) };
}

function named(world: World, name: string): SimProcess {
  const process = world.processes.find((one) => one.name === name);
  if (!process) throw new Error(`there is no process ${name}`);
  return process;
}

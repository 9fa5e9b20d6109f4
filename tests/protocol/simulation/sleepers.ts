/**
 * Sleeping choices: of two events that have nothing to do with each other, one order is enough.
 *
 * When every schedule that begins with one event has been searched, that event is put to sleep in the
 * searches that begin with another one, until something happens that clashes with it: until then it could
 * only lead to where the search has been.
 *
 * Guarantee: two events that do not clash lead to the same state in both orders, and no check can tell the
 * orders apart: who is about to leave clashes with everybody.
 * Non-guarantee: some events that do commute are taken to clash.
 * Assumption: see `footprint.ts`; no time passes between the two.
 */

import type { Event } from "./events.ts";
import { clash, type Footprint, footprintNow, footprintOfEnd } from "./footprint.ts";
import type { World } from "./world.ts";

export interface Sleeper {
  /** The same in every state as long as it sleeps. */
  readonly key: string;
  /** The process that it is about, by its place; -1: none. */
  readonly process: number;
  /** Kills draw on one budget, freezes and faults on others. */
  readonly draws: "kill" | "freeze" | "fail" | null;
  readonly footprint: Footprint;
}

export function sleeperOf(world: World, event: Event, looksAt: readonly string[]): Sleeper {
  const process = "process" in event ? world.processes.indexOf(event.process) : -1;
  const { kind } = event;
  const draws = kind === "kill" || kind === "freeze" || kind === "fail" ? kind : null;
  return {
    key: keyOf(event, process),
    process,
    draws,
    footprint: widened(world, event, footprintOfEvent(world, event), looksAt),
  };
}

function keyOf(event: Event, process: number): string {
  switch (event.kind) {
    case "step":
      return `${process} ${event.call.number}${event.otherwise ? " otherwise" : ""}`;
    case "fail":
      return `fail ${process} ${event.call.number}`;
    case "freeze":
      return `freeze ${process} ${event.forMs}`;
    case "hint":
    case "lose hint":
      return `${event.kind} ${process} ${event.watcher.number}`;
    case "sleep":
    case "stop":
    case "pause":
      return `${event.kind} ${event.host.host} ${event.forMs}`;
    case "set clock":
      return `${event.kind} ${event.clock.name} ${event.byMs}`;
    default:
      return `${event.kind} ${process}`;
  }
}

function footprintOfEvent(world: World, event: Event): Footprint {
  switch (event.kind) {
    case "step":
      if (event.call.operation === "exit") return footprintOfEnd(event.process);
      return footprintNow(world, event.process, event.call);
    case "hint":
    case "lose hint":
      return [{ cell: `watch of ${event.watcher.path}`, access: "read" }];
    case "kill":
      return footprintOfEnd(event.process);
    case "fail":
    case "freeze":
      return [];
    default:
      return null;
  }
}

/** What a check could tell apart clashes with everything; a network mount's memory is one for all its processes. */
function widened(
  world: World,
  event: Event,
  footprint: Footprint,
  looksAt: readonly string[],
): Footprint {
  if (!footprint || !("process" in event)) return null;
  const { process } = event;
  if (
    world.inside.some((one) => one.process === process && (one.leaving || event.kind === "kill"))
  ) {
    return null;
  }
  const seen = ({ cell, access }: { cell: string; access: string }) =>
    access !== "read" && looksAt.some((path) => cell === path || cell === `${path}/*`);
  if (footprint.some(seen)) return null;
  if (!process.machine.attributes || event.kind === "freeze") return footprint;
  const memory = `attributes of machine ${world.machines.indexOf(process.machine)}`;
  return [...footprint, { cell: memory, access: "write" }];
}

export function commute(one: Sleeper, other: Sleeper): boolean {
  if (one.process === other.process) return false;
  if (one.draws !== null && one.draws === other.draws) return false;
  return !clash(one.footprint, other.footprint);
}

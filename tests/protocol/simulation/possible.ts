/**
 * What the exhaustive search may choose from in one state, and what each choice costs of its budget.
 *
 * Guarantee: every due event is offered, and every kill and freeze while the budget lasts.
 * Non-guarantee: with `switches`, orders that need more of them are left out; with `inOrder`, those in which
 * one process's own calls overtake each other.
 * Assumption: the caller spends what a choice costs.
 */

import type { StandKind } from "./clocks.ts";
import type { Event } from "./events.ts";
import { faultsOf } from "./faults.ts";
import type { SimProcess } from "./sim_process.ts";
import type { World } from "./world.ts";

export interface Budget {
  /** How many processes may be killed in one run, each at any step. Default: 0. */
  readonly kills?: number;
  /** How many freezes there may be in one run, each from any step on. Default: 0. */
  readonly freezes?: number;
  /** How long a freeze may last: each of these is tried. */
  readonly freezeMs?: readonly number[];
  /** How often in one run a whole machine may stand still, each from any step on. Default: 0. */
  readonly stands?: number;
  /** In which ways and for how long: each of these is tried. */
  readonly standMs?: readonly (readonly [StandKind, number])[];
  /** How often in one run a clock may be set, each at any step. Default: 0. */
  readonly clockSets?: number;
  /** By how much: each of these is tried. */
  readonly clockSetMs?: readonly number[];
  /** How often a process that could go on may be left for another. Default: without limit. */
  readonly switches?: number;
  /**
   * True lets the calls that one process has pending take effect in the order in which they were made, hints
   * last. Late wake-ups are noise: each may come at any later step. Default: false, any order.
   */
  readonly inOrder?: boolean;
  /** How many calls on files may fail once in one run, each with one fault that it may meet. Default: 0. */
  readonly errors?: number;
  /** Who may not be killed or frozen, and meets no fault. Default: nobody. */
  readonly spare?: (process: SimProcess) => boolean;
  /** False searches without merging equal states: for checking the merging itself. Default: true. */
  readonly merge?: boolean;
  /** False tries both orders of events that have nothing to do with each other. Default: true. */
  readonly reduce?: boolean;
  /** Gives the search up, saying so, after so many states. Default: 2,000,000. */
  readonly mostStates?: number;
}

export type Cost = "kill" | "freeze" | "error" | "stand" | "clock set" | "switch" | null;

/** What is left of the budget. */
export class Left {
  kills: number;
  freezes: number;
  stands: number;
  clockSets: number;
  errors: number;
  switches: number;

  constructor(budget: Budget) {
    this.kills = budget.kills ?? 0;
    this.freezes = budget.freezes ?? 0;
    this.stands = budget.stands ?? 0;
    this.clockSets = budget.clockSets ?? 0;
    this.errors = budget.errors ?? 0;
    this.switches = budget.switches ?? Infinity;
  }

  spend(cost: Cost): void {
    if (cost === "kill") this.kills--;
    else if (cost === "freeze") this.freezes--;
    else if (cost === "error") this.errors--;
    else if (cost === "stand") this.stands--;
    else if (cost === "clock set") this.clockSets--;
    else if (cost === "switch") this.switches--;
  }

  /** Whether it may matter when a process reads a clock: time may pass between an effect and the reading. */
  get clocksMatter(): boolean {
    return this.freezes > 0 || this.stands > 0 || this.clockSets > 0;
  }

  /** With limited switches, who ran last decides what the next step costs. */
  describe(last: SimProcess | null): string {
    const runner = this.switches === Infinity ? "" : last?.name ?? "";
    const faults = `${this.kills} ${this.freezes} ${this.errors} ${this.stands} ${this.clockSets}`;
    return `${faults} ${this.switches} ${runner}`;
  }
}

/** @param due what may happen before kills and freezes are counted in */
export function costs(event: Event, due: readonly Event[], last: SimProcess | null): Cost {
  if (event.kind === "kill" || event.kind === "freeze") return event.kind;
  if ("host" in event) return "stand";
  if (event.kind === "set clock") return "clock set";
  if (event.kind === "fail") return "error";
  return isOf(event, last) || !due.some((other) => isOf(other, last)) ? null : "switch";
}

function isOf(event: Event, process: SimProcess | null): boolean {
  return (event.kind === "step" || event.kind === "hint") && event.process === process;
}

export function possible(
  world: World,
  due: readonly Event[],
  last: SimProcess | null,
  left: Left,
  budget: Budget,
): readonly Event[] {
  const all = budget.inOrder ? firstOfEach(due) : due;
  const own = left.switches <= 0 ? all.filter((event) => isOf(event, last)) : [];
  const may = own.length > 0 ? own : [...all];
  may.push(...timeFaults(world, left, budget));
  if (left.errors > 0) may.push(...may.flatMap((event) => failing(event, budget)));
  if (left.kills === 0 && left.freezes === 0) return may;
  for (const process of world.processes) {
    if (!process.alive || budget.spare?.(process)) continue;
    if (left.kills > 0) may.push({ kind: "kill", process });
    if (left.freezes > 0 && !process.frozen) {
      for (const forMs of budget.freezeMs ?? []) may.push({ kind: "freeze", process, forMs });
    }
  }
  return may;
}

function timeFaults(world: World, left: Left, budget: Budget): readonly Event[] {
  const { standMs = [], clockSetMs = [] } = budget;
  const awake = world.hosts.filter(({ standsUntilMs }) => standsUntilMs <= world.nowMs);
  const stands = left.stands > 0
    ? awake.flatMap((host) => standMs.map(([kind, forMs]): Event => ({ kind, host, forMs })))
    : [];
  const sets = left.clockSets > 0
    ? world.wallClocks.flatMap((clock) =>
      clockSetMs.map((byMs): Event => ({ kind: "set clock", clock, byMs }))
    )
    : [];
  return [...stands, ...sets];
}

/** The same call, but that it meets a fault. */
function failing(event: Event, { spare }: Budget): Event[] {
  if (event.kind !== "step" || event.otherwise || spare?.(event.process)) return [];
  const { process, call } = event;
  const [code] = faultsOf(call);
  return code === undefined ? [] : [{ kind: "fail", process, call, code }];
}

/** The oldest call of each process (with each answer that it may get), and what is no process's. */
function firstOfEach(due: readonly Event[]): readonly Event[] {
  const first = new Map<SimProcess, Event>();
  return due.filter((event) => {
    if (!("process" in event)) return true;
    const known = first.get(event.process);
    if (!known) first.set(event.process, event);
    return !known || (event.kind === "step" && known.kind === "step" && event.call === known.call);
  });
}

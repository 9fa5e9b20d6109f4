/**
 * Searches every schedule of a small scenario.
 *
 * Guarantee: unless it says that it was cut short, every order of effects of the processes has been seen,
 * with every way to spend the kills, the freezes and the faults of clocks and machines, up to two kinds of equality. Equal states have equal
 * futures: a state is the world as `World.describe` tells it and, for each process, a hash of all that it
 * was ever answered. And two events that have nothing to do with each other are tried in one order only.
 * Non-guarantee: time passes only when nobody else can go on, or by a freeze. `check` sees every order of
 * what is inside, and of the paths that the scenario names in `looksAt`; not of anything else. Two
 * different states share a hash about never (53 bits).
 * Assumption: two or three processes and short scripts; a loop that never sleeps has no end here.
 */

import { type Event, findEvent, type Mark, markOf } from "./events.ts";
import { commute, type Sleeper, sleeperOf } from "./sleepers.ts";
import { hash } from "./numbers.ts";
import { type Budget, costs, Left, possible } from "./possible.ts";
import { type Run, runScenario, type Scenario } from "./scenario.ts";
import { shrinkSchedule } from "./shrink.ts";
import type { SimProcess } from "./sim_process.ts";
import type { World } from "./world.ts";

export interface Exhausted {
  readonly failure: string | null;
  /** A short failing schedule as readable lines; empty if nothing failed. */
  readonly trace: readonly string[];
  readonly states: number;
  /** Runs that went on until everybody had ended. */
  readonly schedules: number;
  /** Runs at all, those included that met a known state. */
  readonly runs: number;
  readonly events: number;
  /** The most events in one run. */
  readonly deepest: number;
  readonly seconds: number;
  /** False if `mostStates` or a failure cut it short. */
  readonly complete: boolean;
  /** The different ends that were met: outcomes and what was left standing. */
  readonly ends: ReadonlySet<number>;
}

/** A state on the path of the present run, and what was chosen there. */
interface Fork {
  readonly may: readonly Choice[];
  readonly histories: readonly number[];
  /** What need not be chosen here, because it was chosen before, to the same effect. */
  readonly asleep: readonly Sleeper[];
  taken: number;
}

interface Choice extends Sleeper {
  readonly mark: Mark;
}

export async function exhaust(scenario: Scenario, budget: Budget = {}): Promise<Exhausted> {
  const search = new ExhaustiveSearch(scenario, budget);
  await search.run();
  return await search.result();
}

class ExhaustiveSearch {
  readonly #startedMs = performance.now();
  /** States, with the keys of what slept when they were searched. */
  readonly #seen = new Map<number, ReadonlySet<string>>();
  readonly #ends = new Set<number>();
  readonly #path: Fork[] = [];
  #known = false;
  #schedules = 0;
  #runs = 0;
  #events = 0;
  #deepest = 0;
  #failed: Run | null = null;
  /** With limited switches, the order that is left out may be the only one that could be afforded. */
  readonly #reduces: boolean;

  constructor(readonly scenario: Scenario, readonly budget: Budget) {
    this.#reduces = budget.reduce !== false && budget.switches === undefined;
  }

  async run(): Promise<void> {
    const mostStates = this.budget.mostStates ?? 2_000_000;
    for (let done = false; !done;) {
      this.#known = false;
      const left = new Left(this.budget);
      let depth = 0;
      const run = await this.#follow(left, (world, may, last) => {
        const fork = this.#path[depth++];
        return fork ? this.#again(world, fork, depth, left) : this.#onward(world, may, last, left);
      }, true);
      this.#count(run);
      if (run.failure !== null) return;
      this.#nextPath();
      done = this.#path.length === 0 || this.#seen.size >= mostStates;
    }
  }

  #follow(
    left: Left,
    choose: (world: World, may: () => Event[], last: SimProcess | null) => Event | null,
    hashing: boolean,
    traced = false,
  ): Promise<Run> {
    const prepare = (world: World) => {
      // Along the known part of the path, what was learned is known too.
      world.hashing = hashing && this.#path.length === 0;
      world.clockIsStep = () => left.clocksMatter || world.processes.some((one) => one.frozen);
    };
    return runScenario(this.scenario, choose, { seed: 0, traced, prepare });
  }

  /** Goes on along the known path. */
  #again(world: World, fork: Fork, depth: number, left: Left): Event {
    const { mark } = fork.may[fork.taken]!;
    const event = findEvent(world, mark);
    if (!event) throw new Error("the same choices led to another state");
    left.spend(mark.costs);
    if (depth === this.#path.length) {
      world.hashing = true;
      world.processes.forEach((process, at) => process.history = fork.histories[at]!);
    }
    return event;
  }

  /** Takes the first choice in a new state; gives up in a known one. */
  #onward(
    world: World,
    find: () => Event[],
    last: SimProcess | null,
    left: Left,
  ): Event | null {
    const due = find();
    if (due.length === 0) return null;
    const events = possible(world, due, last, left, this.budget).toSorted(faultsFirst);
    const { looksAt = [], remembered } = this.scenario;
    let choices = events.map((event): Choice => ({
      mark: markOf(world, event, costs(event, due, last)),
      ...sleeperOf(world, event, looksAt),
    }));
    let asleep = this.#reduces ? this.#sleepersNow() : [];
    const isIn = (keys: ReadonlySet<string>) => ({ key }: Sleeper) => keys.has(key);
    const sleeping = new Set(asleep.map(({ key }) => key));
    const state = hash(`${left.describe(last)} ${world.describe()} ${remembered?.(world)}`);
    const before = this.budget.merge === false ? undefined : this.#seen.get(state);
    if (before) {
      choices = choices.filter(isIn(before));
      asleep = asleep.filter(isIn(before));
    }
    choices = choices.filter((choice) => !sleeping.has(choice.key));
    this.#seen.set(state, new Set(asleep.map(({ key }) => key)));
    if (choices.length === 0) {
      this.#known = true;
      return null;
    }
    const histories = world.processes.map((process) => process.history);
    this.#path.push({ may: choices, histories, asleep, taken: 0 });
    left.spend(choices[0]!.mark.costs);
    return findEvent(world, choices[0]!.mark);
  }

  /** What sleeps in the state to which the path leads. */
  #sleepersNow(): readonly Sleeper[] {
    const fork = this.#path.at(-1);
    if (!fork) return [];
    const taken = fork.may[fork.taken]!;
    return [...fork.asleep, ...fork.may.slice(0, fork.taken)].filter((one) => commute(one, taken));
  }

  #count(run: Run): void {
    this.#runs++;
    this.#events += run.events;
    this.#deepest = Math.max(this.#deepest, run.events);
    if (run.failure !== null) this.#failed = run;
    else if (!this.#known) {
      this.#schedules++;
      this.#ends.add(hash(run.world.describe()));
    }
  }

  #nextPath(): void {
    const path = this.#path;
    while (path.length > 0 && path.at(-1)!.taken + 1 >= path.at(-1)!.may.length) path.pop();
    if (path.length > 0) path.at(-1)!.taken++;
  }

  async result(): Promise<Exhausted> {
    const short = this.#failed ? await this.#shortest() : null;
    return {
      failure: short?.failure ?? this.#failed?.failure ?? null,
      trace: short?.trace ?? [],
      states: this.#seen.size,
      schedules: this.#schedules,
      runs: this.#runs,
      events: this.#events,
      deepest: this.#deepest,
      seconds: (performance.now() - this.#startedMs) / 1000,
      complete: this.#path.length === 0,
      ends: this.#ends,
    };
  }

  /** The failing schedule again, as numbers among all choices, and with as few of them as may be. */
  async #shortest(): Promise<Run> {
    const known = this.#path.map((fork) => fork.may[fork.taken]!.mark);
    const numbers: number[] = [];
    const run = (
      pick: (depth: number, world: World, may: readonly Event[]) => number,
      traced: boolean,
    ) => {
      const left = new Left(this.budget);
      let depth = 0;
      return this.#follow(
        left,
        (world, find, last) => {
          const due = find();
          if (due.length === 0) return null;
          const may = possible(world, due, last, left, this.budget);
          const event = may[pick(depth++, world, may)] ?? may[0]!;
          left.spend(costs(event, due, last));
          return event;
        },
        false,
        traced,
      );
    };
    await run((depth, world, may) => {
      const mark = known[depth];
      const at = may.findIndex((event) => {
        return JSON.stringify(markOf(world, event, null)) ===
          JSON.stringify(mark && { ...mark, costs: null });
      });
      return numbers[depth] = Math.max(0, at);
    }, false);
    const follow = (schedule: readonly number[]) => (depth: number) => schedule[depth] ?? 0;
    const short = await shrinkSchedule(numbers, async (schedule) => {
      const outcome = await run(follow(schedule), false);
      return outcome.failure === null ? null : outcome;
    });
    return await run(follow(short.schedule), true);
  }
}

/** What was searched first may sleep afterwards, and a fault that changes little sleeps longest. */
function faultsFirst(one: Event, other: Event): number {
  const faults: readonly Event["kind"][] = [
    "kill",
    "freeze",
    "fail",
    "sleep",
    "stop",
    "pause",
    "set clock",
  ];
  const rank = ({ kind }: Event) => faults.includes(kind) ? 0 : 1;
  return rank(one) - rank(other);
}

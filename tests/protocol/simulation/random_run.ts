/**
 * Random schedules. A schedule is a list of whole numbers, one for each event; 0 is the plain choice: the
 * process that ran last goes on, nobody is killed, time passes only when all sleep.
 *
 * Guarantee: the same scenario, seed and numbers give the same run, and a list that has ended goes on with
 * plain choices, fair to everybody, so that everyone who may still be served gets his turns.
 * Non-guarantee: chance; a schedule that is not drawn is not tried.
 * Assumption: a number means something only in the state in which it was drawn; elsewhere it is some
 * other choice, which is just what shrinking needs.
 */

import { type HostClocks, type StandKind } from "./clocks.ts";
import type { Event } from "./events.ts";
import { fileFault, type FileFaultsLeft } from "./faults.ts";
import { generator, hash, spread } from "./numbers.ts";
import { type Run, runScenario, type Scenario } from "./scenario.ts";
import type { SimProcess } from "./sim_process.ts";
import type { World } from "./world.ts";

export interface Chaos {
  /** How many events are drawn; after them everything is plain. Default: 200. */
  readonly events?: number;
  /** How many processes may be killed in one run. Default: 0. */
  readonly kills?: number;
  /** How many commands may be killed in one run. Default: 0. */
  readonly commandKills?: number;
  /** How many freezes there may be in one run. Default: 0. */
  readonly freezes?: number;
  /** How many calls on files may fail once in one run. Default: 0. */
  readonly errors?: number;
  /** How many calls on files may stay without an answer for ever in one run. Default: 0. */
  readonly silences?: number;
  /** How many machines may die in one run, with all that runs there. Default: 0. */
  readonly machineDeaths?: number;
  /** Shortest and longest freeze. Default: 10 ms to 2 minutes. */
  readonly freezeMs?: readonly [number, number];
  /** How many times in one run a machine may sleep. Default: 0. */
  readonly sleeps?: number;
  /** How many times one may stop whole while its clocks go on. Default: 0. */
  readonly stops?: number;
  /** How many times one may be paused, its clocks too. Default: 0. */
  readonly pauses?: number;
  /** Shortest and longest time that a machine stands still. Default: a second to an hour. */
  readonly standMs?: readonly [number, number];
  /** How many times a clock may be set, of a machine or of the file system. Default: 0. */
  readonly clockSets?: number;
  /** Least and most by which it is set, back or forth. Default: a second to five hours. */
  readonly clockSetMs?: readonly [number, number];
  /** Longest time that passes while somebody could go on; 0: none. Default: a minute. */
  readonly slownessMs?: number;
  /** Who may not be killed or frozen, meets no fault, and does not sleep or die with its machine. Default: nobody. */
  readonly spare?: (process: SimProcess) => boolean;
}

/** So often may one process go on, with no time passing, before the plain choice is another's. */
const PLAIN_STEPS_IN_A_ROW = 40;

const HOUR_MS = 3_600_000;

/** The numbers are below this. */
const RANGE = 2 ** 32;

/** Draws the numbers of one run. How fitful it is differs from run to run. */
function drawSchedule(seed: number, events: number): () => number {
  const fraction = generator(seed, "schedule");
  const plainShare = [0, 0, 0.5, 0.8, 0.93][Math.floor(fraction() * 5)]!;
  let drawn = 0;
  return () => {
    if (drawn++ >= events) return 0;
    const number = 1 + Math.floor(fraction() * (RANGE - 1));
    return fraction() < plainShare ? 0 : number;
  };
}

export interface Outcome extends Run {
  readonly seed: number;
  /** The numbers that were used, without the zeros at the end. */
  readonly schedule: readonly number[];
}

/** One run along the numbers that `next` gives. */
export async function runSchedule(
  scenario: Scenario,
  seed: number,
  next: () => number,
  chaos: Chaos,
  traced = false,
): Promise<Outcome> {
  const used: number[] = [];
  const left = {
    kills: chaos.kills ?? 0,
    freezes: chaos.freezes ?? 0,
    commandKills: chaos.commandKills ?? 0,
    sleep: chaos.sleeps ?? 0,
    stop: chaos.stops ?? 0,
    pause: chaos.pauses ?? 0,
    clockSets: chaos.clockSets ?? 0,
    errors: chaos.errors ?? 0,
    silences: chaos.silences ?? 0,
    machineDeaths: chaos.machineDeaths ?? 0,
  };
  const turns = new Map<SimProcess, number>();
  let inARow = 0;
  let atMs = 0;
  const choose = (world: World, find: () => Event[], last: SimProcess | null): Event | null => {
    const may = find();
    if (may.length === 0) return null;
    const number = next();
    if (last) turns.set(last, used.length);
    used.push(number);
    if (number === 0) {
      if (world.nowMs !== atMs) inARow = 0;
      atMs = world.nowMs;
      if (inARow++ < PLAIN_STEPS_IN_A_ROW) return may[0]!;
      inARow = 0;
      return longestWaiting(may, turns);
    }
    inARow = 0;
    return meaning(world, may, number, chaos, left);
  };
  const run = await runScenario(scenario, choose, { seed, traced });
  while (used.at(-1) === 0) used.pop();
  const failure = run.failure ?? (isCalm(chaos) ? excusedThough(run.world, chaos) : null);
  return { ...run, failure, seed, schedule: used };
}

/** From here on, slowness is as good as a freeze to those who see nothing of a process but its beat. */
const SLOW_MS = 5000;

/** Where nothing goes wrong with anybody, nothing is to be excused. */
function excusedThough(
  { excuses, machines }: World,
  { slownessMs = SLOW_MS }: Chaos,
): string | null {
  if (excuses.size === 0 || (slownessMs >= SLOW_MS && machines.length > 1)) return null;
  return `excused though all was calm: ${[...excuses.keys()].join("; ")}`;
}

function longestWaiting(may: readonly Event[], turns: ReadonlyMap<SimProcess, number>): Event {
  const turn = (event: Event) => "process" in event ? turns.get(event.process) ?? -1 : -1;
  return may.reduce((first, event) => turn(event) < turn(first) ? event : first);
}

interface Left extends FileFaultsLeft {
  kills: number;
  freezes: number;
  commandKills: number;
  sleep: number;
  stop: number;
  pause: number;
  clockSets: number;
}

/** So many kinds of choices there are; what is left of a number says whom or how long. */
const KINDS = 256;

/** The first kind of each fault. */
const FIRST = { kill: 1, freeze: 4, sleep: 22, stop: 26, pause: 28, "set clock": 30 } as const;
const FIRST_OF_NONE = 34;
/** From here on come the faults of files and of whole machines. */
const FIRST_OF_FILES = 40;

/**
 * The number that kills the process at this place among those that live, or freezes it; or lets the machine at this
 * place among those that are awake stand still, or sets the clock at this place.
 */
export function faultNumber(fault: keyof typeof FIRST, at: number): number {
  return FIRST[fault] + KINDS * at;
}

/**
 * What a number other than 0 stands for in this state: of 256 kinds, 4 kill, 8 freeze, 8 let time pass, 2 end a
 * command, 8 let a machine stand still, 4 set a clock, 8 are faults of files.
 */
function meaning(
  world: World,
  may: readonly Event[],
  number: number,
  chaos: Chaos,
  left: Left,
): Event {
  const kind = number % KINDS;
  const detail = Math.floor(number / KINDS);
  if (kind < 12) {
    const at = world.processes.filter((one) => one.alive && !chaos.spare?.(one));
    const process = at[detail % at.length];
    if (kind < 4 && process && left.kills > 0) {
      left.kills--;
      return { kind: "kill", process };
    }
    if (kind >= 4 && process && left.freezes > 0) {
      left.freezes--;
      const [least, most] = chaos.freezeMs ?? [10, 120_000];
      return {
        kind: "freeze",
        process,
        forMs: spread((hash(`${detail}`) % 1000) / 1000, least, most),
      };
    }
  } else if (kind < 20) {
    const most = chaos.slownessMs ?? 60_000;
    if (most > 0) {
      return { kind: "time", untilMs: world.nowMs + spread((detail % 1000) / 1000, 1, most) };
    }
  } else if (kind < 22 && left.commandKills > 0 && world.commands.length > 0) {
    left.commandKills--;
    return { kind: "command ends", command: world.commands[detail % world.commands.length]! };
  }
  return timeFault(world, kind, detail, chaos, left) ??
    fileFault(world, may, kind - FIRST_OF_FILES, detail, left, chaos.spare) ??
    may[detail % may.length]!;
}

function timeFault(
  world: World,
  kind: number,
  detail: number,
  chaos: Chaos,
  left: Left,
): Event | null {
  if (kind < FIRST.sleep || kind >= FIRST_OF_NONE) return null;
  const fraction = (hash(`${detail}`) % 1000) / 1000;
  if (kind >= FIRST["set clock"]) {
    const clocks = world.wallClocks;
    const clock = clocks[detail % clocks.length];
    if (!clock || left.clockSets === 0) return null;
    left.clockSets--;
    const [least, most] = chaos.clockSetMs ?? [1000, 5 * HOUR_MS];
    const byMs = spread(fraction, least, most);
    return {
      kind: "set clock",
      clock,
      byMs: Math.floor(detail / clocks.length) % 2 ? -byMs : byMs,
    };
  }
  const way: StandKind = kind < FIRST.stop ? "sleep" : kind < FIRST.pause ? "stop" : "pause";
  const hosts = world.hosts.filter((host) => mayStand(world, host, chaos));
  const host = hosts[detail % hosts.length];
  if (!host || left[way] === 0) return null;
  left[way]--;
  const [least, most] = chaos.standMs ?? [1000, HOUR_MS];
  return { kind: way, host, forMs: spread(fraction, least, most) };
}

function mayStand(world: World, host: HostClocks, { spare }: Chaos): boolean {
  if (host.standsUntilMs > world.nowMs) return false;
  return !world.processes.some((one) =>
    one.alive && one.machine.clocks === host && (spare?.(one) ?? false)
  );
}

/** No kills, no freezes, nothing wrong with machines and clocks: nothing is ever to be excused then. */
export function isCalm(chaos: Chaos): boolean {
  const { kills, freezes, commandKills, sleeps, stops, pauses, clockSets } = chaos;
  const { errors, silences, machineDeaths } = chaos;
  return ![kills, freezes, commandKills, sleeps, stops, pauses, clockSets].some((many) => many) &&
    ![errors, silences, machineDeaths].some((many) => many);
}

/** One random run. The same seed gives the same run. */
export function randomRun(scenario: Scenario, seed: number, chaos: Chaos = {}): Promise<Outcome> {
  return runSchedule(scenario, seed, drawSchedule(seed, chaos.events ?? 200), chaos);
}

/** The run of a schedule that was printed or kept, with its readable lines. */
export function replay(
  scenario: Scenario,
  seed: number,
  schedule: readonly number[],
  chaos: Chaos = {},
): Promise<Outcome> {
  let at = 0;
  return runSchedule(scenario, seed, () => schedule[at++] ?? 0, chaos, true);
}

export interface Search {
  readonly runs: number;
  readonly events: number;
  readonly seconds: number;
  readonly failed: Outcome | null;
  /** What the check let pass in all these runs, and how often. */
  readonly excuses: ReadonlyMap<string, number>;
}

/** Random runs with the seeds from `firstSeed` on, until one fails or all are done. */
export async function randomRuns(
  scenario: Scenario,
  { firstSeed = 1, runs, chaos = {} }: {
    readonly firstSeed?: number;
    readonly runs: number;
    readonly chaos?: Chaos;
  },
): Promise<Search> {
  const startedMs = performance.now();
  let events = 0;
  const excuses = new Map<string, number>();
  const seconds = () => (performance.now() - startedMs) / 1000;
  for (let done = 0; done < runs; done++) {
    const outcome = await randomRun(scenario, firstSeed + done, chaos);
    events += outcome.events;
    for (const [reason, times] of outcome.world.excuses) {
      excuses.set(reason, (excuses.get(reason) ?? 0) + times);
    }
    if (outcome.failure !== null) {
      return { runs: done + 1, events, seconds: seconds(), failed: outcome, excuses };
    }
  }
  return { runs, events, seconds: seconds(), failed: null, excuses };
}

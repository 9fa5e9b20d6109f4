/** Who meets whom where files, shares and machines fail: each scenario with the faults it is run under. */

import { foundDeadSoon, LAST_STARTS_MS, lineIsLeft } from "./progress.ts";
import {
  type Cast,
  RANDOM_SCENARIOS,
  type RandomScenario,
  scenario,
  type Stage,
} from "./scenarios.ts";
import { acquiresAndReleases, holds, type Job, livesOn, mayFail, runs } from "./scripts.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import { generator } from "./simulation/numbers.ts";
import type { Chaos } from "./simulation/random_run.ts";
import type { Scenario } from "./simulation/scenario.ts";
import type { SimProcess } from "./simulation/sim_process.ts";

const HOUR_MS = 3_600_000;
const QUICK: Job = { worksMs: 300 };
const TWICE: Job = { worksMs: 300, holds: 2 };
/** For several beats. */
const LONG: Job = { worksMs: 60_000 };
/** More than a record may have in all. */
const LONG_COMMAND: Job = { ...LONG, command: ["work", "x".repeat(70_000)] };

export const CALM: Chaos = { events: 250 };
export const ROUGH: Chaos = { events: 250, kills: 1, freezes: 2, commandKills: 1 };
export const spare = ({ name }: SimProcess): boolean => name === "last";

export const ALPHA: MachineSetup = { host: "alpha" };
const LOCKED_FOR_GOOD: MachineSetup = { ...ALPHA, fileLocks: "mandatory" };
/** Nothing is asked of processes, what is locked is busy, and a rename over an open file takes a while. */
const WINDOWS: MachineSetup = {
  host: "windows",
  looks: "unknown",
  fileLocks: "mandatory",
  lockedFault: "EBUSY",
  renamesRefusedMs: 1000,
};
/** File locks of one server are one for all its clients. */
const SERVER = { lockDomain: "server", watch: "own" } as const;
const SMB: MachineSetup = {
  ...SERVER,
  host: "beta",
  fileLocks: "mandatory",
  attributesMayLagMs: 1000,
  renamesRefusedMs: 1000,
};
export const NFS: MachineSetup = {
  ...SERVER,
  host: "beta",
  deadLocksStay: true,
  mount: { isLocalDisk: false, locksProveLife: false, cachesForMs: 0, listingsLagMs: 0 },
};

const SLOW_RENAMES: MachineSetup = { ...ALPHA, renamesRefusedMs: 1000, isAtItsWorst: true };
export const UNREADABLE: MachineSetup = { ...ALPHA, environments: "some" };

export const LAST: Cast = {
  on: ALPHA,
  name: "last",
  does: runs({ startsMs: LAST_STARTS_MS, worksMs: 10 }),
};
/** Nobody waits for longer, whatever happens. */
export const BOUNDED: Stage = { mostMs: 2 * HOUR_MS };

/** What a mount remembers differs from run to run: nothing, for a moment, or for up to a minute. */
function remembering(host: string): (seed: number) => MachineSetup {
  return (seed) => {
    const fraction = generator(seed, `memory of ${host}`);
    const some = () => [0, 1000, 10_000, 20_000, 30_000, 60_000][Math.floor(fraction() * 6)]!;
    return {
      host,
      watch: "own",
      attributesMayLagMs: some(),
      absenceMayLagMs: some(),
      contentsMayLagMs: some(),
      isAtItsWorst: fraction() < 0.5,
    };
  };
}

/** As sshfs does: listings and attributes are remembered, contents and absence are not. */
function lying(host: string): (seed: number) => MachineSetup {
  return (seed) => {
    const fraction = generator(seed, `memory of ${host}`);
    return {
      host,
      watch: "own",
      fileLocks: "none",
      attributesMayLagMs: 1000 + Math.floor(59_000 * fraction()),
      listingsMayLagMs: 20_000,
      isAtItsWorst: fraction() < 0.7,
    };
  };
}

const FAR = remembering("far");
const FURTHER = remembering("further");
export const LYING_AT_ITS_WORST: MachineSetup = {
  host: "lying",
  watch: "own",
  fileLocks: "none",
  attributesMayLagMs: 60_000,
  listingsMayLagMs: 20_000,
  isAtItsWorst: true,
};
const LYING = lying("lying");
const LYING_TOO = lying("lying too");

function three(
  on: Cast["on"],
  jobs: { readonly a: Job; readonly b: Job; readonly c: Job },
): Cast[] {
  return [
    { on, name: "a", does: runs(jobs.a) },
    { on, name: "b", does: runs(jobs.b) },
    { on, name: "c", does: holds(jobs.c) },
  ];
}

export function checkedFor(one: Scenario, ...checks: (typeof foundDeadSoon)[]): Scenario {
  const more = checks.map((make) => make());
  return {
    ...one,
    check: (world) => more.reduce((wrong, check) => wrong ?? check(world), one.check!(world)),
  };
}

/** Random schedules are drawn from these, too. */
export const FAULT_SCENARIOS: readonly RandomScenario[] = [
  {
    scenario: scenario("one call on files fails among kills and freezes", [
      { on: ALPHA, name: "a", does: mayFail(runs(TWICE)) },
      { on: ALPHA, name: "b", does: livesOn(mayFail(holds(TWICE))) },
      { on: { host: "beta", ...SERVER }, name: "c", does: livesOn(mayFail(holds(QUICK))) },
      LAST,
    ], BOUNDED),
    chaos: { ...ROUGH, errors: 1, spare },
  },
  {
    scenario: scenario("one call on files fails, of programs and of servers that live on", [
      { on: ALPHA, name: "a", does: mayFail(runs(TWICE)) },
      { on: ALPHA, name: "b", does: livesOn(mayFail(holds(TWICE))) },
      { on: ALPHA, name: "c", does: livesOn(mayFail(holds(QUICK))) },
      LAST,
    ], BOUNDED),
    chaos: { ...CALM, errors: 1, spare },
  },
  {
    scenario: scenario("a machine dies, and the server keeps its file locks", [
      { on: NFS, name: "a", does: runs(TWICE) },
      { on: { ...NFS, host: "gamma" }, name: "b", does: runs(TWICE) },
      { on: { ...NFS, host: "gamma" }, name: "c", does: holds(QUICK) },
      { ...LAST, on: { ...NFS, host: "delta" } },
    ], BOUNDED),
    chaos: { ...CALM, machineDeaths: 1, spare },
  },
  {
    scenario: checkedFor(
      scenario("one call on files fails, and nobody's place in line is left behind", [
        { on: ALPHA, name: "a", does: livesOn(mayFail(holds(QUICK))) },
        { on: ALPHA, name: "b", does: livesOn(mayFail(holds(QUICK))) },
        { on: ALPHA, name: "c", does: livesOn(mayFail(holds(QUICK))) },
        LAST,
      ], BOUNDED),
      lineIsLeft,
    ),
    chaos: { ...CALM, errors: 1, slownessMs: 0, spare },
  },
  {
    scenario: scenario("one call on files fails, of those who break an hour-old lock", [
      { on: ALPHA, name: "a", does: livesOn(mayFail(holds(QUICK))) },
      { on: ALPHA, name: "b", does: livesOn(mayFail(holds(QUICK))) },
      { on: ALPHA, name: "c", does: mayFail(acquiresAndReleases(QUICK)), stays: false },
      LAST,
    ], { ...BOUNDED, oldLockMs: HOUR_MS }),
    chaos: { ...CALM, errors: 1, spare },
  },
  {
    scenario: scenario(
      "file locks are mandatory",
      three(LOCKED_FOR_GOOD, { a: TWICE, b: TWICE, c: QUICK }),
      BOUNDED,
    ),
    chaos: ROUGH,
  },
  {
    scenario: scenario("file locks are mandatory, and processes are not seen", [
      ...three(WINDOWS, { a: TWICE, b: QUICK, c: QUICK }),
    ], BOUNDED),
    chaos: ROUGH,
  },
  {
    scenario: scenario("two machines on a server whose file locks are mandatory", [
      { on: SMB, name: "a", does: runs(TWICE) },
      { on: { ...SMB, host: "gamma" }, name: "b", does: runs(TWICE) },
      { on: SMB, name: "c", does: holds(QUICK) },
    ], { ...BOUNDED, lagMs: 1000 }),
    chaos: ROUGH,
  },
  {
    scenario: scenario("renames over open files are refused for a second", [
      ...three(SLOW_RENAMES, { a: LONG, b: TWICE, c: QUICK }),
    ], BOUNDED),
    chaos: CALM,
  },
  {
    scenario: scenario("a call on files is never answered", [
      ...three(ALPHA, { a: TWICE, b: TWICE, c: QUICK }),
      LAST,
    ], BOUNDED),
    chaos: { ...CALM, silences: 1, spare },
  },
  {
    scenario: checkedFor(
      scenario("library holders die where environments cannot be read", [
        { on: UNREADABLE, name: "a", does: holds({ worksMs: 5000 }) },
        { on: UNREADABLE, name: "b", does: holds({ worksMs: 5000 }) },
        { on: UNREADABLE, name: "c", does: holds({ worksMs: 5000 }) },
      ], BOUNDED),
      foundDeadSoon,
    ),
    chaos: { ...CALM, kills: 1, slownessMs: 2000 },
  },
  {
    scenario: scenario("library holders are killed and frozen", [
      { on: UNREADABLE, name: "a", does: holds({ worksMs: 5000, holds: 2 }) },
      { on: UNREADABLE, name: "b", does: livesOn(holds({ worksMs: 5000 })) },
      { on: { ...SERVER, host: "beta" }, name: "c", does: livesOn(holds(QUICK)) },
    ], BOUNDED),
    chaos: { ...ROUGH, kills: 2 },
  },
  {
    scenario: scenario("commands work on without their main thread", [
      { on: ALPHA, name: "a", does: runs({ worksMs: 5000, worksInThreads: true }) },
      { on: ALPHA, name: "b", does: runs({ worksMs: 5000, worksInThreads: true }) },
      { on: ALPHA, name: "c", does: holds(QUICK) },
    ], BOUNDED),
    chaos: ROUGH,
  },
  {
    scenario: scenario("a command line is longer than a record may be", [
      ...three(ALPHA, { a: LONG_COMMAND, b: QUICK, c: QUICK }),
    ], BOUNDED),
    chaos: ROUGH,
  },
  {
    scenario: scenario("mounts remember names, times and contents for different times", [
      { on: FAR, name: "a", does: runs(LONG) },
      { on: FURTHER, name: "b", does: runs(TWICE) },
      { on: FURTHER, name: "c", does: holds(QUICK) },
    ], BOUNDED),
    chaos: CALM,
  },
  {
    scenario: scenario("mounts that remember meet an hour-old lock, and some freeze", [
      { on: FAR, name: "a", does: runs(QUICK) },
      { on: FURTHER, name: "b", does: runs(QUICK) },
      { on: FURTHER, name: "c", does: holds(QUICK) },
    ], { ...BOUNDED, oldLockMs: HOUR_MS }),
    chaos: { ...CALM, freezes: 2, freezeMs: [10, 5000] },
  },
  {
    scenario: scenario("mounts that remember listings, too, while a holder beats", [
      { on: LYING, name: "a", does: runs(LONG) },
      { on: LYING_TOO, name: "b", does: runs(TWICE) },
      { on: LYING_TOO, name: "c", does: holds(QUICK) },
    ], BOUNDED),
    chaos: CALM,
  },
];

/** All that random schedules are drawn from, in turn. */
export const ALL_SCENARIOS: readonly RandomScenario[] = [...RANDOM_SCENARIOS, ...FAULT_SCENARIOS];

/** Who meets whom in the simulated world: each scenario with the faults it is run under. */

import { exclusion } from "./exclusion.ts";
import { acquiresAndReleases, holds, isCalledOff, type Job, PATHS, runs } from "./scripts.ts";
import { foreignPeer } from "./simulation/foreign_peer.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import { passingHand } from "./simulation/passing_hand.ts";
import type { Chaos } from "./simulation/random_run.ts";
import type { Scenario } from "./simulation/scenario.ts";
import type { Script, SimProcess } from "./simulation/sim_process.ts";
import type { WrongVariant } from "./wrong_variants.ts";
import type { World, WorldSetup } from "./simulation/world.ts";

export interface RandomScenario {
  readonly scenario: Scenario;
  readonly chaos: Chaos;
}

const HOUR_MS = 3_600_000;

/** Kills, freezes and slowness, a few in each run: more would leave nobody to look at. */
const ROUGH: Chaos = { events: 250, kills: 1, freezes: 2, commandKills: 1 };
export const CALM: Chaos = { events: 250 };

/** A peer that only knows mkdir and rmdir cannot survive being killed or being thought dead: it is spared. */
const ROUGH_BUT_FOR_FOREIGN: Chaos = {
  ...ROUGH,
  spare: ({ name }) => name === "foreign" || name === "last",
};

const ALPHA: MachineSetup = { host: "alpha" };

/** Shares the folder, but no file locks and no processes, and sees attributes up to half a minute late. */
const REMOTE: MachineSetup = { host: "beta", watch: "own", attributesMayLagMs: 30_000 };

/** Another mount of the same folder on the same machine: processes are seen, file locks are not. */
const OTHER_MOUNT: MachineSetup = {
  ...ALPHA,
  lockDomain: "second mount",
  watch: "own",
  mount: { isLocalDisk: false, locksProveLife: false, cachesForMs: 20_000, listingsLagMs: 0 },
};

/** A container: the same machine in another pid namespace. */
export const CONTAINER: MachineSetup = {
  ...ALPHA,
  pidNamespace: "4026532999",
  lockDomain: "alpha",
  bootId: "boot-of-alpha",
};

const WITHOUT_LOCKS: MachineSetup = { ...ALPHA, fileLocks: "none", watch: "fails" };
const WITH_MUTE_LOCKS: MachineSetup = { ...ALPHA, fileLocks: "silent", watch: "silent" };
const BLIND: MachineSetup = { ...ALPHA, looks: "unknown" };

export interface Cast {
  /** With the run's seed, where machines differ from run to run. */
  readonly on: MachineSetup | ((seed: number) => MachineSetup);
  readonly name: string;
  readonly does: Script;
  /** False for who leaves no process with a hold. */
  readonly stays?: boolean;
}

export interface Stage {
  readonly world?: WorldSetup;
  /** How long ago a lock was made that stands there at the start. */
  readonly oldLockMs?: number;
  readonly lagMs?: number;
  /** See `Scenario`. */
  readonly mostMs?: number;
  readonly checksSteps?: boolean;
}

export function scenario(name: string, cast: readonly Cast[], stage: Stage = {}): Scenario {
  const setup = {
    granularityMs: stage.world?.granularityMs ?? 1,
    lagMs: stage.lagMs ?? 0,
    checksSteps: stage.checksSteps ?? true,
    staysWithHold: ({ name }: SimProcess) => cast.find((one) => one.name === name)?.stays ?? true,
  };
  return {
    name,
    ...(stage.world && { world: stage.world }),
    check: exclusion(setup),
    looksAt: [PATHS.lock],
    ...(stage.mostMs !== undefined && { mostMs: stage.mostMs }),
    build: (world) => build(world, cast, stage),
  };
}

function build(world: World, cast: readonly Cast[], stage: Stage): void {
  world.placeFolder("/share");
  if (stage.oldLockMs !== undefined) world.placeFolder(PATHS.lock, stage.oldLockMs);
  const machines = new Map(cast.map(({ on }) => {
    return [on, world.machine(typeof on === "function" ? on(world.seed) : on)];
  }));
  for (const { on, name, does } of cast) world.start(machines.get(on)!, name, does);
}

export function foreign(worksMs = 500, holds = 1, lock = PATHS.lock): Script {
  return foreignPeer({ lock, holds, pollMs: 700, worksMs });
}

/** Often enough that the touch falls between two beats, or on a holder that is frozen or dead. */
const HAND = passingHand({ lock: PATHS.lock, touches: 12, gapMs: 1500 });

export const QUICK: Job = { worksMs: 300 };
export const TWICE: Job = { worksMs: 300, holds: 2 };

/** A foreign peer breaks nothing: somebody of ours must come by after all others are dead. */
export const LAST: Cast = {
  on: ALPHA,
  name: "last",
  does: runs({ startsMs: 600_000, worksMs: 10 }),
};

/** Random schedules are drawn from all of these in turn. */
export const RANDOM_SCENARIOS: readonly RandomScenario[] = [
  {
    scenario: scenario("three that run, twice", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: ALPHA, name: "b", does: runs({ ...TWICE, scrubs: true }) },
      { on: ALPHA, name: "c", does: holds(QUICK) },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("four meet an hour-old lock", [
      { on: ALPHA, name: "a", does: runs(QUICK) },
      { on: ALPHA, name: "b", does: holds(QUICK) },
      { on: ALPHA, name: "c", does: acquiresAndReleases(QUICK), stays: false },
      { on: ALPHA, name: "d", does: runs(QUICK) },
    ], { oldLockMs: HOUR_MS }),
    chaos: ROUGH,
  },
  {
    scenario: scenario("three of four are called off at any moment, and meet an hour-old lock", [
      { on: ALPHA, name: "a", does: isCalledOff(QUICK) },
      { on: ALPHA, name: "b", does: isCalledOff(QUICK) },
      { on: REMOTE, name: "c", does: isCalledOff(QUICK) },
      { on: ALPHA, name: "d", does: runs(TWICE) },
    ], { lagMs: 30_000, oldLockMs: HOUR_MS }),
    chaos: ROUGH,
  },
  {
    scenario: scenario("all kinds on one machine, with a peer that knows mkdir and rmdir", [
      { on: ALPHA, name: "a", does: runs(QUICK) },
      { on: ALPHA, name: "b", does: acquiresAndReleases(QUICK), stays: false },
      { on: ALPHA, name: "foreign", does: foreign(), stays: false },
      LAST,
    ]),
    chaos: ROUGH_BUT_FOR_FOREIGN,
  },
  {
    scenario: scenario("two machines that share only the folder", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: REMOTE, name: "b", does: runs(TWICE) },
      { on: REMOTE, name: "c", does: holds(QUICK) },
    ], { lagMs: 30_000 }),
    chaos: ROUGH,
  },
  {
    scenario: scenario("two machines meet an hour-old lock", [
      { on: ALPHA, name: "a", does: runs(QUICK) },
      { on: REMOTE, name: "b", does: acquiresAndReleases(QUICK), stays: false },
      { on: REMOTE, name: "c", does: runs(QUICK) },
    ], { lagMs: 30_000, oldLockMs: HOUR_MS }),
    chaos: ROUGH,
  },
  {
    scenario: scenario("two mounts of one folder", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: OTHER_MOUNT, name: "b", does: runs(TWICE) },
      { on: OTHER_MOUNT, name: "c", does: holds(QUICK) },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("two pid namespaces", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: CONTAINER, name: "b", does: runs(TWICE) },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("a container, and root outside of it", [
      { on: { ...ALPHA, seesNamespaces: true }, name: "a", does: runs(TWICE) },
      { on: CONTAINER, name: "b", does: runs(TWICE) },
      { on: CONTAINER, name: "c", does: holds(QUICK) },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("a file system that counts whole seconds", [
      { on: ALPHA, name: "a", does: runs({ worksMs: 20, holds: 2 }) },
      { on: ALPHA, name: "b", does: runs({ worksMs: 20, holds: 2 }) },
      { on: ALPHA, name: "c", does: acquiresAndReleases({ worksMs: 20 }), stays: false },
    ], { world: { granularityMs: 1000, birthtimes: false } }),
    chaos: ROUGH,
  },
  {
    scenario: scenario("a file system that counts every other second, with a foreign peer", [
      { on: ALPHA, name: "a", does: runs({ worksMs: 20, holds: 2 }) },
      { on: ALPHA, name: "b", does: holds({ worksMs: 20 }) },
      { on: ALPHA, name: "foreign", does: foreign(100, 2), stays: false },
      LAST,
    ], { world: { granularityMs: 2000, birthtimes: false } }),
    chaos: ROUGH_BUT_FOR_FOREIGN,
  },
  {
    scenario: scenario("neither file locks nor a watch", [
      { on: WITHOUT_LOCKS, name: "a", does: runs(TWICE) },
      { on: WITHOUT_LOCKS, name: "b", does: runs(QUICK) },
      { on: WITHOUT_LOCKS, name: "c", does: runs(QUICK) },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("file locks that never answer, a watch that never tells", [
      { on: WITH_MUTE_LOCKS, name: "a", does: runs(TWICE) },
      { on: WITH_MUTE_LOCKS, name: "b", does: runs(QUICK) },
      { on: WITH_MUTE_LOCKS, name: "c", does: runs(QUICK) },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("a system that cannot tell whether a process lives", [
      { on: BLIND, name: "a", does: runs(TWICE) },
      { on: BLIND, name: "b", does: runs(QUICK) },
      { on: BLIND, name: "c", does: acquiresAndReleases(QUICK), stays: false },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("somebody touches the lock by hand", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: ALPHA, name: "b", does: runs({ ...TWICE, scrubs: true }) },
      { on: ALPHA, name: "c", does: holds(QUICK) },
      { on: ALPHA, name: "hand", does: HAND, stays: false },
    ]),
    chaos: ROUGH,
  },
  {
    scenario: scenario("six in a calm line", [
      ..."abcdef".split("").map((name) => ({ on: ALPHA, name, does: runs(QUICK) })),
    ]),
    chaos: CALM,
  },
];

/** Where each wrong rule shows: many meet an old lock, and holders freeze for longer than `--stale`. */
export function variantScenario(variant: WrongVariant): RandomScenario {
  const job = { ...QUICK, procedures: variant.procedures };
  if (variant.coarseClock) return inOneTick(variant.name, job);
  if (variant.showsAs === "wrong step") return acrossMachines(variant.name, job);
  const stage = { checksSteps: false, oldLockMs: HOUR_MS, world: { showsInodes: true } };
  const cast = ["a", "b", "c"].map((name) => ({ on: ALPHA, name, does: runs(job) }));
  return { scenario: scenario(variant.name, cast, stage), chaos: ROUGH };
}

function acrossMachines(name: string, job: Job): RandomScenario {
  const cast = [
    { on: ALPHA, name: "a", does: runs({ ...job, worksMs: 60_000 }) },
    { on: REMOTE, name: "b", does: runs(job) },
    { on: REMOTE, name: "c", does: runs(job) },
  ];
  return { scenario: scenario(name, cast, { lagMs: 30_000 }), chaos: ROUGH };
}

function inOneTick(name: string, job: Job): RandomScenario {
  const short = { ...job, worksMs: 20 };
  const cast = [
    { on: ALPHA, name: "a", does: runs(short) },
    { on: ALPHA, name: "b", does: runs(short) },
    { on: ALPHA, name: "foreign", does: foreign(400), stays: false },
    LAST,
  ];
  const stage = { checksSteps: false, world: { granularityMs: 2000, birthtimes: false } };
  return { scenario: scenario(name, cast, stage), chaos: CALM };
}

/** Who meets whom while machines sleep, stand still and have their clocks set. */

import { CALM, foreign, LAST, QUICK, type RandomScenario, scenario, TWICE } from "./scenarios.ts";
import { acquiresAndReleases, holds, type Job, runs } from "./scripts.ts";
import type { MountTrust } from "../../lib/folder/place/mount_trust.ts";
import type { MachineSetup } from "./simulation/machine.ts";
import type { Chaos } from "./simulation/random_run.ts";
import type { Scenario } from "./simulation/scenario.ts";
import type { WorldSetup } from "./simulation/world.ts";

const HOUR_MS = 3_600_000;

/** A machine alone with its disk. */
const ALONE: MachineSetup = { host: "alpha" };

/** What it is told of the mount: that another machine's clock stamps the files. */
const SHARE: MountTrust = {
  isLocalDisk: false,
  locksProveLife: false,
  cachesForMs: 0,
  listingsLagMs: 0,
};
/** These share the folder, but neither file locks nor processes; they see at once what is there. */
const ALPHA: MachineSetup = { host: "alpha", watch: "own", mount: SHARE };
const BETA: MachineSetup = { ...ALPHA, host: "beta" };
const GAMMA: MachineSetup = { ...ALPHA, host: "gamma" };
/** The same, but it may see attributes that are half a minute old. */
const LAGGING: MachineSetup = { host: "beta", watch: "own", attributesMayLagMs: 30_000 };

/** As long as others take to pass a taker over, to break, and to work. */
const ASLEEP: Chaos = { events: 250, kills: 1, freezes: 1, sleeps: 3, standMs: [5000, HOUR_MS] };
const STANDING: Chaos = { ...ASLEEP, sleeps: 1, stops: 1, pauses: 1 };
const SET: Chaos = { events: 250, kills: 1, freezes: 1, clockSets: 3 };
const SET_ALONE: Chaos = { events: 250, clockSets: 3, slownessMs: 2000 };
const BOTH: Chaos = { ...SET, sleeps: 1, stops: 1, pauses: 1 };

/** A peer that only knows mkdir and rmdir cannot survive being killed or being thought dead: it is spared. */
const spare: Chaos["spare"] = ({ name }) => name === "foreign" || name === "last";

const LONG = { worksMs: 60_000 };

export const TIME_SCENARIOS: readonly RandomScenario[] = [
  {
    scenario: scenario("two machines of which each may sleep meet an hour-old lock", [
      { on: ALPHA, name: "a", does: holds(QUICK) },
      { on: BETA, name: "b", does: runs(LONG) },
      { on: BETA, name: "c", does: holds(QUICK) },
    ], { oldLockMs: HOUR_MS }),
    chaos: ASLEEP,
  },
  {
    scenario: scenario("three machines of which each may sleep, without birth times", [
      { on: ALPHA, name: "a", does: holds(LONG) },
      { on: BETA, name: "b", does: holds(LONG) },
      { on: GAMMA, name: "c", does: acquiresAndReleases(QUICK), stays: false },
    ], { world: { birthtimes: false } }),
    chaos: ASLEEP,
  },
  {
    scenario: scenario("a machine may sleep, stop or be paused, and another lags", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: ALPHA, name: "b", does: holds(QUICK) },
      { on: LAGGING, name: "c", does: runs(TWICE) },
    ], { lagMs: 30_000, oldLockMs: HOUR_MS }),
    chaos: STANDING,
  },
  {
    scenario: scenario("a machine may sleep beside a peer that knows mkdir and rmdir", [
      { on: ALPHA, name: "a", does: holds(LONG) },
      { on: BETA, name: "foreign", does: foreign(2000), stays: false },
      { on: BETA, name: "b", does: holds(QUICK) },
      LAST,
    ], { world: { birthtimes: false } }),
    chaos: { ...ASLEEP, spare },
  },
  {
    scenario: scenario("one machine that may sleep, and its own disk", [
      { on: ALONE, name: "a", does: runs(TWICE) },
      { on: ALONE, name: "b", does: runs({ ...QUICK, scrubs: true }) },
      { on: ALONE, name: "c", does: acquiresAndReleases(QUICK), stays: false },
    ], { world: { diskOf: "alpha" }, oldLockMs: HOUR_MS }),
    chaos: STANDING,
  },
  {
    scenario: scenario("a clock is set that stamps the files of its own disk", [
      { on: ALONE, name: "a", does: runs(TWICE) },
      { on: ALONE, name: "b", does: holds(QUICK) },
      { on: ALONE, name: "c", does: acquiresAndReleases(QUICK), stays: false },
      { on: ALONE, name: "d", does: runs(QUICK) },
    ], { world: { diskOf: "alpha" } }),
    chaos: SET,
  },
  {
    scenario: scenario(
      "a clock is set that stamps the files, with a peer that knows mkdir and rmdir",
      [
        { on: ALONE, name: "a", does: runs(TWICE) },
        { on: ALONE, name: "b", does: holds(QUICK) },
        { on: ALONE, name: "foreign", does: foreign(2000), stays: false },
        LAST,
      ],
      { world: { diskOf: "alpha" } },
    ),
    chaos: { ...SET, spare },
  },
  {
    scenario: scenario("clocks of two machines and of their share are set", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: BETA, name: "b", does: holds(TWICE) },
      { on: BETA, name: "c", does: acquiresAndReleases(QUICK), stays: false },
    ]),
    chaos: SET,
  },
  {
    scenario: scenario("clocks are set, and nothing else goes wrong", [
      { on: ALPHA, name: "a", does: runs(LONG) },
      { on: BETA, name: "b", does: holds(LONG) },
      { on: GAMMA, name: "c", does: runs(QUICK) },
    ]),
    chaos: SET_ALONE,
  },
  {
    scenario: scenario("machines sleep, and clocks are set", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: BETA, name: "b", does: holds(LONG) },
      { on: GAMMA, name: "c", does: runs(QUICK) },
    ], { oldLockMs: HOUR_MS }),
    chaos: BOTH,
  },
  {
    scenario: scenario("three calm machines", [
      { on: ALPHA, name: "a", does: runs({ ...LONG, holds: 2 }) },
      { on: BETA, name: "b", does: holds(LONG) },
      { on: GAMMA, name: "c", does: acquiresAndReleases(QUICK), stays: false },
    ]),
    chaos: { ...CALM, slownessMs: 2000 },
  },
];

/** What a wrong rule about time puts in place of the real ones. */
export type Arms = Pick<Job, "armed" | "procedures">;

/** Two machines meet an old lock; who breaks it works for as long as a machine sleeps. */
export function sleepScene(arms: Arms = {}): Scenario {
  const quick = { ...QUICK, ...arms };
  const long = { ...LONG, ...arms };
  const cast = [
    { on: ALPHA, name: "a", does: holds(quick) },
    { on: BETA, name: "b", does: holds(long) },
    { on: BETA, name: "c", does: holds(quick) },
  ];
  const stage = { oldLockMs: HOUR_MS, world: { birthtimes: false } };
  return scenario("asleep", cast, { ...stage });
}

function setScene(on: readonly MachineSetup[], world: WorldSetup, arms: Arms): Scenario {
  const quick = { ...QUICK, ...arms };
  const cast = [
    { on: on[0]!, name: "a", does: acquiresAndReleases({ ...quick, holds: 2 }), stays: false },
    { on: on[1]!, name: "b", does: acquiresAndReleases(quick), stays: false },
    { on: on[0]!, name: "c", does: holds(quick) },
  ];
  return scenario("set", cast, { world });
}

export function diskScene(arms: Arms = {}): Scenario {
  return setScene([ALONE, ALONE], { diskOf: "alpha" }, arms);
}

export function shareScene(arms: Arms = {}): Scenario {
  return setScene([ALPHA, BETA], {}, arms);
}

/** Calls that are shorter than a lock must be watched, on two machines whose clocks are set. */
export function shortCallsScene(arms: Arms = {}): Scenario {
  const short = { ...QUICK, ...arms, timeoutMs: 4000, awayMs: 500, worksMs: 15_000 };
  const scene = scenario("set", [
    { on: ALPHA, name: "a", does: holds(short) },
    { on: BETA, name: "b", does: holds(short) },
    { on: ALPHA, name: "c", does: holds(short) },
  ]);
  // Short calls take many steps.
  return { ...scene, mostEvents: 100_000 };
}

/**
 * Rules about files, shares and processes that look right, and let two in or leave somebody waiting for ever: each is
 * armed where it shows, and the simulation must find it out.
 */

import { LOCAL_DISK } from "../../lib/folder/place/mount_trust.ts";
import type { OpenFile, Sys } from "../../lib/sys/sys.ts";
import { foundDeadSoon } from "./progress.ts";
import {
  ALPHA,
  BOUNDED,
  CALM,
  checkedFor,
  LAST,
  LYING_AT_ITS_WORST,
  NFS,
  ROUGH,
  spare,
  UNREADABLE,
} from "./fault_scenarios.ts";
import { type RandomScenario, scenario } from "./scenarios.ts";
import { holds, type Job, livesOn, mayFail, runs } from "./scripts.ts";
import type { World, WorldSetup } from "./simulation/world.ts";

export interface WrongScenario extends RandomScenario {
  /** How it shows. */
  readonly shows: RegExp;
}

const HOUR_MS = 3_600_000;
const QUICK: Job = { worksMs: 300 };

/** A taker's `who.json` is read without listing its folder first. */
export function withoutListingTakers(sys: Sys): Sys {
  const list = (path: string) =>
    /\/removing\/\d+$/.test(path) ? Promise.resolve([]) : sys.files.list(path);
  return { ...sys, files: { ...sys.files, list } };
}

/** A taker file-locks the file that says who it is. */
function lockingSignatures(sys: Sys): Sys {
  const { files } = sys;
  const locked = new Map<string, OpenFile>();
  return {
    ...sys,
    files: {
      ...files,
      async create(path, text) {
        if (!path.endsWith("/who.json")) return await files.create(path, text);
        const file = await files.openNew(path, text);
        locked.set(path, file);
        await file.tryLock("exclusive");
        return (await files.entry(path))?.mtimeMs ?? 0;
      },
      async removeFile(path) {
        await locked.get(path)?.close();
        locked.delete(path);
        return await files.removeFile(path);
      },
    },
  };
}

/** A process that left its signature behind is believed to mean it for as long as it lives. */
function believingSignatures(sys: Sys): Sys {
  class Kept extends Set<string> {
    override delete(): boolean {
      return false;
    }
  }
  const { files, processes } = sys;
  const open = (path: string) =>
    /\/removing\/\d+\/alive$/.test(path) ? Promise.resolve(null) : files.open(path);
  return {
    ...sys,
    files: { ...files, open },
    processes: { ...processes, takings: new Kept() },
  };
}

/** For a second in each run, this process cannot remove the file that says who a taker is. */
function unableForASecond(name: string): NonNullable<WorldSetup["refuse"]> {
  const since = new WeakMap<World, number>();
  return ({ name: who, world }, operation, path) => {
    if (who !== name || operation !== "removeFile" || !path.endsWith("/who.json")) return null;
    const sinceMs = since.get(world) ?? world.nowMs;
    since.set(world, sinceMs);
    return world.nowMs - sinceMs < 1000 ? "EIO" : null;
  };
}

export const WRONG_FILES: readonly WrongScenario[] = [
  {
    scenario: scenario("file-locking what others read", [
      {
        on: { ...ALPHA, fileLocks: "mandatory" },
        name: "a",
        does: runs({ ...QUICK, around: lockingSignatures }),
      },
      { ...LAST, on: { ...ALPHA, fileLocks: "mandatory" } },
    ], BOUNDED),
    chaos: CALM,
    shows: /^stuck/,
  },
  {
    scenario: scenario("believing every signature of who lives", [
      ...["a", "b", "c"].map((name) => ({
        on: ALPHA,
        name,
        does: livesOn(mayFail(holds({ ...QUICK, around: believingSignatures }))),
      })),
      LAST,
    ], { ...BOUNDED, oldLockMs: HOUR_MS, world: { refuse: unableForASecond("a") } }),
    chaos: CALM,
    shows: /^stuck/,
  },
  {
    scenario: scenario("taking a share that remembers for a disk", [
      { on: ALPHA, name: "a", does: runs({ worksMs: 120_000 }) },
      { on: { ...LYING_AT_ITS_WORST, mount: LOCAL_DISK }, name: "b", does: runs(QUICK) },
    ], {
      ...BOUNDED,
      checksSteps: false,
      world: { granularityMs: 1000, birthtimes: false },
    }),
    chaos: { ...CALM, slownessMs: 1000 },
    shows: /two inside/,
  },
  {
    scenario: scenario("taking every file lock for life", [
      { on: { ...NFS, mount: LOCAL_DISK }, name: "a", does: runs(QUICK) },
      { ...LAST, on: { ...NFS, host: "gamma", mount: LOCAL_DISK } },
    ], BOUNDED),
    chaos: { ...CALM, machineDeaths: 1, spare },
    shows: /^stuck/,
  },
  {
    scenario: checkedFor(
      scenario("looking for the command of who has none", [
        ...["a", "b", "c"].map((name) => ({
          on: UNREADABLE,
          name,
          does: holds({ worksMs: 5000, command: ["none"] }),
        })),
      ], BOUNDED),
      foundDeadSoon,
    ),
    chaos: { ...CALM, kills: 1, slownessMs: 2000 },
    shows: /^waiting for [abc], which is dead/,
  },
  {
    scenario: scenario("taking a process for gone whose main thread has ended", [
      ...["a", "b"].map((name) => ({
        on: { ...ALPHA, looks: "main threads" as const },
        name,
        does: runs({ worksMs: 5000, worksInThreads: true }),
      })),
    ], BOUNDED),
    chaos: ROUGH,
    shows: /two inside/,
  },
];

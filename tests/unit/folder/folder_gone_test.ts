/** Lock folders that are deleted, moved, or away for a while under a hold. */

import { assertEquals, assertRejects } from "@std/assert";
import { FolderUnusable, HoldLost } from "../../../lib/lock/failures.ts";
import { trustMount } from "../../../lib/folder/place/mount_trust.ts";
import { lockPaths } from "../../../lib/folder/state/layout.ts";
import { acquire } from "../../../lib/folder/acquire.ts";
import type { RunnableHold } from "../../../lib/lock/service.ts";
import { openSite } from "../../../lib/folder/open_site.ts";
import { denoSys } from "../../../lib/sys/deno/sys.ts";
import type { Clock } from "../../../lib/sys/sys.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** Beats every five seconds, long after the test. */
const REQUEST = {
  slug: "a",
  mode: "run",
  pollMs: 1000,
  staleMs: 600_000,
  timeoutMs: 0,
  wakeUps: "none",
} as const;

const LOCAL = { type: "ext4", options: [], isLocalDisk: true };
const SHARE = { type: "nfs4", options: [], isLocalDisk: false };

interface Scene extends AsyncDisposable {
  readonly hold: RunnableHold;
  /** What was told of each beat that failed. */
  readonly troubles: string[];
  readonly logUnwritten: string[];
  moveAway(): Promise<void>;
  bringBack(): Promise<void>;
  /** Lets so much time go by, and beats. */
  beatAfter(ms: number): Promise<void>;
}

async function heldOn(mount: typeof LOCAL): Promise<Scene> {
  const folder = await temporaryFolder();
  const [dir, away] = [`${folder.path}/locks`, `${folder.path}/away`];
  await Deno.mkdir(dir);
  const sys = denoSys();
  let passedMs = 0;
  const clock = new Proxy(sys.clock, {
    get: (target, name: keyof Clock) =>
      name === "monotonicMs"
        ? async () => await target.monotonicMs() + passedMs
        : (target[name] as (...args: unknown[]) => unknown).bind(target),
  });
  const logUnwritten: string[] = [];
  const site = openSite(
    { ...sys, clock },
    lockPaths(dir, "lock"),
    {
      mount: { ...mount, ...trustMount(mount) },
      onUnlogged: (line) => Promise.resolve(void logUnwritten.push(line)),
    },
  );
  const hold = await acquire(site, REQUEST);
  const troubles: string[] = [];
  hold.onTrouble = ({ folder }) => void troubles.push(folder);
  return {
    hold,
    troubles,
    logUnwritten,
    moveAway: () => Deno.rename(dir, away),
    bringBack: () => Deno.rename(away, dir),
    beatAfter: async (ms) => {
      passedMs += ms;
      await hold.beat();
    },
    [Symbol.asyncDispose]: async () => {
      await hold.release().catch(() => {});
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a lock is lost once its folder has been missing for two beats on a disk of this machine (B9)", async () => {
  await using scene = await heldOn(LOCAL);
  const { hold } = scene;
  await scene.moveAway();
  await scene.beatAfter(0);
  assertEquals([hold.lost.aborted, scene.troubles], [false, ["gone"]]);
  await scene.beatAfter(9_000);
  assertEquals(hold.lost.aborted, false);
  await scene.beatAfter(1_500);
  assertEquals(hold.lost.reason instanceof HoldLost && hold.lost.reason.how, "folder gone");
  await hold.release();
  assertEquals(scene.logUnwritten, []);
});

Deno.test("a lock whose folder is back before two beats are over is not lost, however often that is", async () => {
  await using scene = await heldOn(LOCAL);
  for (let times = 0; times < 3; times++) {
    await scene.moveAway();
    await scene.beatAfter(4_000);
    await scene.beatAfter(4_000);
    await scene.bringBack();
    await scene.beatAfter(4_000);
  }
  assertEquals([scene.hold.lost.aborted, scene.troubles], [false, ["gone", "gone", "gone"]]);
});

Deno.test("a release that finds no folder on a disk of this machine is a loss and no failure", async () => {
  await using scene = await heldOn(LOCAL);
  await scene.moveAway();
  await scene.hold.release();
  assertEquals((scene.hold.lost.reason as HoldLost).how, "folder gone");
  assertEquals(scene.logUnwritten, []);
});

Deno.test("a share that is away has lost no lock: the release fails, and may be tried again (B9)", async () => {
  await using scene = await heldOn(SHARE);
  const { hold } = scene;
  await scene.moveAway();
  for (let beats = 0; beats < 5; beats++) await scene.beatAfter(60_000);
  assertEquals([hold.lost.aborted, scene.troubles], [false, ["away"]]);
  const failure = await assertRejects(() => hold.release(), FolderUnusable);
  assertEquals("folderIsGone" in failure.obstacle && failure.obstacle.folderIsGone, true);
  await scene.bringBack();
  await hold.release();
  assertEquals(hold.lost.aborted, false);
});

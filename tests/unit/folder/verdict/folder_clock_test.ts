import { assertEquals } from "@std/assert";
import { FileFault } from "../../../../lib/sys/faults.ts";
import { lockPaths } from "../../../../lib/folder/state/layout.ts";
import { FolderClock } from "../../../../lib/folder/verdict/folder_clock.ts";
import { denoSys } from "../../../../lib/sys/deno/sys.ts";

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

/** A machine whose clocks are moved by hand, and a folder with a clock of its own. */
class Clocks {
  monotonicMs = 1000;
  wallMs = START_MS;
  folderMs = START_MS;
  reads = 0;
  stallMs = 0;
  isFull = false;
  readonly folder: FolderClock;

  constructor() {
    const sys = denoSys();
    const create = () => {
      if (this.isFull) return Promise.reject(new FileFault("ENOSPC", "open", "now", "full"));
      this.reads++;
      const mtimeMs = this.folderMs;
      this.pass(this.stallMs);
      return Promise.resolve(mtimeMs);
    };
    const moment = () => {
      const { monotonicMs, wallMs } = this;
      return Promise.resolve({ monotonicMs, wallMs });
    };
    const files = { ...sys.files, create, removeFile: () => Promise.resolve(true) };
    const clock = { ...sys.clock, moment, wallMs: () => Promise.resolve(this.wallMs) };
    this.folder = new FolderClock({ ...sys, files, clock }, lockPaths("/nowhere", "lock"));
  }

  pass(ms: number): void {
    this.monotonicMs += ms;
    this.wallMs += ms;
    this.folderMs += ms;
  }
}

Deno.test("FolderClock: a stall while it is read makes no lock older than it is (K3)", async () => {
  const clocks = new Clocks();
  clocks.stallMs = 9000;
  await clocks.folder.nowMs();
  clocks.pass(1000);
  const aheadMs = await clocks.folder.nowMs() - clocks.folderMs;
  assertEquals([aheadMs, clocks.reads], [-9000, 1], "too low at the most");
});

Deno.test("FolderClock: a reading is carried on for a while, and then read anew (K3)", async () => {
  const clocks = new Clocks();
  await clocks.folder.nowMs();
  clocks.pass(10_000);
  clocks.folderMs -= 5;
  assertEquals([await clocks.folder.nowMs(), clocks.reads], [START_MS + 10_000, 1]);
  clocks.pass(1);
  assertEquals([await clocks.folder.nowMs(), clocks.reads], [START_MS + 9996, 2]);
  assertEquals(clocks.folder.jumpedAgoMs, null);
});

Deno.test("FolderClock: a wall clock that was set, either way, makes a reading void (K4)", async () => {
  for (const setMs of [-HOUR_MS, HOUR_MS]) {
    const clocks = new Clocks();
    await clocks.folder.nowMs();
    clocks.wallMs += setMs;
    clocks.folderMs += setMs;
    clocks.pass(1000);
    assertEquals(await clocks.folder.nowMs(), START_MS + setMs + 1000);
    clocks.pass(2000);
    await clocks.folder.nowMs();
    assertEquals([clocks.folder.jumpedAgoMs, clocks.reads], [2000, 2]);
  }
});

Deno.test("FolderClock: a machine that slept reads it anew (K4)", async () => {
  const clocks = new Clocks();
  await clocks.folder.nowMs();
  clocks.wallMs += HOUR_MS;
  clocks.folderMs += HOUR_MS;
  assertEquals(await clocks.folder.nowMs(), START_MS + HOUR_MS);
  assertEquals(clocks.folder.jumpedAgoMs, 0);
});

Deno.test("FolderClock: where nothing can be written the last reading is carried on, and never too low (K6)", async () => {
  const clocks = new Clocks();
  await clocks.folder.nowMs();
  clocks.isFull = true;
  clocks.wallMs += HOUR_MS;
  const { monotonicMs, wallMs } = clocks;
  assertEquals(await clocks.folder.readMs(), null);
  assertEquals(clocks.folder.carriedMs({ monotonicMs, wallMs }), START_MS + HOUR_MS);
});

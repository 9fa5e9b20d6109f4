/**
 * Small mutexes, right and wrong, to try the simulated world on.
 *
 * Guarantee: each is written on the system seam alone, in the way that is common in public code.
 * Non-guarantee: none of them is part of the program; the wrong ones are wrong on purpose.
 * Assumption: the lock stands in `/share`, which the scenario sets there.
 */

import { faultCode } from "../../lib/sys/faults.ts";
import type { Sys } from "../../lib/sys/sys.ts";
import type { Scenario } from "./simulation/scenario.ts";
import type { Script, SimProcess } from "./simulation/sim_process.ts";

const TOY_LOCK = "/share/lock.lock";

/** A lock that is older than this is stale for those that break. */
const TOY_STALE_MS = 10_000;

const POLL_MS = 100;

/** Makes the lock; false if somebody has it. */
async function made(sys: Sys): Promise<boolean> {
  return await succeeded(sys.files.makeFolder(TOY_LOCK), "EEXIST");
}

/** Whether an operation succeeded; false if it failed for one of these reasons. */
async function succeeded(operation: Promise<void>, ...codes: string[]): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (thrown) {
    if (!codes.includes(faultCode(thrown) ?? "")) throw thrown;
    return false;
  }
}

async function work(me: SimProcess): Promise<void> {
  me.enter();
  await me.pause("work");
  me.leave();
}

/** mkdir, work, rmdir: right as long as nobody dies. */
export function plain(holds = 1): Script {
  return async (sys, me) => {
    for (let held = 0; held < holds; held++) {
      while (!await made(sys)) await sys.clock.sleep(POLL_MS);
      await work(me);
      await sys.files.removeFolder(TOY_LOCK);
    }
  };
}

async function isStale(sys: Sys): Promise<boolean> {
  const entry = await sys.files.entry(TOY_LOCK);
  return entry !== null && await sys.clock.wallMs() - entry.mtimeMs > TOY_STALE_MS;
}

/** Wrong: between its look and its rmdir, the old lock may have become another's. */
export const breaksAfterLook: Script = async (sys, me) => {
  while (!await made(sys)) {
    if (await isStale(sys)) await succeeded(sys.files.removeFolder(TOY_LOCK), "ENOENT");
    else await sys.clock.sleep(POLL_MS);
  }
  await work(me);
  await succeeded(sys.files.removeFolder(TOY_LOCK), "ENOENT");
};

/** Wrong: moves the lock aside to look at it in peace, and back if it turns out to be young. */
export const breaksByRename: Script = async (sys, me) => {
  const aside = `/share/aside-${me.name}`;
  while (!await made(sys)) {
    if (!await isStale(sys)) await sys.clock.sleep(POLL_MS);
    else if (await succeeded(sys.files.rename(TOY_LOCK, aside), "ENOENT")) {
      const entry = await sys.files.entry(aside);
      const young = entry && await sys.clock.wallMs() - entry.mtimeMs <= TOY_STALE_MS;
      if (young) await sys.files.rename(aside, TOY_LOCK);
      else await sys.files.removeFolder(aside);
    }
  }
  await work(me);
  await succeeded(sys.files.removeFolder(TOY_LOCK), "ENOENT");
};

/** Wrong: takes the inode number for an identity, and it comes back at once. */
export const breaksSameInode: Script = async (sys, me) => {
  const inode = async () => {
    return ((await sys.files.entry(TOY_LOCK)) as { inode?: number } | null)?.inode;
  };
  while (!await made(sys)) {
    const seen = await inode();
    if (!await isStale(sys)) await sys.clock.sleep(POLL_MS);
    else if (await inode() === seen) await succeeded(sys.files.removeFolder(TOY_LOCK), "ENOENT");
  }
  await work(me);
  await succeeded(sys.files.removeFolder(TOY_LOCK), "ENOENT");
};

/** Right on one mount: the kernel's file lock alone, which dies with its process. */
export const fileLocked: Script = async (sys, me) => {
  const path = "/share/file";
  await succeeded(sys.files.create(path, "").then(() => {}), "EEXIST");
  const file = await sys.files.open(path);
  await file!.lock("exclusive");
  await work(me);
  await file!.close();
};

/** Who meets, all on one machine; `oldLock` sets an hour-old lock there first. */
export function toy(
  name: string,
  scripts: readonly Script[],
  setup: { readonly oldLock?: boolean; readonly showsInodes?: boolean } = {},
): Scenario {
  return {
    name,
    world: { showsInodes: setup.showsInodes ?? false },
    mostMs: 600_000,
    build(world) {
      world.placeFolder("/share");
      if (setup.oldLock) world.placeFolder(TOY_LOCK, 3_600_000);
      const machine = world.machine({ host: "alpha" });
      scripts.forEach((script, at) => world.start(machine, "abcdefgh"[at]!, script));
    },
  };
}

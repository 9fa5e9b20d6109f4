/** What simulated processes do: the program's own code, run as its commands run it. */

import { FolderUnusable, GaveUp, NotHolder } from "../../lib/core/failures.ts";
import { lockPaths } from "../../lib/core/paths.ts";
import { acquire, type AcquireRequest, type WakeUpTrust } from "../../lib/lock/acquire.ts";
import { PROCEDURES, type Procedures } from "../../lib/lock/procedures.ts";
import { releaseBySlug } from "../../lib/lock/release.ts";
import { openSite } from "../../lib/lock/site.ts";
import type { Script, SimProcess } from "./simulation/sim_process.ts";

export const PATHS = lockPaths("/share", "lock");

/** Short enough that a random run reaches it, long enough for a dozen beats. */
export const STALE_MS = 30_000;

export interface Job {
  readonly holds?: number;
  readonly startsMs?: number;
  /** How long each hold works. */
  readonly worksMs?: number;
  readonly staleMs?: number;
  readonly pollMs?: number;
  readonly timeoutMs?: number | null;
  readonly wakeUps?: WakeUpTrust;
  readonly procedures?: Procedures;
}

function requestOf(me: SimProcess, mode: "run" | "acquire", job: Job): AcquireRequest {
  return {
    slug: me.name,
    mode,
    pollMs: job.pollMs ?? 5000,
    staleMs: job.staleMs ?? STALE_MS,
    timeoutMs: job.timeoutMs ?? null,
    wakeUps: job.wakeUps ?? "sure",
  };
}

/** `run`: a command works under the hold, and lives on if its wrapper is killed. */
export function runs(job: Job = {}): Script {
  return async (sys, me) => {
    if (job.startsMs) await sys.clock.sleep(job.startsMs);
    for (let held = 0; held < (job.holds ?? 1); held++) {
      const site = openSite(sys, PATHS, job.procedures ?? PROCEDURES);
      const hold = await orGaveUp(acquire(site, requestOf(me, "run", job)));
      if (!hold) return "gave up";
      me.world.note(`${me.name} served`);
      const pid = await startInside(me, hold.token, job.worksMs ?? 1000);
      const found = await sys.processes.look(pid);
      await hold.nameCommand(pid, found.state === "alive" ? found.start : null);
      await me.commandEnded(pid);
      if (!await isGivenBack(hold.release())) return "could not give back";
    }
    return "served";
  };
}

/** A command is inside from the very step in which it was started. */
function startInside(me: SimProcess, token: string, worksMs: number): Promise<number> {
  return me.call("startCommand", [], () => {
    const pid = me.world.startCommand(me, `LOCK_FOLDER_HELD=${token}`, worksMs);
    me.enter("command", pid);
    return pid;
  });
}

/** The library: a process works under the hold itself. */
export function holds(job: Job = {}): Script {
  return async (sys, me) => {
    if (job.startsMs) await sys.clock.sleep(job.startsMs);
    for (let held = 0; held < (job.holds ?? 1); held++) {
      const site = openSite(sys, PATHS, job.procedures ?? PROCEDURES);
      const hold = await orGaveUp(acquire(site, requestOf(me, "run", job)));
      if (!hold) return "gave up";
      me.world.note(`${me.name} served`);
      me.enter("library");
      if (job.worksMs) await sys.clock.sleep(job.worksMs);
      else await me.pause("work");
      me.leave();
      if (!await isGivenBack(hold.release())) return "could not give back";
    }
    return "served";
  };
}

/** `acquire`, work, `release`: as a shell script does, of which the simulated process is the shell. */
export function acquiresAndReleases(job: Job = {}): Script {
  return async (sys, me) => {
    if (job.startsMs) await sys.clock.sleep(job.startsMs);
    for (let held = 0; held < (job.holds ?? 1); held++) {
      const site = openSite(sys, PATHS, job.procedures ?? PROCEDURES);
      const hold = await orGaveUp(acquire(site, requestOf(me, "acquire", job)));
      if (!hold) return "gave up";
      await hold.leaveStanding();
      me.world.note(`${me.name} served`);
      me.enter("acquire");
      if (job.worksMs) await sys.clock.sleep(job.worksMs);
      else await me.pause("work");
      me.leave();
      try {
        await releaseBySlug(openSite(sys, PATHS, job.procedures ?? PROCEDURES), me.name, false);
      } catch (failure) {
        // Broken by age meanwhile, which is what `acquire` risks.
        if (!(failure instanceof NotHolder) && !(failure instanceof FolderUnusable)) throw failure;
      }
    }
    return "served";
  };
}

async function orGaveUp<T>(hold: Promise<T>): Promise<T | null> {
  try {
    return await hold;
  } catch (failure) {
    if (failure instanceof GaveUp) return null;
    throw failure;
  }
}

/** A program that cannot give back within ten seconds says so and ends: its lock is then broken as dead. */
async function isGivenBack(release: Promise<void>): Promise<boolean> {
  try {
    await release;
    return true;
  } catch (failure) {
    if (failure instanceof FolderUnusable && failure.obstacle.kind === "not given back") {
      return false;
    }
    throw failure;
  }
}

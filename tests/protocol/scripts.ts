/** What simulated processes do: the program's own code, run as its commands run it. */

import { FolderUnusable, GaveUp, NotHolder } from "../../lib/lock/failures.ts";
import { lockPaths } from "../../lib/folder/state/layout.ts";
import { acquire } from "../../lib/folder/acquire.ts";
import type { AcquireRequest, RunnableHold, WakeUpTrust } from "../../lib/lock/service.ts";
import { releaseBySlug } from "../../lib/folder/visit/release.ts";
import type { Procedures, Site } from "../../lib/folder/site.ts";
import type { Sys } from "../../lib/sys/sys.ts";
import { countedCalls } from "./simulation/counted_calls.ts";
import type { Script, SimProcess } from "./simulation/sim_process.ts";
import { openSite } from "../../lib/folder/open_site.ts";
import { openCountedSite } from "../../lib/folder/slots/counted_site.ts";

export const PATHS = lockPaths("/share", "lock");

/** Short enough that a random run reaches it, long enough for a dozen beats. */
export const STALE_MS = 30_000;

/** A third of the program's own, so that waiters meet more often. */
const POLL_MS = 5000;

export interface Job {
  /** Whether a journal is kept: it takes steps, and no rule rests on it. Default: no. */
  readonly keepsJournal?: boolean;
  /** What is to be started under the hold; without it nothing is. */
  readonly command?: readonly string[];
  /** The command cleans its environment, so that nobody finds the hold's token there. */
  readonly scrubs?: boolean;
  /** The command's main thread ends at once, and its other threads do the work. */
  readonly worksInThreads?: boolean;
  readonly holds?: number;
  readonly startsMs?: number;
  /** How long each hold works. */
  readonly worksMs?: number;
  readonly wakeUps?: WakeUpTrust;
  /** As the library waits. */
  readonly outlivesWait?: boolean;
  /** What is held meanwhile, as `heldLine()` has it. */
  readonly within?: readonly string[];
  /** The slug, where another process has the same one; else the process's name. */
  readonly slug?: string;
  /** The limit of each wait; without it they have none. */
  readonly timeoutMs?: number;
  readonly keepPlaceMs?: number;
  /** A caller whose calls are cut off: after a wait in vain it is away for so long, and calls again. */
  readonly awayMs?: number;
  /** The name of the lock, where there are several. */
  readonly lock?: string;
  /** Of a lock with slots: their names. */
  readonly slots?: readonly string[];
  readonly procedures?: Procedures;
  /** A system put around the real one, to arm a rule that is known to be wrong. */
  readonly around?: (sys: Sys) => Sys;
  /** Puts a known-wrong part in place of the site's own. */
  readonly armed?: (site: Site) => Site;
}

/** What a job asks for; what it leaves open is fit for most. */
export function requestOf(me: SimProcess, mode: "run" | "acquire", job: Job): AcquireRequest {
  return {
    slug: job.slug ?? me.name.replaceAll(" ", "-"),
    mode,
    pollMs: POLL_MS,
    staleMs: STALE_MS,
    timeoutMs: job.timeoutMs ?? null,
    ...(job.keepPlaceMs !== undefined && { keepPlaceMs: job.keepPlaceMs }),
    wakeUps: job.wakeUps ?? "sure",
    ...(job.command && { command: job.command }),
    ...(job.outlivesWait && { outlivesWait: true }),
    ...(job.within && { within: job.within }),
  };
}

/**
 * One or more holds, one after another.
 * @param work what is done with each; gives an outcome that ends all, or null to go on
 */
function holding(
  mode: "run" | "acquire",
  job: Job,
  work: (hold: RunnableHold, sys: Sys, me: SimProcess) => Promise<string | null>,
): Script {
  return async (plain, me) => {
    const sys = job.around?.(plain) ?? plain;
    if (job.startsMs) await sys.clock.sleep(job.startsMs);
    for (let held = 0; held < (job.holds ?? 1); held++) {
      const hold = await orGaveUp(acquire(siteOf(me, sys, job), requestOf(me, mode, job)));
      if (!hold && job.awayMs !== undefined) {
        await sys.clock.sleep(job.awayMs);
        held--;
        continue;
      }
      if (!hold) return "gave up";
      me.world.note(`${me.name} served`);
      const outcome = await work(hold, sys, me);
      if (outcome !== null) return outcome;
    }
    return "served";
  };
}

export function siteOf({ machine }: SimProcess, sys: Sys, job: Job): Site {
  const own = {
    mount: machine.mount,
    keepsJournal: job.keepsJournal ?? false,
    ...(job.procedures && { procedures: job.procedures }),
  };
  const site = job.slots
    ? openCountedSite(sys, PATHS.dir, "lock", job.slots, own)
    : openSite(sys, job.lock ? lockPaths(PATHS.dir, job.lock) : PATHS, own);
  return job.armed?.(site) ?? site;
}

/** `run`: a command works under the hold, and lives on if its wrapper is killed. */
export function runs(job: Job = {}): Script {
  return holding("run", { command: ["work"], ...job }, async (hold, sys, me) => {
    const pid = await startInside(me, hold, job);
    if (job.worksInThreads) me.world.endMainThread(me, pid);
    await hold.startedCommand(pid);
    const found = await sys.processes.look(pid);
    await hold.nameCommand(pid, found.state === "alive" ? found.start : null);
    await me.commandEnded(pid);
    return await isGivenBack(hold.release()) ? null : "could not give back";
  });
}

/** A command is inside from the very step in which it was started. */
function startInside(me: SimProcess, hold: RunnableHold, job: Job): Promise<number> {
  const token = job.scrubs ? "" : hold.token;
  return me.call("startCommand", [], () => {
    const pid = me.world.startCommand(me, `LOCK_FOLDER_HELD=${token}`, job.worksMs ?? 1000);
    me.enter("command", pid, hold.slot);
    return pid;
  });
}

/** The library: a process works under the hold itself. */
export function holds(job: Job = {}): Script {
  return holding("run", { ...job, outlivesWait: true }, async (hold, sys, me) => {
    me.enter("library", null, hold.slot);
    await workInside(job, sys, me);
    return await isGivenBack(hold.release()) ? null : "could not give back";
  });
}

/** A process that goes on living when its script is over, as a server does that took the lock now and then. */
export function livesOn(script: Script): Script {
  return async (sys, me) => {
    const outcome = await script(sys, me);
    await me.livesOn();
    return outcome;
  };
}

/** Where a file call may fail: a program may then say that the folder cannot be used. */
export function mayFail(script: Script): Script {
  return async (sys, me) => {
    try {
      return await script(sys, me);
    } catch (failure) {
      if (!(failure instanceof FolderUnusable)) throw failure;
      return `refused: ${failure.message}`;
    }
  };
}

/** More than most acquires take in all. */
const MOST_CALLS = 120;

/** As `holds()`, but called off before one of its calls, if it takes as many until it has the lock. */
export function isCalledOff(job: Job = {}): Script {
  return async (sys, me) => {
    const atCall = 1 + Math.floor(MOST_CALLS * await sys.random.fraction());
    const interrupt = new AbortController();
    const observed = countedCalls(sys, (call) => {
      if (call === atCall) interrupt.abort(CALLED_OFF);
    });
    const request = { ...requestOf(me, "run", job), interrupt: interrupt.signal };
    try {
      const hold = await acquire(siteOf(me, observed, job), request);
      me.enter("library");
      await workInside(job, sys, me);
      await hold.release();
    } catch (thrown) {
      if (thrown !== CALLED_OFF && !isNotGivenBack(thrown)) throw thrown;
    }
    return "served";
  };
}

const CALLED_OFF = new Error("called off");

/** `acquire`, work, `release`: as a shell script does, of which the simulated process is the shell. */
export function acquiresAndReleases(job: Job = {}): Script {
  return holding("acquire", job, async (hold, sys, me) => {
    await hold.leaveStanding();
    me.enter("acquire", null, hold.slot);
    await workInside(job, sys, me);
    try {
      const site = siteOf(me, sys, job);
      const held = site.slots?.find(({ slot }) => slot === hold.slot) ?? site;
      await releaseBySlug(held, me.name, false);
    } catch (failure) {
      // Broken by age meanwhile, which is what `acquire` risks; or another is frozen over it.
      if (!(failure instanceof NotHolder) && !(failure instanceof FolderUnusable)) throw failure;
    }
    return null;
  });
}

export async function workInside(job: Job, sys: Sys, me: SimProcess): Promise<void> {
  if (job.worksMs) await sys.clock.sleep(job.worksMs);
  else await me.pause("work");
  me.leave();
}

export async function orGaveUp<T>(hold: Promise<T>): Promise<T | null> {
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
    if (isNotGivenBack(failure)) return false;
    throw failure;
  }
}

function isNotGivenBack(thrown: unknown): boolean {
  return thrown instanceof FolderUnusable && thrown.obstacle.kind === "not given back";
}

/** Processes that want two locks: at once, or one inside of the other. */

import { GaveUp } from "../../lib/lock/failures.ts";
import { type NamedLock, SeveralLocks } from "../../lib/lock/several.ts";
import type { LockService, RunnableHold } from "../../lib/lock/service.ts";
import { heldLine } from "../../lib/lock/variables.ts";
import { acquire } from "../../lib/folder/acquire.ts";
import type { Sys } from "../../lib/sys/sys.ts";
import { type Job, requestOf, siteOf } from "./scripts.ts";
import type { Script, SimProcess } from "./simulation/sim_process.ts";

export type Kind = new (...about: ConstructorParameters<typeof SeveralLocks>) => SeveralLocks;

/** `run --name a --name b`. @param names in the order in which they are given */
export function takesBoth(
  names: readonly string[],
  job: Job = {},
  kind: Kind = SeveralLocks,
): Script {
  return async (sys, me) => {
    if (job.startsMs) await sys.clock.sleep(job.startsMs);
    for (let held = 0; held < (job.holds ?? 1); held++) {
      const locks = new kind(names.map((name) => lockOf(name, sys, me, job)), [], () => {
        return sys.clock.monotonicMs();
      });
      const hold = await orNote(me, locks.acquire(requestOf(me, "run", job)));
      if (!hold) return "gave up";
      me.world.note(`${me.name} served`);
      await workIn(hold, sys, me, job);
      await hold.release();
    }
    return "served";
  };
}

/** A `run` on the second inside of a `run` on the first. */
export function nests([outer, inner]: readonly [string, string], job: Job = {}): Script {
  return async (sys, me) => {
    if (job.startsMs) await sys.clock.sleep(job.startsMs);
    const first = await orNote(
      me,
      lockOf(outer, sys, me, job).service.acquire(requestOf(me, "run", job)),
    );
    if (!first) return "gave up";
    me.world.note(`${me.name} has ${outer}`);
    const within = [heldLine(first.lock, first.token)];
    const lock = lockOf(inner, sys, me, job).service;
    const second = await orNote(me, lock.acquire(requestOf(me, "run", { ...job, within })));
    if (second) {
      me.world.note(`${me.name} served`);
      await workIn(second, sys, me, job);
      await second.release();
    }
    await first.release();
    return second ? "served" : "gave up";
  };
}

function lockOf(name: string, sys: Sys, me: SimProcess, job: Job): NamedLock {
  const site = siteOf(me, sys, { ...job, lock: name });
  const service: Pick<LockService, "lock" | "acquire" | "around"> = {
    lock: site.paths.lock,
    acquire: (request, observer) => {
      return acquire(site, { ...request, wakeUps: job.wakeUps ?? "sure" }, observer);
    },
    around: () => Promise.resolve(null),
  };
  return { name, service: { log: "", jobs: null, ...service } as LockService };
}

/** Each lock is a room of its own, as a slot is. */
async function workIn(hold: RunnableHold, sys: Sys, me: SimProcess, job: Job): Promise<void> {
  const locks = hold.named ?? [hold];
  for (const { lock } of locks) me.enter("library", null, lock);
  if (job.worksMs) await sys.clock.sleep(job.worksMs);
  else await me.pause("work");
  me.leave();
}

async function orNote<T>(me: SimProcess, hold: Promise<T>): Promise<T | null> {
  try {
    return await hold;
  } catch (failure) {
    if (!(failure instanceof GaveUp)) throw failure;
    const links = failure.circle?.map(({ slug, holds, waitsFor }) =>
      `${slug} ${holds} ${waitsFor}`
    );
    me.world.note(links ? `${me.name} in a circle: ${links.join("; ")}` : `${me.name} gave up`);
    return null;
  }
}

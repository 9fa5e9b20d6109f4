/**
 * The first invariant, as the world can check it: two are inside at once only if there is an excuse for it, one
 * of those in `EXCUSES`. Each that is made use of is counted.
 *
 * Guarantee: a hold whose process the breaker's own machine can see is never excused. How long a holder was
 * silent is taken by true time, whatever the clocks and the mtimes say. Sleep is an excuse only between the
 * last question to a clock and the step that this question allowed, which is made at once after the answer.
 */

import { isSameMachine, parseRecord, recordBelongs } from "../../lib/folder/state/record.ts";
import { PATHS, STALE_MS } from "./scripts.ts";
import type { Reading } from "./simulation/clocks.ts";
import type { Asked, Call, SimProcess } from "./simulation/sim_process.ts";
import { FILE_EPOCH_MS, type Occupant, type World } from "./simulation/world.ts";

export interface ExclusionSetup {
  /** A coarse clock rounds an mtime down by up to this much. */
  readonly granularityMs: number;
  /** How old an attribute may be that a network client gives. */
  readonly lagMs: number;
  /** Whether a process stays with the holds of this one: not with `acquire`, and not with a foreign peer. */
  readonly staysWithHold: (process: SimProcess) => boolean;
  /**
   * False looks at overlaps alone, and not at how locks are removed and freshened: for showing that a wrong
   * rule leads to two winners, and not only to a step that is forbidden.
   */
  readonly checksSteps: boolean;
}

/** All that is let pass. Each but the first needs a fault that no rule can see in time. */
export const EXCUSES = {
  silent: "broken after a silence longer than --stale",
  looksOld: "broken after a silence that a coarse clock or a cached attribute made longer",
  misled: "taken away by a foreign peer whose own lock had been broken",
  overtaken: "taken away by a breaker while a foreign peer took its own old lock away",
  asleepRemoving: "taken away by one that slept between its last question to a clock and its rmdir",
  asleepBeating: "freshened by one that slept between its last question to a clock and its utime",
  misledBeating: "freshened by one whose lock a foreign peer had taken away",
  robbedBeating:
    "freshened by one whose lock had been taken away by one that slept before its rmdir",
  backDated: "broken after one that slept had set its mtime back",
  blind: "taken away or freshened by one whose two clocks both lost time",
  bareForeign: "a foreign peer's lock, broken by a clock that was set",
  bareClaim: "a lock without a record as yet, broken by a clock that was set",
  setSilent: "broken by a clock that was set, after a silence of two heartbeats",
  setAcquired: "taken by `acquire`, broken by a clock that was set, after two heartbeats",
} as const;

export type Excuse = keyof typeof EXCUSES;

/** Takers of another machine are passed over after this long, and act within that. */
const PASSED_OVER_MS = 60_000;
const ACTS_WITHIN_MS = 20_000;
/** What is held up between look and act for longer than this may be passed over. */
const HELD_UP_MS = PASSED_OVER_MS - ACTS_WITHIN_MS;
const BEATS_WITHIN_MS = STALE_MS / 4;
const CLAIMS_WITHIN_MS = 5000;
/** For so long whoever waits watches what a clock that was set has made old. */
const WATCHES_MS = 10_000;

/** Makes a check for one scenario; what it remembers it forgets with each new world. */
export function exclusion(setup: ExclusionSetup): (world: World) => string | null {
  const memories = new WeakMap<World, Memory>();
  return (world) => {
    const memory = memories.get(world) ?? new Memory(setup);
    memories.set(world, memory);
    return memory.look(world);
  };
}

interface Forfeit {
  readonly atMs: number;
  readonly excuse: Excuse;
}

class Memory {
  readonly #setup: ExclusionSetup;
  readonly #slackMs: number;
  #mtimeMs: number | null = null;
  /** Who made the lock that stands. */
  #maker: SimProcess | null = null;
  /** The lock's last sign of life: when its mtime was taken from the clock. */
  #sign: Reading = { trueMs: 0, setting: 0 };
  #isBackDated = false;
  /** By whom, while that one has not mended it. */
  #backDater: SimProcess | null = null;
  /** Whose lock was taken away by right, though they may not know it yet. */
  readonly #forfeited = new Map<SimProcess, Forfeit>();
  readonly #met = new WeakSet<Occupant>();
  readonly #excused = new WeakSet<Occupant>();
  /** Foreign peers whose lock was broken by age (their rmdir takes another's), and whom they robbed. */
  readonly #misled = new WeakSet<SimProcess>();
  /** A foreign peer took its old lock away while somebody, who had looked at it last, was about to break it. */
  #overtaken = false;
  readonly #steps = new Steps();

  constructor(setup: ExclusionSetup) {
    this.#setup = setup;
    this.#slackMs = setup.granularityMs + setup.lagMs;
  }

  look(world: World): string | null {
    const mtimeMs = world.tree.find(PATHS.lock, "stat")?.mtimeMs ?? null;
    if (mtimeMs === null && this.#mtimeMs !== null) this.#vanished(world, this.#mtimeMs);
    const wrong = this.#wrongStep(world, mtimeMs);
    if (mtimeMs !== null && this.#mtimeMs === null) this.#appeared(world);
    if (mtimeMs !== null && mtimeMs !== this.#mtimeMs) this.#signed(world, mtimeMs);
    this.#mtimeMs = mtimeMs;
    this.#overtaken &&= isBeingRemoved(world);
    this.#steps.note(world, this.#maker);
    const late = this.#meetThoseInside(world);
    const inside = world.inside.filter((one) => !this.#excused.has(one));
    if (inside.length < 2) return wrong ?? late;
    return `two inside: ${
      inside.map(({ process, kind }) => `${process.name} (${kind})`).join(", ")
    }`;
  }

  #meetThoseInside(world: World): string | null {
    let late: string | null = null;
    for (const one of world.inside) {
      const forfeit = this.#forfeited.get(one.process);
      if (!this.#met.has(one) && forfeit) late ??= this.#wentInLate(world, one, forfeit);
      this.#met.add(one);
      if (forfeit) this.#excused.add(one);
    }
    return late;
  }

  /** A claim asks the clock last before it hands the hold out: what was broken by age before that is not handed out. */
  #wentInLate(world: World, { process }: Occupant, { atMs, excuse }: Forfeit): string | null {
    const claimed = this.#steps.claimed.get(process);
    const granted = this.#steps.granted.get(process);
    if (!this.#setup.checksSteps || !claimed || !granted || atMs >= claimed.trueMs) return null;
    const isInTime = seenMs(granted, claimed) <= CLAIMS_WITHIN_MS;
    if (excuse !== "silent" && excuse !== "bareClaim" || isInTime && excuse === "bareClaim") {
      return null;
    }
    if (isInTime && blindMs(granted, claimed) > CLAIMS_WITHIN_MS) return excused(world, "blind");
    return `${process.name} went in though its lock had been broken by age`;
  }

  /** A removal without the right to remove, or a beat on another's lock. */
  #wrongStep(world: World, mtimeMs: number | null): string | null {
    const { actor } = world;
    if (!actor || this.#mtimeMs === null || actor.name === "foreign" || actor.name === "hand") {
      return null;
    }
    if (mtimeMs === null) {
      if (!this.#setup.checksSteps || hasRight(world, actor)) return null;
      // Passed over, and cleared away.
      if (this.#excuseToRemove(world, actor)) return null;
      return `${actor.name} removed the lock without the right to`;
    }
    if (mtimeMs === this.#mtimeMs || actor === this.#maker) return null;
    if (actor === this.#backDater) return this.#madeYoungAgain();
    const excuse = this.#excuseToFreshen(world, actor);
    this.#isBackDated = true;
    this.#backDater = excuse && actor;
    if (excuse) return excused(world, excuse);
    return this.#setup.checksSteps
      ? `${actor.name} freshened the lock of ${this.#maker?.name}`
      : null;
  }

  /** One that finds out that it has made another's lock old may mend that, once. */
  #madeYoungAgain(): null {
    this.#isBackDated = false;
    this.#backDater = null;
    return null;
  }

  #excuseToFreshen({ nowMs, act }: World, actor: SimProcess): Excuse | null {
    if (this.#misled.has(actor)) return "misledBeating";
    // It has beaten a moment ago, and a peer that leaves no record has made a lock since.
    if (this.#forfeited.get(actor)?.excuse === "asleepRemoving") return "robbedBeating";
    if (!act) return null;
    const heldUpMs = nowMs - act.madeAtMs;
    if (heldUpMs > BEATS_WITHIN_MS) return "asleepBeating";
    const lostMs = blindMs(this.#steps.beaten.get(actor), act.asked);
    return heldUpMs + lostMs > BEATS_WITHIN_MS ? "blind" : null;
  }

  #appeared(world: World): void {
    this.#maker = world.actor;
    if (this.#maker) this.#forfeited.delete(this.#maker);
  }

  #signed(world: World, mtimeMs: number): void {
    const { fileClock, granularityMs, nowMs, actor } = world;
    this.#sign = fileClock.readingOf(mtimeMs, granularityMs, nowMs) ?? fileClock.latest(nowMs);
    if (actor === this.#maker) this.#isBackDated = false;
  }

  /** The lock went: given back, by age, or by a mistake? */
  #vanished(world: World, mtimeMs: number): void {
    const maker = this.#maker;
    const { actor } = world;
    if (actor?.name === "foreign" && this.#mayLookOld(world, mtimeMs)) {
      this.#overtaken = isBeingRemoved(world);
    }
    if (!maker || !actor || maker === actor) return;
    const byAge = this.#excuseByAge(world, maker, actor, mtimeMs);
    if (byAge && maker.name === "foreign") this.#misled.add(maker);
    const isMisled = this.#isMisled(actor);
    if (isMisled) this.#misled.add(maker);
    const excuse = byAge ?? (isMisled ? "misled" : this.#overtaken ? "overtaken" : null) ??
      this.#excuseToRemove(world, actor);
    if (!excuse) return;
    this.#forfeited.set(maker, { atMs: world.nowMs, excuse });
    if (maker.alive || world.inside.some(({ process }) => process === maker)) {
      excused(world, excuse);
    }
  }

  #silentMs({ nowMs }: World): number {
    return nowMs - this.#sign.trueMs;
  }

  /** Whether its mtime looks old to a clock that is so far ahead of true time. */
  #looksOld({ nowMs }: World, mtimeMs: number, aheadMs: number): boolean {
    return FILE_EPOCH_MS + nowMs + aheadMs - mtimeMs + this.#slackMs > STALE_MS;
  }

  #mayLookOld(world: World, mtimeMs: number): boolean {
    if (this.#silentMs(world) + this.#slackMs > STALE_MS) return true;
    return this.#looksOld(world, mtimeMs, world.fileClock.mostAheadMs(this.#sign));
  }

  #excuseByAge(
    world: World,
    maker: SimProcess,
    actor: SimProcess,
    mtimeMs: number,
  ): Excuse | null {
    if (!this.#mayLookOld(world, mtimeMs) || this.#sees(actor, maker)) return null;
    const silentMs = this.#silentMs(world);
    if (this.#isBackDated) return "backDated";
    if (silentMs > STALE_MS) return "silent";
    if (silentMs + this.#slackMs > STALE_MS) return "looksOld";
    return this.#excuseByClock(world, maker, actor, mtimeMs);
  }

  /**
   * The clock that stamps the files was set. A lock with a record is watched for two heartbeats all the same; one
   * without on a share, and elsewhere if whoever waits can have seen it happen.
   */
  #excuseByClock(
    world: World,
    maker: SimProcess,
    actor: SimProcess,
    mtimeMs: number,
  ): Excuse | null {
    const { nowMs } = world;
    const waits = this.#steps.waits.get(actor) ?? { sinceMs: nowMs, aheadMs: Infinity };
    const isWatched = nowMs - Math.max(this.#sign.trueMs, waits.sinceMs) >= WATCHES_MS;
    if (recordIsTied(world, mtimeMs)) {
      if (!isWatched) return null;
      return this.#setup.staysWithHold(maker) ? "setSilent" : "setAcquired";
    }
    if (!actor.machine.mount.isLocalDisk && !isWatched) return null;
    const wasOldBefore = this.#looksOld(world, mtimeMs, waits.aheadMs);
    const sawIt = world.fileClock === actor.machine.clocks.wall && !wasOldBefore;
    if (sawIt && nowMs - (world.fileClock.setAtMs ?? nowMs) < WATCHES_MS) return null;
    return maker.name === "foreign" ? "bareForeign" : "bareClaim";
  }

  /**
   * A foreign peer whose lock was broken, or, where the clock is coarse, one that such a peer has robbed: a
   * foreign lock made within the same tick looks like its own.
   */
  #isMisled(actor: SimProcess): boolean {
    return this.#misled.has(actor) &&
      (actor.name === "foreign" || this.#setup.granularityMs > 1);
  }

  /** Whether the remover runs where it can see that the process which holds lives. */
  #sees(remover: SimProcess, holder: SimProcess): boolean {
    return this.#setup.staysWithHold(holder) && remover.machine.looks === "sees" &&
      isSameMachine(remover.machine.name, holder.machine.name);
  }

  /**
   * What is left: a taker that others cannot see, and that is held up for long enough to be passed over, exactly
   * between its last question to a clock and its rmdir.
   */
  #excuseToRemove(world: World, actor: SimProcess): Excuse | null {
    const allowed = this.#steps.allowed.get(actor) ?? world.act;
    if (world.machines.length < 2 || !allowed) return null;
    const heldUpMs = world.nowMs - allowed.madeAtMs;
    if (heldUpMs > HELD_UP_MS) return "asleepRemoving";
    const lostMs = blindMs(this.#steps.taken.get(actor), allowed.asked);
    return heldUpMs + lostMs > HELD_UP_MS ? "blind" : null;
  }
}

/** What each process knew of the time at the steps that its rules tie together. */
class Steps {
  /** When it looked for the first time since it held last, and how far the file system's clock was ahead then. */
  readonly waits = new Map<SimProcess, { readonly sinceMs: number; readonly aheadMs: number }>();
  /** What its clocks said before it made the lock, took the right to remove, beat. */
  readonly granted = new Map<SimProcess, Asked>();
  readonly taken = new Map<SimProcess, Asked>();
  readonly beaten = new Map<SimProcess, Asked>();
  /** The call that takes the lifeline away, just before the lock: what its clocks said last allowed it. */
  readonly allowed = new Map<SimProcess, Call>();
  /** What they said once the log had told of the hold. */
  readonly claimed = new Map<SimProcess, Asked>();
  readonly #logged = new Set<SimProcess>();

  note({ act, actor, nowMs, fileClock }: World, maker: SimProcess | null): void {
    if (!act || !actor) return;
    const { operation, paths: [path = ""], asked } = act;
    if (path === PATHS.lock && maker !== actor && !this.waits.has(actor)) {
      this.waits.set(actor, { sinceMs: nowMs, aheadMs: fileClock.aheadMs });
    }
    if (operation === "makeFolder" && path === PATHS.lock) {
      if (maker === actor) this.#made(actor, asked);
    } else if (operation === "makeFolder" && path.startsWith(`${PATHS.removing}/`)) {
      this.allowed.delete(actor);
      if (asked) this.taken.set(actor, asked);
    } else if (operation === "removeFile" && path.startsWith(`${PATHS.alive}/`)) {
      this.allowed.set(actor, act);
    } else if (operation === "setMtime" && path === PATHS.lock && maker === actor) {
      if (asked) this.beaten.set(actor, asked);
    } else if (operation === "append" && act.detail.includes(" acquired")) {
      this.#logged.add(actor);
    } else if (isQuestion(act) && this.#logged.delete(actor)) this.claimed.set(actor, actor.asked!);
  }

  #made(actor: SimProcess, asked: Asked | null): void {
    this.waits.delete(actor);
    this.claimed.delete(actor);
    if (!asked) return;
    this.granted.set(actor, asked);
    this.beaten.set(actor, asked);
  }
}

function isQuestion({ operation }: Call): boolean {
  return operation === "moment" || operation === "monotonicMs" || operation === "wallMs";
}

/** How much time went by between two questions that neither clock told of. */
function blindMs(from: Asked | undefined, to: Asked | null): number {
  if (!from || !to) return 0;
  return Math.max(0, to.trueMs - from.trueMs - seenMs(from, to));
}

/** How much went by as its own rules take it. */
function seenMs(from: Asked, to: Asked): number {
  return Math.max(to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);
}

function excused(world: World, excuse: Excuse): null {
  world.excuse(EXCUSES[excuse]);
  return null;
}

/** Whether the record that lies there speaks for the lock that carried this mtime. */
function recordIsTied(world: World, mtimeMs: number): boolean {
  const file = world.tree.file(PATHS.record);
  const record = file && parseRecord(file.text);
  return record ? recordBelongs(record, file.mtimeMs, mtimeMs) : false;
}

function isBeingRemoved(world: World): boolean {
  return world.stands(`${PATHS.removing}/1`) || world.stands(`${PATHS.removing}/2`);
}

/** Whether it has signed one of the numbered folders. */
function hasRight(world: World, actor: SimProcess): boolean {
  for (let number = 1; number < 20; number++) {
    const who = world.textOf(`${PATHS.removing}/${number}/who.json`);
    // Two processes may have one slug; numbers of processes come again on another machine.
    if (
      who.includes(`"pid":${actor.pid},`) && who.includes(`"host":"${actor.machine.name.host}"`)
    ) {
      return true;
    }
  }
  return false;
}

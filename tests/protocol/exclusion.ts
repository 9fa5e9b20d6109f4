/**
 * The first invariant, as the world can check it: two are inside at once only if the lock of one of them was
 * broken by age, and that one gave no sign of life for longer than `--stale` to those that broke it; or if a
 * foreign peer, whose lock was so broken, took another's away with its late rmdir.
 *
 * A hold whose process the breaker's own machine can see is never excused.
 */

import { isSameMachine } from "../../lib/core/record.ts";
import { PATHS, STALE_MS } from "./scripts.ts";
import type { SimProcess } from "./simulation/sim_process.ts";
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

/** Takers of another machine are passed over after this long, and act within that. */
const PASSED_OVER_MS = 30_000;
const ACTS_WITHIN_MS = 20_000;

/** Makes a check for one scenario; what it remembers it forgets with each new world. */
export function exclusion(setup: ExclusionSetup): (world: World) => string | null {
  const memories = new WeakMap<World, Memory>();
  return (world) => {
    const memory = memories.get(world) ?? new Memory(setup);
    memories.set(world, memory);
    return memory.look(world);
  };
}

class Memory {
  readonly #slackMs: number;
  readonly #isCoarse: boolean;
  readonly #checksSteps: boolean;
  readonly #staysWithHold: (process: SimProcess) => boolean;
  #mtimeMs: number | null = null;
  /** Who made the lock that stands. */
  #maker: SimProcess | null = null;
  /** When each process made its step before the present one. */
  readonly #steppedMs = new Map<SimProcess, number>();
  /** Whose lock was taken away by right, though they may not know it yet. */
  readonly #forfeited = new Set<SimProcess>();
  readonly #excused = new WeakSet<Occupant>();
  /** Foreign peers whose lock was broken by age (their rmdir takes another's), and whom they robbed. */
  readonly #misled = new WeakSet<SimProcess>();

  /** A foreign peer took its old lock away while somebody, who had looked at it last, was about to break it. */
  #overtaken = false;

  constructor(setup: ExclusionSetup) {
    this.#slackMs = setup.granularityMs + setup.lagMs;
    this.#isCoarse = setup.granularityMs > 1;
    this.#checksSteps = setup.checksSteps;
    this.#staysWithHold = setup.staysWithHold;
  }

  look(world: World): string | null {
    const mtimeMs = world.tree.find(PATHS.lock, "stat")?.mtimeMs ?? null;
    if (mtimeMs === null && this.#mtimeMs !== null) this.#vanished(world, this.#mtimeMs);
    const wrong = this.#wrongStep(world, mtimeMs);
    if (mtimeMs !== null && this.#mtimeMs === null) this.#appeared(world);
    this.#mtimeMs = mtimeMs;
    this.#overtaken &&= isBeingRemoved(world);
    for (const process of world.processes) this.#steppedMs.set(process, process.lastStepMs);
    for (const one of world.inside) if (this.#forfeited.has(one.process)) this.#excused.add(one);
    const inside = world.inside.filter((one) => !this.#excused.has(one));
    if (inside.length < 2) return wrong;
    return `two inside: ${
      inside.map(({ process, kind }) => `${process.name} (${kind})`).join(", ")
    }`;
  }

  /** A removal without the right to remove, or a beat on another's lock. */
  #wrongStep(world: World, mtimeMs: number | null): string | null {
    const { actor } = world;
    if (!this.#checksSteps || !actor || this.#mtimeMs === null) return null;
    if (actor.name === "foreign" || actor.name === "hand") return null;
    if (mtimeMs === null) {
      return hasRight(world, actor) ? null : `${actor.name} removed the lock without the right to`;
    }
    const freshened = mtimeMs !== this.#mtimeMs && actor !== this.#maker;
    if (!freshened || this.#slept(world, actor) > STALE_MS / 4 || this.#misled.has(actor)) {
      return null;
    }
    return `${actor.name} freshened the lock of ${this.#maker?.name}`;
  }

  #appeared(world: World): void {
    this.#maker = world.actor;
    if (this.#maker) this.#forfeited.delete(this.#maker);
  }

  /** The lock went: given back, by age, or by a mistake? */
  #vanished(world: World, mtimeMs: number): void {
    const maker = this.#maker;
    const { actor } = world;
    const ageMs = FILE_EPOCH_MS + world.nowMs - mtimeMs;
    if (actor?.name === "foreign" && ageMs + this.#slackMs > STALE_MS) {
      this.#overtaken = isBeingRemoved(world);
    }
    if (!maker || !actor || maker === actor) return;
    const byAge = ageMs + this.#slackMs > STALE_MS && !this.#sees(actor, maker);
    if (byAge && maker.name === "foreign") this.#misled.add(maker);
    if (this.#isMisled(actor)) this.#misled.add(maker);
    if (
      byAge || this.#isMisled(actor) || this.#overtaken || this.#sleptWhileRemoving(world, actor)
    ) {
      this.#forfeited.add(maker);
    }
  }

  /**
   * A foreign peer whose lock was broken, or, where the clock is coarse, one that such a peer has robbed: a
   * foreign lock made within the same tick looks like its own.
   */
  #isMisled(actor: SimProcess): boolean {
    return this.#misled.has(actor) && (actor.name === "foreign" || this.#isCoarse);
  }

  /** Whether the remover runs where it can see that the process which holds lives. */
  #sees(remover: SimProcess, holder: SimProcess): boolean {
    return this.#staysWithHold(holder) && remover.machine.looks === "sees" &&
      isSameMachine(remover.machine.name, holder.machine.name);
  }

  /**
   * What is left: a taker that others cannot see, and that sleeps long enough to be passed over exactly
   * between its last look and its rmdir.
   */
  #sleptWhileRemoving(world: World, actor: SimProcess): boolean {
    if (world.machines.length < 2) return false;
    return this.#slept(world, actor) > PASSED_OVER_MS - ACTS_WITHIN_MS;
  }

  /** How long it had not moved before its present step. */
  #slept({ nowMs }: World, actor: SimProcess): number {
    return nowMs - (this.#steppedMs.get(actor) ?? nowMs);
  }
}

function isBeingRemoved(world: World): boolean {
  return world.stands(`${PATHS.removing}/1`) || world.stands(`${PATHS.removing}/2`);
}

/** Whether it has signed one of the numbered folders. */
function hasRight(world: World, actor: SimProcess): boolean {
  for (let number = 1; number < 20; number++) {
    const who = world.textOf(`${PATHS.removing}/${number}/who.json`);
    if (who.includes(`"slug":"${actor.name}"`)) return true;
  }
  return false;
}

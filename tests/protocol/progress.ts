/** What waiting must not come to, beside being for ever. */

import { PATHS } from "./scripts.ts";
import type { SimProcess } from "./simulation/sim_process.ts";
import type { Occupant, World } from "./simulation/world.ts";

type Check = (world: World) => string | null;

/** Three looks of a waiter, and the time that passes by chance between them. */
const FOUND_DEAD_WITHIN_MS = 15_000;

/** A library holder that was killed at its work is found dead, and not only grown old. */
export function foundDeadSoon(): Check {
  const memories = new WeakMap<World, Deaths>();
  return (world) => {
    const memory = memories.get(world) ?? new Deaths();
    memories.set(world, memory);
    return memory.look(world);
  };
}

class Deaths {
  #inside: readonly Occupant[] = [];
  #dead: { readonly process: SimProcess; readonly atMs: number } | null = null;

  look(world: World): string | null {
    const killed = this.#inside.find(({ process, commandPid }) =>
      commandPid === null && process.state === "killed"
    );
    if (killed) this.#dead = { process: killed.process, atMs: world.nowMs };
    this.#inside = world.inside;
    if (!this.#dead) return null;
    if (!world.stands(PATHS.lock) || world.inside.length > 0) this.#dead = null;
    if (!this.#dead || world.nowMs - this.#dead.atMs < FOUND_DEAD_WITHIN_MS) return null;
    return `waiting for ${this.#dead.process.name}, which is dead`;
  }
}

/** When everything else is long over, the last one starts. */
export const LAST_STARTS_MS = 600_000;

/** Those ahead are passed over after a second, if they do not go on. */
const SERVED_WITHIN_MS = 900;

/** Nobody who waits for nothing any more is left in the line: the last one is served at once. */
export function lineIsLeft(): Check {
  return (world) => {
    const last = world.inside.find(({ process }) => process.name === "last");
    const waitedMs = (last?.sinceMs ?? 0) - LAST_STARTS_MS;
    return waitedMs > SERVED_WITHIN_MS ? `the last one waited for ${waitedMs} ms, alone` : null;
  };
}

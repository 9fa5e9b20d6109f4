/** Locks with slots: at most one in each, and nobody waits beside a free one. */

import { CALM, type Cast, foreign, type RandomScenario, type Stage } from "./scenarios.ts";
import { holds, type Job, PATHS, runs } from "./scripts.ts";
import type { Site } from "../../lib/folder/site.ts";
import type { Scenario } from "./simulation/scenario.ts";
import type { World } from "./simulation/world.ts";

const ALPHA = { host: "alpha" };
const ROUGH = { events: 300, kills: 1, freezes: 2, commandKills: 1 };

export const ONE = ["1"];
export const TWO = ["1", "2"];
export const THREE = ["1", "2", "3"];

export function slotLock(slot: string): string {
  return `${PATHS.dir}/lock.${slot}.lock`;
}

/** Nothing here is broken by age while its process lives: no overlap is excused. */
export function atMostOneInEachSlot(world: World): string | null {
  const bySlot = Map.groupBy(world.inside, ({ slot }) => slot);
  for (const [slot, inside] of bySlot) {
    if (inside.length < 2) continue;
    const who = inside.map(({ process, kind }) => `${process.name} (${kind})`).join(", ");
    return `two inside slot ${slot}: ${who}`;
  }
  return null;
}

/** The longest time between two looks, with what it drifts by, and the steps of a claim between them. */
const LOOK_WITHIN_MS = 6000;

/**
 * Where nobody is killed or frozen: a slot that is free while somebody waits is taken by the next look, and
 * those who came first are served first.
 */
export function servedInOrder(slots: readonly string[]): (world: World) => string | null {
  const memories = new WeakMap<World, Line>();
  return (world) => {
    const memory = memories.get(world) ?? new Line(slots);
    memories.set(world, memory);
    return atMostOneInEachSlot(world) ?? memory.look(world);
  };
}

class Line {
  readonly #slots: readonly string[];
  #tickets: readonly string[] = [];
  #idleSinceMs: number | null = null;

  constructor(slots: readonly string[]) {
    this.#slots = slots;
  }

  look(world: World): string | null {
    const names = [...world.tree.find(PATHS.queue, "readdir")?.children.keys() ?? []];
    const tickets = names.filter((name) => !name.startsWith(".")).sort();
    const left = this.#tickets.filter((ticket) => !tickets.includes(ticket));
    // Those with one number came in the same instant.
    const number = (ticket: string) => ticket.split("-")[0]!;
    const passedBy = left.find((ticket) => tickets.some((other) => number(other) < number(ticket)));
    this.#tickets = tickets;
    if (passedBy) return `${passedBy} left the line before one that had come earlier`;
    const isIdle = tickets.length > 0 && this.#slots.some((slot) => !world.stands(slotLock(slot)));
    this.#idleSinceMs = isIdle ? this.#idleSinceMs ?? world.nowMs : null;
    const idleMs = world.nowMs - (this.#idleSinceMs ?? world.nowMs);
    return idleMs > LOOK_WITHIN_MS ? `a slot was free for ${idleMs} ms while some waited` : null;
  }
}

/** @param check what must not be seen */
export function slotScenario(
  name: string,
  cast: readonly Cast[],
  slots: readonly string[],
  check: (world: World) => string | null = atMostOneInEachSlot,
  { world, oldLockMs, mostMs }: Pick<Stage, "world" | "oldLockMs" | "mostMs"> = {},
): Scenario {
  return {
    name,
    check,
    ...(world && { world }),
    ...(mostMs !== undefined && { mostMs }),
    looksAt: slots.map(slotLock),
    build: (built) => {
      built.placeFolder(PATHS.dir);
      if (oldLockMs !== undefined) built.placeFolder(slotLock(slots[0]!), oldLockMs);
      const machines = new Map(cast.map(({ on }) => {
        return [on, built.machine(typeof on === "function" ? on(built.seed) : on)];
      }));
      for (const { on, name, does } of cast) built.start(machines.get(on)!, name, does);
    },
  };
}

const HOUR_MS = 3_600_000;

function fleet(names: string, job: Job): Cast[] {
  return [...names].map((name) => ({ on: ALPHA, name, does: runs(job) }));
}

/** A peer that knows only mkdir and rmdir, and one slot. */
function foreignInSlot(slot: string): Cast {
  const does = foreign(500, 1, slotLock(slot));
  return { on: ALPHA, name: "foreign", does, stays: false };
}

export const SLOT_SCENARIOS: readonly RandomScenario[] = [
  {
    scenario: slotScenario("one slot", fleet("abc", { slots: ONE, worksMs: 300, holds: 2 }), ONE),
    chaos: ROUGH,
  },
  {
    scenario: slotScenario("two slots", [
      ...fleet("abc", { slots: TWO, worksMs: 300, holds: 2 }),
      { on: ALPHA, name: "d", does: holds({ slots: TWO, worksMs: 300 }) },
    ], TWO),
    chaos: ROUGH,
  },
  {
    scenario: slotScenario(
      "two slots, one of them left an hour ago",
      fleet("abcd", { slots: TWO, worksMs: 300 }),
      TWO,
      atMostOneInEachSlot,
      { oldLockMs: HOUR_MS },
    ),
    chaos: ROUGH,
  },
  {
    scenario: slotScenario(
      "three slots and six in a calm line",
      fleet("abcdef", { slots: THREE, worksMs: 400, holds: 2 }),
      THREE,
      servedInOrder(THREE),
    ),
    // Time that passes while somebody could go on is no time that a slot stands free.
    chaos: { ...CALM, slownessMs: 0 },
  },
  {
    scenario: slotScenario("two slots, one of which a peer takes by mkdir", [
      ...fleet("abc", { slots: TWO, worksMs: 300 }),
      foreignInSlot("2"),
      // A slot that somebody left is broken once all are taken. That peer breaks nothing.
      ...["last", "and least"].map((name) => {
        return { on: ALPHA, name, does: runs({ slots: TWO, startsMs: 600_000, worksMs: 90_000 }) };
      }),
    ], TWO),
    // Nor may it hold for longer than `--stale`: its lock would be broken, and its rmdir take another's (Y4).
    chaos: { ...ROUGH, slownessMs: 0, spare: ({ name }) => /foreign|last|least/.test(name) },
  },
  {
    scenario: slotScenario("two slots, and calls that are cut off", [
      ...fleet("abc", {
        slots: TWO,
        worksMs: 8000,
        timeoutMs: 3000,
        awayMs: 2000,
        keepPlaceMs: 10_000,
      }),
      { on: ALPHA, name: "d", does: runs({ slots: TWO, worksMs: 15_000, holds: 2 }) },
    ], TWO),
    chaos: ROUGH,
  },
];

/** Known to be wrong: a slot that stands in the way is taken without a verdict on it. */
export function tryingWithoutVerdict(site: Site): Site {
  const locks = new Set(site.slots?.map(({ paths }) => paths.lock));
  const slots = site.slots!.map((slot) => {
    const { files } = slot.sys;
    const makeFolder = async (path: string, mode?: number) => {
      if (locks.has(path)) await files.removeFolder(path).catch(() => {});
      await files.makeFolder(path, mode);
    };
    return { ...slot, sys: { ...slot.sys, files: { ...files, makeFolder } } };
  });
  return { ...site, slots };
}

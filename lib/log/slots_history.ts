/**
 * The history of a lock with slots: that of each slot, and all of them as one, for whoever draws or counts.
 *
 * Guarantee: each slot is judged by its own log, whose lines are in the order of its holds. Between two slots nothing but
 * times tells what came first.
 */

import {
  type AgentFigures,
  agentFigures,
  gapFigures,
  type History,
  type Seats,
} from "./history_summary.ts";
import { HoldTable, OPEN, UNENDED } from "./hold_table.ts";
import type { Incident } from "./incidents.ts";
import type { Listed } from "../words/some_of_many.ts";

/** A slot, and what its log tells. */
export interface SlotHistory {
  readonly slot: string;
  readonly history: History;
}

/**
 * All slots as one.
 * @param line what the log of the line tells: who gave up
 */
export function joinSlots(slots: readonly SlotHistory[], line: History): History {
  const parts = slots.map(({ history }) => history);
  const all = [...parts, line];
  const window = joinedWindow(all);
  const { table, seats } = joinedTable(slots);
  const heldMs = sum(parts, (one) => one.heldMs);
  const windowMs = window === null ? 0 : window.toMs - window.fromMs;
  const openToMs = window?.toMs ?? -Infinity;
  return {
    seats,
    filter: line.filter,
    now: line.now,
    running: null,
    openToMs,
    lines: sum(all, ({ lines }) => lines),
    wholeLines: sum(all, ({ wholeLines }) => wholeLines),
    counts: joinedCounts(all),
    removals: line.removals && {
      broke: sum(all, (one) => one.removals!.broke),
      forced: sum(all, (one) => one.removals!.forced),
      wasBroken: sum(all, (one) => one.removals!.wasBroken),
      wasForced: sum(all, (one) => one.removals!.wasForced),
    },
    otherEvents: new Map(all.flatMap(({ otherEvents }) => [...otherEvents])),
    broken: joined(all.map(({ broken }) => broken)),
    incidents: joinedIncidents(slots, line),
    window,
    holds: table,
    heldMs,
    use: windowMs > 0 ? heldMs / windowMs / slots.length : null,
    gaps: gapFigures(table, line.filter.sinceMs ?? -Infinity),
    agents: joinedAgents(table, line, openToMs),
    gaveUpAgents: line.gaveUpAgents,
    overlaps: {
      count: sum(parts, ({ overlaps }) => overlaps.count),
      most: Math.max(0, ...parts.map(({ overlaps }) => overlaps.most)),
      first: slots.flatMap(({ slot, history: { overlaps } }) =>
        overlaps.first.map(({ simultaneous, first, second }) => {
          return { simultaneous, first: { ...first, slot }, second: { ...second, slot } };
        })
      ),
    },
    cutShort: sum(parts, ({ cutShort }) => cutShort),
    leaks: joined(parts.map(({ leaks }) => leaks)),
    clock: all.map(({ clock }) => clock).reduce((worst, one) =>
      one.largestMs > worst.largestMs ? one : worst
    ),
  };
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

function joined<T>(lists: readonly Listed<T>[]): Listed<T> {
  return { count: sum(lists, ({ count }) => count), some: lists.flatMap(({ some }) => some) };
}

function joinedWindow(all: readonly History[]): History["window"] {
  const windows = all.flatMap(({ window }) => window ?? []);
  if (windows.length === 0) return null;
  return {
    fromMs: Math.min(...windows.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...windows.map(({ toMs }) => toMs)),
  };
}

function joinedCounts(all: readonly History[]): History["counts"] {
  const counts = { ...all[0]!.counts };
  for (const { counts: more } of all.slice(1)) {
    for (const event of Object.keys(counts) as (keyof typeof counts)[]) {
      counts[event] += more[event];
    }
  }
  return counts;
}

/** By time: between slots nothing else tells. */
function joinedIncidents(slots: readonly SlotHistory[], line: History): Listed<Incident> {
  const ofSlots = slots.map(({ slot, history: { incidents: { count, some } } }) => {
    return { count, some: some.map((incident) => ({ ...incident, slot })) };
  });
  const { count, some } = joined([...ofSlots, line.incidents]);
  return { count, some: some.toSorted((one, other) => one.atMs - other.atMs) };
}

function joinedTable(slots: readonly SlotHistory[]): { table: HoldTable; seats: Seats } {
  const slugs: string[] = [];
  const slotOf: number[] = [];
  const table = new HoldTable(slugs);
  for (const [number, { history: { holds, running } }] of slots.entries()) {
    const first = slugs.length;
    slugs.push(...holds.slugs);
    slotOf.push(...holds.slugs.map(() => number));
    for (let i = 0; i < holds.count; i++) {
      const index = table.copy(holds, i, first + holds.agent[i]!);
      // One that does not go on now is drawn as a moment: nothing tells how long it lasted.
      if (holds.end[i] === OPEN && running === null) table.end[index] = UNENDED;
    }
  }
  return {
    table,
    seats: { slots: slots.map(({ slot }) => slot), slotOf: Int32Array.from(slotOf) },
  };
}

/** One row for each slug, with all that it held in any slot. */
function joinedAgents(table: HoldTable, line: History, openToMs: number): AgentFigures[] {
  const bySlug = new Map<string, AgentFigures>();
  const add = (one: AgentFigures) => {
    const { slug } = one;
    const known = bySlug.get(slug);
    bySlug.set(slug, known ? added(known, one) : one);
  };
  for (const one of agentFigures(table, new Map(), openToMs)) add(one);
  for (const one of line.agents) {
    if (one.gaveUp > 0) add({ ...one, holds: 0, totalMs: 0, longestMs: 0 });
  }
  return [...bySlug.values()];
}

function added(one: AgentFigures, other: AgentFigures): AgentFigures {
  return {
    ...one,
    holds: one.holds + other.holds,
    totalMs: one.totalMs + other.totalMs,
    longestMs: Math.max(one.longestMs, other.longestMs),
    gaveUp: one.gaveUp + other.gaveUp,
  };
}

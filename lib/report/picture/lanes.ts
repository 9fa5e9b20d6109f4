/** A lane for each agent, and holds gathered into columns: what every timeline is drawn from. */

import { countOf } from "../../words/columns.ts";
import type { History } from "../../log/history_summary.ts";
import { OPEN } from "../../log/hold_table.ts";
import { showForeign } from "../../words/slugs.ts";
import { busiest, byHeld } from "../shown_first.ts";
import { showUtc } from "../phrases.ts";

export interface Lane {
  readonly name: string;
}

export interface Lanes {
  /** The last may stand for all the rest. */
  readonly lanes: readonly Lane[];
  /** Agent's number in the table of holds to its lane. */
  readonly laneOf: Int32Array;
}

/** One column of one lane. */
export interface Bin {
  readonly lane: number;
  readonly column: number;
  readonly holds: number;
  /** Within this column. */
  readonly heldMs: number;
  readonly longestMs: number;
}

export interface Axis {
  readonly fromMs: number;
  /** Always later than `fromMs`. */
  readonly toMs: number;
}

/** The time that a timeline shows: a log of a single second gets that second. */
export function axisOf({ window }: History): Axis | null {
  if (window === null) return null;
  return { fromMs: window.fromMs, toMs: Math.max(window.toMs, window.fromMs + 1000) };
}

export interface LaneChoice {
  /** Beyond, those who held the most have a lane each, and the rest share one. */
  readonly most: number;
  /** Of more agents than these, who held the longest comes first; else who appears first. */
  readonly sortedBeyond?: number;
  /** Whether those have a lane too who gave up and never held. */
  readonly withWaiters?: boolean;
}

/** A lane for each agent that held; of a lock with slots, for each slot. */
export function lanesOf(
  { agents, holds, seats }: History,
  { most, sortedBeyond = Infinity, withWaiters = false }: LaneChoice,
): Lanes {
  if (seats) return { lanes: seats.slots.map((slot) => ({ name: slot })), laneOf: seats.slotOf };
  const holders = withWaiters ? agents : agents.filter((agent) => agent.holds > 0);
  const laneOf = new Int32Array(holds.slugs.length);
  const chosen = (holders.length <= most ? holders : busiest(holders, most - 1))
    .toSorted(holders.length > sortedBeyond ? byHeld : (a, b) => a.agent - b.agent);
  laneOf.fill(chosen.length);
  chosen.forEach(({ agent }, lane) => laneOf[agent] = lane);
  const lanes: Lane[] = chosen.map(({ slug }) => ({ name: showForeign(slug) }));
  const others = holders.length - chosen.length;
  if (others > 0) lanes.push({ name: countOf(others, "other") });
  return { lanes, laneOf };
}

/**
 * The number of an agent in the table of holds.
 * @param slot where it held; without it anywhere
 * @return -1 if there is none
 */
export function agentNumber({ holds, seats }: History, slug: string, slot?: string): number {
  const number = seats && slot !== undefined ? seats.slots.indexOf(slot) : -1;
  return holds.slugs.findIndex((one, agent) => {
    return one === slug && (number < 0 || seats!.slotOf[agent] === number);
  });
}

/** Until when to draw a hold. One that no line ends is drawn as a moment, one that may go on to the end. */
export function drawnEndMs(history: History, index: number, axis: Axis): number {
  const { holds, openToMs } = history;
  // A log of a single second is drawn as that second.
  if (holds.end[index] === OPEN) return openToMs === history.window?.toMs ? axis.toMs : openToMs;
  return holds.startMs[index]! + holds.lastedMs(index);
}

/**
 * Gathers all holds into columns of equal time.
 * @return only columns in which something was held, by lane and time
 */
export function binsOf(history: History, lanes: Lanes, axis: Axis, columns: number): Bin[] {
  const { holds } = history;
  const cells = lanes.lanes.length * columns;
  const count = new Uint32Array(cells);
  const heldMs = new Float64Array(cells);
  const longestMs = new Float64Array(cells);
  const columnMs = (axis.toMs - axis.fromMs) / columns;
  const columnAt = (ms: number) =>
    Math.max(0, Math.min(columns - 1, Math.floor((ms - axis.fromMs) / columnMs)));
  for (let i = 0; i < holds.count; i++) {
    const start = Math.max(axis.fromMs, holds.startMs[i]!);
    const end = Math.min(axis.toMs, drawnEndMs(history, i, axis));
    const lane = lanes.laneOf[holds.agent[i]!]! * columns;
    const first = columnAt(start);
    const last = Math.max(first, columnAt(end - 1));
    for (let column = first; column <= last; column++) {
      const cell = lane + column;
      const from = axis.fromMs + column * columnMs;
      count[cell]!++;
      heldMs[cell]! += Math.max(0, Math.min(end, from + columnMs) - Math.max(start, from));
      longestMs[cell] = Math.max(longestMs[cell]!, end - start);
    }
  }
  const bins: Bin[] = [];
  for (let cell = 0; cell < cells; cell++) {
    if (count[cell] === 0) continue;
    bins.push({
      lane: Math.floor(cell / columns),
      column: cell % columns,
      holds: count[cell]!,
      heldMs: Math.min(heldMs[cell]!, columnMs),
      longestMs: longestMs[cell]!,
    });
  }
  return bins;
}

// Where to write times along a timeline, and how.

export interface Tick {
  readonly atMs: number;
  readonly label: string;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Steps that people count in. */
export const TICK_STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map((days) => days * DAY_MS),
];

/** @param most how many there is room for */
export function ticksOf({ fromMs, toMs }: Axis, most: number): Tick[] {
  const stepMs = TICK_STEPS_MS.find((step) => (toMs - fromMs) / step <= most) ??
    TICK_STEPS_MS.at(-1)!;
  const ticks: Tick[] = [];
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) {
    ticks.push({ atMs, label: tickLabel(atMs, stepMs) });
  }
  return ticks;
}

/** Only as much of the time as changes from tick to tick; the day where a day begins. */
function tickLabel(atMs: number, stepMs: number): string {
  const shown = showUtc(atMs);
  if (stepMs >= DAY_MS || atMs % DAY_MS === 0) return shown.slice(0, 10);
  return stepMs >= MINUTE_MS ? shown.slice(11, 16) : shown.slice(11, 19);
}

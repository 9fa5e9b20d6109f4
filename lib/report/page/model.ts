/** What the page's script draws from: small enough for a log of any size. */

import type { History } from "../../log/history_summary.ts";
import type { Incident, IncidentKind } from "../../log/incidents.ts";
import type { Waits } from "../../log/waits.ts";
import { showForeign } from "../../words/slugs.ts";
import { type Overlap, overlapMs } from "../../log/overlaps.ts";
import { gravest } from "../shown_first.ts";
import {
  agentNumber,
  type Axis,
  axisOf,
  binsOf,
  drawnEndMs,
  type Lanes,
  lanesOf,
} from "../picture/lanes.ts";
import { describeIncident, describeOverlap, stillHolding } from "../phrases.ts";

/** Up to so many, the page has every hold (about 20 bytes each); beyond, columns of time. */
const HOLDS_MOST = 50_000;
const COLUMNS = 2000;
const LANES_MOST = 40;
/** So many are found by their names; of more, those that held the most are looked for first. */
const LANES_UNSORTED_MOST = 8;
const MARKS_MOST = 1000;
/** Of the strip above the timeline: about as many as it has room for on a wide screen. */
const USE_COLUMNS = 300;

/** For a mark whose agent has no lane, and an overlap of which no line tells how long it was. */
const NONE = -1;

/** `[time, kind, words, line, lane, seconds, other lane]`; the last two are an overlap's, else `NONE`. */
export type MarkRow = readonly [
  number,
  IncidentKind | "overlap",
  string,
  number,
  number,
  number,
  number,
];

/** All times are seconds after `fromMs`. Rows of numbers, as half a megabyte of names would be waste. */
export interface PageModel {
  readonly fromMs: number;
  /** The length of the axis. */
  readonly seconds: number;
  readonly lanes: readonly string[];
  /** Of a lock with slots, whose lanes are slots: the agents' names. Else null. */
  readonly agents: readonly string[] | null;
  /**
   * Each `[lane, start, seconds, end, line, gap, agent]`, `end` by number in HOLD_ENDS, `gap` -1 if none, `agent` only
   * where there are `agents`; else empty.
   */
  readonly holds: readonly (readonly number[])[];
  /** Each `[lane, column, holds, seconds held, longest]`; empty where there are `holds`. */
  readonly bins: readonly (readonly number[])[];
  readonly columns: number;
  /** Each `[lane, start, seconds, calls]`, from the journal. */
  readonly waits: readonly (readonly number[])[];
  /** How much of each part of the time the lock was held, by anybody: from 0 to 100. */
  readonly use: readonly number[];
  /** What is said of the hold that goes on now; null if none is known to. */
  readonly running: string | null;
  readonly marks: readonly MarkRow[];
}

/** @return null if there is nothing to draw */
export function pageModel(history: History, waits: Waits | null = null): PageModel | null {
  const axis = axisOf(history);
  const lanes = lanesOf(history, {
    most: LANES_MOST,
    sortedBeyond: LANES_UNSORTED_MOST,
    withWaiters: true,
  });
  if (axis === null || lanes.lanes.length === 0) return null;
  const exact = history.holds.count <= HOLDS_MOST;
  const agents = agentNames(history);
  const inLine = agents && waits && waits.done.length > 0 ? [IN_LINE] : [];
  return {
    fromMs: axis.fromMs,
    seconds: seconds(axis.toMs - axis.fromMs),
    lanes: [...lanes.lanes.map(({ name }) => name), ...inLine],
    agents,
    holds: exact ? holdRows(history, lanes, axis, agents) : [],
    bins: exact ? [] : binRows(history, lanes, axis),
    columns: COLUMNS,
    waits: exact ? waitRows(waits, lanes, axis, agents !== null) : [],
    use: useColumns(history, axis),
    running: history.running && stillHolding(history.running),
    marks: markRows(history, lanes, axis),
  };
}

/** Of a lock with slots all wait in one line: its lane is the last. */
const IN_LINE = "in line";

/** Each name once, though an agent of two slots is two in the table of holds. */
function agentNames({ seats, holds }: History): string[] | null {
  return seats ? [...new Set(holds.slugs)].map(showForeign) : null;
}

/** The latest, if there are very many. */
const WAITS_MOST = 20_000;

function waitRows(
  waits: Waits | null,
  lanes: Lanes,
  axis: Axis,
  isOfSlots: boolean,
): number[][] {
  const laneOf = new Map(lanes.lanes.map(({ name }, lane) => [name, lane]));
  return (waits?.done ?? []).slice(-WAITS_MOST).flatMap(({ slug, fromMs, toMs, calls }) => {
    const lane = isOfSlots ? lanes.lanes.length : laneOf.get(showForeign(slug));
    if (lane === undefined) return [];
    return [[lane, seconds(fromMs - axis.fromMs), seconds(toMs - fromMs), calls]];
  });
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}

function holdRows(
  history: History,
  lanes: Lanes,
  axis: Axis,
  agents: readonly string[] | null,
): number[][] {
  const { holds } = history;
  const numberOf = new Map(agents?.map((name, number) => [name, number]));
  return Array.from({ length: holds.count }, (_, index) => {
    const startMs = holds.startMs[index]!;
    const gapMs = holds.gapMs[index]!;
    return [
      lanes.laneOf[holds.agent[index]!]!,
      (startMs - axis.fromMs) / 1000,
      (Math.max(startMs, drawnEndMs(history, index, axis)) - startMs) / 1000,
      holds.end[index]!,
      holds.startLine[index]!,
      Number.isNaN(gapMs) ? NONE : gapMs / 1000,
      ...agents ? [numberOf.get(showForeign(holds.slugs[holds.agent[index]!]!))!] : [],
    ];
  });
}

function binRows(history: History, lanes: Lanes, axis: Axis): number[][] {
  return binsOf(history, lanes, axis, COLUMNS).map((bin) => [
    bin.lane,
    bin.column,
    bin.holds,
    Math.round(bin.heldMs / 1000),
    seconds(bin.longestMs),
  ]);
}

function useColumns(history: History, axis: Axis): number[] {
  const { seats, holds } = history;
  const slots = seats?.slots ?? [""];
  const lanes: Lanes = {
    lanes: slots.map((name) => ({ name })),
    laneOf: seats?.slotOf ?? new Int32Array(holds.slugs.length),
  };
  const columnMs = (axis.toMs - axis.fromMs) / USE_COLUMNS * slots.length;
  const sums = new Array<number>(USE_COLUMNS).fill(0);
  for (const { column, heldMs } of binsOf(history, lanes, axis, USE_COLUMNS)) {
    sums[column] = sums[column]! + Math.max(heldMs, 1);
  }
  // What was held for a moment is to be seen too.
  return sums.map((heldMs) => heldMs === 0 ? 0 : Math.max(1, Math.round(heldMs / columnMs * 100)));
}

function markRows(history: History, lanes: Lanes, axis: Axis): MarkRow[] {
  const laneOf = (slug: string | null, slot?: string) => {
    const agent = slug === null ? NONE : agentNumber(history, slug, slot);
    const lane = agent < 0 ? NONE : lanes.laneOf[agent]!;
    return lane < lanes.lanes.length ? lane : NONE;
  };
  const at = (ms: number) => seconds(ms - axis.fromMs);
  const incident = (one: Incident): MarkRow => [
    at(one.atMs),
    one.kind,
    describeIncident(one),
    one.line,
    laneOf(sufferer(one), one.slot),
    NONE,
    NONE,
  ];
  const overlap = (one: Overlap): MarkRow => {
    const bothMs = overlapMs(one, history.openToMs);
    return [
      at(one.second.startMs),
      "overlap",
      describeOverlap(one),
      one.second.startLine,
      laneOf(one.second.slug, one.second.slot),
      bothMs === null ? NONE : bothMs / 1000,
      laneOf(one.first.slug, one.first.slot),
    ];
  };
  return [
    ...gravest(history.incidents.some, MARKS_MOST).map(incident),
    ...history.overlaps.first.map(overlap),
  ];
}

/** The agent in whose lane it is looked for: whose lock was removed, not who removed it. */
function sufferer({ kind, slug, holder }: Incident): string | null {
  const isRemoval = kind === "stale_break" || kind === "force_release" || kind === "not_removed";
  return isRemoval ? holder : slug;
}

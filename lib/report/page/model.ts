/** What the page's script draws from: small enough for a log of any size. */

import type { History } from "../../log/history_summary.ts";
import type { IncidentKind } from "../../log/incidents.ts";
import { gravest } from "../shown_first.ts";
import { type Axis, axisOf, binsOf, drawnEndMs, type Lanes, lanesOf } from "../picture/lanes.ts";
import { describeIncident, describeOverlap, stillHolding } from "../phrases.ts";

/** Up to so many, the page has every hold (about 20 bytes each); beyond, columns of time. */
const HOLDS_MOST = 50_000;
const COLUMNS = 2000;
const LANES_MOST = 40;
const MARKS_MOST = 1000;

/** All times are seconds after `fromMs`. Rows of numbers, as half a megabyte of names would be waste. */
export interface PageModel {
  readonly fromMs: number;
  /** The length of the axis. */
  readonly seconds: number;
  readonly lanes: readonly string[];
  /** Each `[lane, start, seconds, end, line, gap]`, `end` by number in HOLD_ENDS, `gap` -1 if none; else empty. */
  readonly holds: readonly (readonly number[])[];
  /** Each `[lane, column, holds, seconds held, longest]`; empty where there are `holds`. */
  readonly bins: readonly (readonly number[])[];
  readonly columns: number;
  /** What is said of the hold that goes on now; null if none is known to. */
  readonly running: string | null;
  /** Each `[time, kind, words]`. */
  readonly marks: readonly (readonly [number, IncidentKind | "overlap", string])[];
}

/** @return null if there is nothing to draw */
export function pageModel(history: History): PageModel | null {
  const axis = axisOf(history);
  if (axis === null || history.holds.count === 0) return null;
  const lanes = lanesOf(history, LANES_MOST);
  const exact = history.holds.count <= HOLDS_MOST;
  const seconds = (ms: number) => Math.round(ms) / 1000;
  const incidents = gravest(history.incidents.some, MARKS_MOST).map((incident) =>
    [seconds(incident.atMs - axis.fromMs), incident.kind, describeIncident(incident)] as const
  );
  const overlaps = history.overlaps.first.map((overlap) =>
    [
      seconds(overlap.second.startMs - axis.fromMs),
      "overlap",
      describeOverlap(overlap),
    ] as const
  );
  return {
    fromMs: axis.fromMs,
    seconds: seconds(axis.toMs - axis.fromMs),
    lanes: lanes.lanes.map(({ name }) => name),
    holds: exact ? holdRows(history, lanes, axis) : [],
    bins: exact ? [] : binsOf(history, lanes, axis, COLUMNS).map((bin) => [
      bin.lane,
      bin.column,
      bin.holds,
      Math.round(bin.heldMs / 1000),
      seconds(bin.longestMs),
    ]),
    columns: COLUMNS,
    running: history.running && stillHolding(history.running),
    marks: [...incidents, ...overlaps],
  };
}

function holdRows(history: History, lanes: Lanes, axis: Axis): number[][] {
  const { holds } = history;
  return Array.from({ length: holds.count }, (_, index) => {
    const startMs = holds.startMs[index]!;
    const gapMs = holds.gapMs[index]!;
    return [
      lanes.laneOf[holds.agent[index]!]!,
      (startMs - axis.fromMs) / 1000,
      (Math.max(startMs, drawnEndMs(history, index, axis)) - startMs) / 1000,
      holds.end[index]!,
      holds.startLine[index]!,
      Number.isNaN(gapMs) ? -1 : gapMs / 1000,
    ];
  });
}

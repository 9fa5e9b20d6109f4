/** The timeline as text: a lane for each agent, the higher the block the more of its time was held. */

import { showDuration } from "../../words/durations.ts";
import type { History } from "../../log/history_summary.ts";
import type { IncidentKind } from "../../log/incidents.ts";
import { cutMiddle, padEnd, widthOf, wrapped } from "../../words/columns.ts";
import { BY_GRAVITY } from "../shown_first.ts";
import { type Axis, axisOf, binsOf, lanesOf } from "./lanes.ts";
import { INCIDENT_NAMES, logTime, showShare, showUtc } from "../phrases.ts";

const BLOCKS = "▁▂▃▄▅▆▇█";
const LANES_MOST = 24;
const NAME_LONGEST = 24;
const NAME_SHORTEST = 8;
/** Between name and bar, and at its end. */
const EDGES = 3;
/** Narrower, a bar shows nothing. */
const BAR_NARROWEST = 16;
/** A little less than full looks full. */
const SCALE_TOLD_BELOW = 0.9;
const OVERLAP_MARK = "X";

const MARKS: Readonly<Record<IncidentKind, string>> = {
  gave_up: "g",
  max_hold: "M",
  stray_release: "s",
  not_removed: "n",
  force_release: "F",
  stale_break: "B",
  late_release: "W",
  lost: "L",
};

/** A legend has no column of words beside it that says the rest. */
const MARK_NAMES = { ...INCIDENT_NAMES, late_release: "worked on without the lock" };

/**
 * @param width of the terminal
 * @return no lines if nobody held
 */
export function barLines(history: History, width: number): string[] {
  const axis = axisOf(history);
  if (axis === null || history.holds.count === 0) return [];
  const lanes = lanesOf(history, { most: LANES_MOST });
  const nameRoom = Math.max(NAME_SHORTEST, width - BAR_NARROWEST - EDGES);
  const names = lanes.lanes.map(({ name }) => cutMiddle(name, Math.min(NAME_LONGEST, nameRoom)));
  const nameWidth = Math.max(...names.map(widthOf));
  const columns = Math.max(BAR_NARROWEST, width - nameWidth - EDGES);
  const bars = names.map(() => new Array<string>(columns).fill(" "));
  const columnMs = (axis.toMs - axis.fromMs) / columns;
  const bins = binsOf(history, lanes, axis, columns);
  // In a long log every lane is thin: the fullest column then gives the scale, and the legend tells it.
  const fullestMs = bins.reduce((most, { heldMs }) => Math.max(most, heldMs), 0) || columnMs;
  for (const { lane, column, heldMs } of bins) {
    const height = Math.ceil(heldMs / fullestMs * BLOCKS.length) - 1;
    bars[lane]![column] = BLOCKS[Math.max(0, Math.min(BLOCKS.length - 1, height))]!;
  }
  const margin = " ".repeat(nameWidth + 1);
  const marks = markLines(history, axis, columns);
  return [
    ...bars.map((bar, lane) => `${padEnd(names[lane]!, nameWidth)} │${bar.join("")}│`),
    ...marks.row === null ? [] : [`${margin}│${marks.row}│`],
    `${margin}└${"─".repeat(columns)}┘`,
    `${margin} ${axisText(axis, columns)}`.trimEnd(),
    ...wrapped([...scaleWords(fullestMs, columnMs), ...marks.legend].join("   "), columns)
      .map((line) => `${margin} ${line}`),
  ];
}

function markLines(
  history: History,
  axis: Axis,
  columns: number,
): { readonly row: string | null; readonly legend: readonly string[] } {
  const row = new Array<string>(columns).fill(" ");
  const legend = new Map<string, string>();
  const mark = (atMs: number, letter: string, words: string) => {
    const share = (atMs - axis.fromMs) / (axis.toMs - axis.fromMs);
    row[Math.max(0, Math.min(columns - 1, Math.floor(share * columns)))] = letter;
    legend.set(letter, words);
  };
  // Where two meet in one column, the graver one comes later and stays.
  for (const kind of BY_GRAVITY) {
    for (const incident of history.incidents.some) {
      if (incident.kind === kind) mark(incident.atMs, MARKS[kind], MARK_NAMES[kind]);
    }
  }
  for (const { second } of history.overlaps.first) {
    mark(second.startMs, OVERLAP_MARK, "overlap");
  }
  if (legend.size === 0) return { row: null, legend: [] };
  return {
    row: row.join(""),
    legend: [...legend].map(([letter, words]) =>
      `${letter}\u00a0${words.replaceAll(" ", "\u00a0")}`
    ),
  };
}

function scaleWords(fullestMs: number, columnMs: number): string[] {
  const share = fullestMs / columnMs;
  if (share > SCALE_TOLD_BELOW) return [];
  return [`█ held ${showShare(share)} of ${showDuration(columnMs)}`.replaceAll(" ", "\u00a0")];
}

/** Both ends of the axis; within a day without their dates, and only the first where there is little room. */
function axisText({ fromMs, toMs }: Axis, columns: number): string {
  const sameDay = showUtc(fromMs).slice(0, 10) === showUtc(toMs).slice(0, 10);
  const show = (ms: number) => sameDay ? logTime(ms).slice(11) : showUtc(ms);
  const space = columns - show(fromMs).length - show(toMs).length;
  return space < 2 ? show(fromMs) : show(fromMs) + " ".repeat(space) + show(toMs);
}

/** The timeline as a picture that stands alone: a lane for each agent, light or dark as its viewer is. */

import { countOf, cutMiddle, widthOf } from "../../words/columns.ts";
import { AGENT_STYLE, agentLook, DARK_COLOURS, LIGHT_COLOURS } from "../page/colours.ts";
import { showDuration } from "../../words/durations.ts";
import type { History } from "../../log/history_summary.ts";
import { type Hold, HOLD_ENDS } from "../../log/hold_table.ts";
import { showForeign } from "../../words/slugs.ts";
import type { IncidentKind } from "../../log/incidents.ts";
import { type Axis, axisOf, binsOf, drawnEndMs, type Lanes, lanesOf, ticksOf } from "./lanes.ts";
import { escaped } from "../page/markup.ts";
import {
  barKeys,
  barLook,
  columnKey,
  type Key,
  LOOKS_STYLE,
  markKeys,
  markLook,
} from "../shapes.ts";
import { resolutionMatters } from "../notes.ts";
import { legendOf } from "./svg_legend.ts";
import { talesOf } from "./svg_tales.ts";
import { type Verdict, verdictLine, type Verdicts, verdictsOf } from "../verdicts.ts";
import {
  describeEnd,
  describeIncident,
  describeOverlap,
  EMPTY_LOG,
  isEmpty,
  logTime,
  noLogYet,
  NOTHING_HAPPENED,
  RESOLUTION_FOOT,
  sentence,
  showLogged,
  showShare,
  showWindow,
  stillHolding,
} from "../phrases.ts";

const WIDTH = 1120;
const MARGIN = 24;
const LANE_HEIGHT = 26;
const BAR_HEIGHT = 14;
const HEAD_HEIGHT = 98;
const FOOT_HEIGHT = 44;
const NOTE_HEIGHT = 20;
const NOTE_BOTTOM = 14;
/** Below the lanes come the times, then the legend, then the note. */
const LEGEND_TOP = 34;
const LANES_MOST = 40;
const NAME_LONGEST = 28;
const NAME_CHARACTER_WIDTH = 7.3;
/** Up to so many, each hold is a shape of its own that tells about itself; beyond, columns are. */
const SHAPES_MOST = 2000;
const COLUMN_WIDTH = 1.5;
/** A hold of no time is still to be seen. */
const NARROWEST_BAR = 2;
const TICK_ROOM = 110;

const STYLE = `
  svg { color-scheme: light dark; background: var(--ground); ${LIGHT_COLOURS} }
  @media (prefers-color-scheme: dark) { svg { ${DARK_COLOURS} } }
  text { font: 12px ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; fill: var(--ink); }
  .title { font-size: 17px; font-weight: 650; }
  .soft { fill: var(--soft); }
  .tick { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
  .grid { stroke: var(--line); }
  ${LOOKS_STYLE}
  .mark { stroke: var(--mark); stroke-width: 1.5; }
  .bad { fill: var(--bad); } .good { fill: var(--good); } .unsure { fill: var(--broken); }
  .overlap { stroke: var(--clash); stroke-width: 2; } .verdict { font-weight: 600; }
`;

/**
 * @param verdicts of this history; without them it is judged as a log of the past
 * @param noLogAt where a log was looked for in vain; null if there is one
 * @return a whole SVG document
 */
export function reportSvg(
  history: History,
  verdicts: Verdicts = verdictsOf(history),
  noLogAt: string | null = null,
): string {
  const axis = axisOf(history);
  const lanes = lanesOf(history, { most: LANES_MOST });
  const bottom = HEAD_HEIGHT + Math.max(1, lanes.lanes.length) * LANE_HEIGHT;
  const legend = legendOf(
    axis === null ? [] : keysOf(history),
    WIDTH - 2 * MARGIN,
  );
  const isCoarse = resolutionMatters(history);
  const height = bottom + FOOT_HEIGHT + legend.height + (isCoarse ? NOTE_HEIGHT : 0);
  const isNothing = noLogAt !== null || isEmpty(history);
  const shown = !isNothing ? [verdicts.exclusion, verdicts.leaks] : [];
  const verdict = shown.map((one, index) =>
    `<text class="verdict ${verdictLook(one)}" x="${MARGIN}" y="${64 + index * 18}">${
      escaped(verdictLine(one))
    }</text>`
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title" style="max-width:100%;height:auto">`,
    `<title id="title">${escaped(`Timeline of the lock: ${verdicts.summary}`)}</title>`,
    `<style>${STYLE}${history.seats ? `  ${AGENT_STYLE}\n` : ""}</style>`,
    `<rect width="100%" height="100%" fill="var(--ground)"/>`,
    `<text class="title${isNothing ? " soft" : ""}" x="${MARGIN}" y="38">${
      escaped(titleOf(history, noLogAt))
    }</text>`,
    ...verdict,
    ...axis === null ? [] : [
      ...timeline(history, axis, lanes, bottom),
      ...legend.draw(MARGIN, bottom + LEGEND_TOP),
    ],
    ...isCoarse
      ? [`<text class="tick" x="${MARGIN}" y="${height - NOTE_BOTTOM}">${RESOLUTION_FOOT}</text>`]
      : [],
    `</svg>`,
    "",
  ].join("\n");
}

function verdictLook({ passes, doubt }: Verdict): string {
  if (!passes) return "bad";
  return doubt === null ? "good" : "unsure";
}

function keysOf(history: History): Key[] {
  const bars = isInColumns(history) ? [columnKey("hold")] : barKeys(history);
  const kinds = new Set<IncidentKind | "overlap">(history.incidents.some.map(({ kind }) => kind));
  if (history.overlaps.first.length > 0) kinds.add("overlap");
  return [...bars, ...markKeys(kinds)];
}

function titleOf(history: History, noLogAt: string | null): string {
  const { window, holds, use } = history;
  if (noLogAt !== null) return sentence(noLogYet(noLogAt));
  if (isEmpty(history)) return EMPTY_LOG;
  if (window === null) return NOTHING_HAPPENED;
  const share = use === null ? "" : `, ${showShare(use)} of the time`;
  return `${countOf(holds.count, "hold")}${share} · ${showWindow(history)}`;
}

function timeline(history: History, axis: Axis, lanes: Lanes, bottom: number): string[] {
  const names = lanes.lanes.map(({ name }) => cutMiddle(name, NAME_LONGEST));
  const nameWidth = Math.max(0, ...names.map(widthOf)) * NAME_CHARACTER_WIDTH;
  const left = MARGIN + nameWidth + 14;
  const width = WIDTH - MARGIN - left;
  const x = (ms: number) =>
    round(left + Math.max(0, Math.min(1, (ms - axis.fromMs) / (axis.toMs - axis.fromMs))) * width);
  const laneTop = (lane: number) => HEAD_HEIGHT + lane * LANE_HEIGHT;
  const grid = ticksOf(axis, Math.floor(width / TICK_ROOM)).flatMap(({ atMs, label }) => [
    `<line class="grid" x1="${x(atMs)}" x2="${x(atMs)}" y1="${HEAD_HEIGHT}" y2="${bottom}"/>`,
    `<text class="tick" x="${x(atMs)}" y="${bottom + 18}" text-anchor="${
      x(atMs) > WIDTH - MARGIN - 30 ? "end" : "middle"
    }">${label}</text>`,
  ]);
  const labels = names.flatMap((name, lane) => [
    `<line class="grid" x1="${round(left)}" x2="${WIDTH - MARGIN}" y1="${
      laneTop(lane) + LANE_HEIGHT
    }" y2="${laneTop(lane) + LANE_HEIGHT}"/>`,
    `<text x="${MARGIN}" y="${laneTop(lane) + 17}">${escaped(name)}</text>`,
  ]);
  const barTop = (lane: number) => laneTop(lane) + (LANE_HEIGHT - BAR_HEIGHT) / 2;
  const bars = isInColumns(history)
    ? columnShapes(history, axis, lanes, left, width, barTop)
    : holdShapes(history, axis, lanes, x, barTop);
  const plot = {
    x,
    baseline: (lane: number) => laneTop(lane) + 17,
    left,
    right: WIDTH - MARGIN,
  };
  const tales = talesOf(history, axis, lanes, plot);
  return [...grid, ...labels, ...bars, ...tales, ...marks(history, x, bottom)];
}

function isInColumns({ holds }: History): boolean {
  return holds.count > SHAPES_MOST;
}

type Place = (value: number) => number;

function holdShapes(history: History, axis: Axis, lanes: Lanes, x: Place, top: Place): string[] {
  const { holds } = history;
  return Array.from({ length: holds.count }, (_, index) => {
    const hold = holds.at(index);
    const lane = lanes.laneOf[holds.agent[index]!]!;
    const from = x(hold.startMs);
    const width = Math.max(NARROWEST_BAR, x(drawnEndMs(history, index, axis)) - from);
    const lasted = hold.endMs === null ? "" : ` after ${showLogged(holds.lastedMs(index))}`;
    const words = `${whose(history, hold, lanes.lanes[lane]!.name)}: acquired ${
      logTime(hold.startMs)
    }, ${
      hold.end === "open" && history.running !== null
        ? stillHolding(history.running)
        : describeEnd(hold)
    }${lasted}`;
    return `<rect class="${lookOf(history, index)}" x="${from}" y="${top(lane)}" width="${
      round(width)
    }" height="${BAR_HEIGHT}" rx="2"><title>${escaped(words)}</title></rect>`;
  });
}

/** Of a lock with slots the lane is the slot. */
function whose({ seats }: History, { slug }: Hold, lane: string): string {
  return seats ? `${showForeign(slug)} in slot ${lane}` : lane;
}

/** Of a lock with slots the colour is the agent's, where the hold came to a good end. */
function lookOf({ seats, holds }: History, index: number): string {
  const look = barLook(HOLD_ENDS[holds.end[index]!]!);
  if (!seats || look !== "hold") return look;
  return agentLook([...new Set(holds.slugs)].indexOf(holds.slugs[holds.agent[index]!]!));
}

/** So many holds that they are thinner than a line: each column is as strong as it was held. */
function columnShapes(
  history: History,
  axis: Axis,
  lanes: Lanes,
  left: number,
  width: number,
  top: Place,
): string[] {
  const columns = Math.floor(width / COLUMN_WIDTH);
  const columnMs = (axis.toMs - axis.fromMs) / columns;
  const bins = binsOf(history, lanes, axis, columns);
  const fullestMs = bins.reduce((most, { heldMs }) => Math.max(most, heldMs), 1);
  const paths = new Map<string, string>();
  for (const { lane, column, heldMs } of bins) {
    const strength = (0.3 + 0.7 * Math.ceil(heldMs / fullestMs * 5) / 5).toFixed(2);
    const shape = `M${round(left + column * COLUMN_WIDTH)} ${
      top(lane)
    }h${COLUMN_WIDTH}v${BAR_HEIGHT}h-${COLUMN_WIDTH}z`;
    paths.set(strength, (paths.get(strength) ?? "") + shape);
  }
  const scale = `each column is ${showDuration(columnMs)}; the fullest was held for ${
    showDuration(fullestMs)
  }`;
  return [...paths].map(([strength, shape]) =>
    `<path class="hold" opacity="${strength}" d="${shape}"><title>${escaped(scale)}</title></path>`
  );
}

function marks(history: History, x: Place, bottom: number): string[] {
  const incidents = history.incidents.some.map((incident) =>
    `<line class="${markLook(incident.kind)}" x1="${x(incident.atMs)}" x2="${
      x(incident.atMs)
    }" y1="${bottom}" y2="${bottom + 6}"><title>${
      escaped(`${logTime(incident.atMs)} ${describeIncident(incident)}`)
    }</title></line>`
  );
  const overlaps = history.overlaps.first.map((overlap) => {
    const { second } = overlap;
    return `<line class="overlap" x1="${x(second.startMs)}" x2="${
      x(second.startMs)
    }" y1="${HEAD_HEIGHT}" y2="${bottom + 6}"><title>${
      escaped(`${logTime(second.startMs)} ${describeOverlap(overlap)}`)
    }</title></line>`;
  });
  return [...incidents, ...overlaps];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

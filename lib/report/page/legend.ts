/** The legend of the page: an entry for each look that occurs in its timeline. */

import type { History } from "../../log/history_summary.ts";
import { barKeys, columnKey, type Key, MARK_SHAPES, markKeys, markLook } from "../shapes.ts";
import type { IncidentKind } from "../../log/incidents.ts";
import { escaped } from "./markup.ts";
import type { PageModel } from "./model.ts";

/** From so many holds on, some are drawn together until the reader zooms in. */
const CROWD = 300;
/** One of the looks of what is drawn together: neither the faintest nor the strongest. */
const DRAWN_TOGETHER = "s3";

export function pageLegend(history: History, { holds, bins, marks, waits }: PageModel): string {
  const keys = [
    ...bins.length > 0 ? [columnKey(DRAWN_TOGETHER)] : barKeys(history),
    ...holds.length > CROWD ? [SHORT_ONES] : [],
    ...waits.length > 0 ? [A_WAIT] : [],
    ...markKeys(new Set(marks.map(([, kind]) => kind))),
  ];
  return `<ul class="legend">${keys.map(entry).join("")}</ul>`;
}

const A_WAIT: Key = { shape: "bar", look: "wait", words: "waiting; several calls are one wait" };

const SHORT_ONES: Key = {
  shape: "bar",
  look: DRAWN_TOGETHER,
  words: "several short holds; the fainter, the less of that time",
};

function entry(key: Key): string {
  return `<li><svg viewBox="0 0 18 12" aria-hidden="true">${swatch(key)}</svg>${
    escaped(key.words)
  }</li>`;
}

/** A mark as it stands in the timeline, for a place 18 wide and 12 high. */
export function markSwatch(kind: IncidentKind | "overlap", x = 9): string {
  return `<path class="${markLook(kind)}" d="M${x} 6${MARK_SHAPES[kind]}"/>`;
}

function swatch({ shape, look, kind }: Key): string {
  if (shape === "bar") return `<rect class="${look}" y="1" width="18" height="10" rx="3"/>`;
  if (shape === "mark") return markSwatch(kind!);
  return `<rect class="overlap-bar" y="1" width="9" height="10"/>` +
    `<line class="overlap-line" x1="0" x2="0" y1="-1" y2="13"/>${markSwatch("overlap", 15)}`;
}

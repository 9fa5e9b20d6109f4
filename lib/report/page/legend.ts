/** The legend of the page: an entry for each look that occurs in its timeline. */

import type { History } from "../../log/history_summary.ts";
import { barKeys, columnKey, type Key, markKeys, markLook } from "../shapes.ts";
import { escaped } from "./markup.ts";
import type { PageModel } from "./model.ts";

/** From so many holds on, some are drawn together until the reader zooms in. */
const CROWD = 300;
/** One of the looks of what is drawn together: neither the faintest nor the strongest. */
const DRAWN_TOGETHER = "s3";

export function pageLegend(history: History, { holds, bins, marks }: PageModel): string {
  const keys = [
    ...bins.length > 0 ? [columnKey(DRAWN_TOGETHER)] : barKeys(history),
    ...holds.length > CROWD ? [SHORT_ONES] : [],
    ...markKeys(new Set(marks.map(([, kind]) => kind))),
  ];
  return `<ul class="legend">${keys.map(entry).join("")}</ul>`;
}

const SHORT_ONES: Key = {
  shape: "bar",
  look: DRAWN_TOGETHER,
  words: "several short holds; the fainter, the less of that time",
};

function entry({ shape, look, words }: Key): string {
  return `<li><svg viewBox="0 0 18 12" aria-hidden="true">${swatch(shape, look)}</svg>${
    escaped(words)
  }</li>`;
}

const diamond = (look: string, x: number) => `<path class="${look}" d="M${x} 1l5 5-5 5-5-5z"/>`;

function swatch(shape: Key["shape"], look: string): string {
  switch (shape) {
    case "bar":
      return `<rect class="${look}" y="1" width="18" height="10" rx="3"/>`;
    case "mark":
      return diamond(look, 9);
    case "overlap":
      return `<line class="overlap-line" x1="4" x2="4" y1="-1" y2="13"/>${
        diamond(markLook("overlap"), 13)
      }`;
  }
}

/**
 * What holds and incidents look like in picture and page, and what each look means: one list of looks, so that
 * what is drawn and what a legend explains are the same.
 */

import type { History } from "../log/history_summary.ts";
import { HOLD_ENDS, type HoldEnd } from "../log/hold_table.ts";
import type { IncidentKind } from "../log/incidents.ts";
import { INCIDENT_NAMES } from "./phrases.ts";

/** The colours of the classes below. A mark is drawn as a line or filled: it has its colour as `--mark`. */
export const LOOKS_STYLE =
  `.hold { fill: var(--hold); } .stale_break, .force_release, .unended { fill: var(--broken); }
  .lost { fill: var(--lost); } .open { fill: var(--hold); opacity: .6; }
  .mark { --mark: var(--broken); } .mark.gave_up { --mark: var(--soft); }
  .mark.lost, .mark.late_release { --mark: var(--lost); } .mark.overlap { --mark: var(--clash); }`;

/** What a mark of the page looks like, around its middle: each kind is told by its form alone. */
export const MARK_SHAPES: Readonly<Record<IncidentKind | "overlap", string>> = {
  // A diamond in two pieces.
  stale_break: "m-1.4-7v14l-6-7zm2.8 0l6 7-6 7z",
  // Pressed down from above.
  force_release: "m-7-6h14l-7 12.5z",
  // An hourglass.
  max_hold: "m-6-7h12l-4.6 7 4.6 7h-12l4.6-7z",
  gave_up:
    "m-6-3.5l2.5-2.5 3.5 3.5 3.5-3.5 2.5 2.5-3.5 3.5 3.5 3.5-2.5 2.5-3.5-3.5-3.5 3.5-2.5-2.5 3.5-3.5z",
  lost: "m0-6a6 6 0 1 1 0 12a6 6 0 1 1 0-12z",
  // It went on.
  late_release: "m-5-6.5l11 6.5-11 6.5z",
  stray_release: "m-5-5h10v10h-10z",
  not_removed: "m-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
  overlap: "m0-7l7 12.5h-14z",
};

/** A look that occurs, with its words. */
export interface Key {
  readonly shape: "bar" | "mark" | "overlap";
  /** The class that it is drawn with. */
  readonly look: string;
  readonly words: string;
  /** What the mark stands for. */
  readonly kind?: IncidentKind | "overlap";
}

/** In the order in which they are told: what is as it should be comes first. */
const BAR_WORDS: Readonly<Record<HoldEnd, string>> = {
  released: "held",
  stale_break: "held until broken as stale",
  force_release: "held until removed by force",
  lost: "held until lost",
  unended: "held, no line tells its end",
  open: "held, not released",
};

/** A hold that was released looks like any hold. */
export function barLook(end: HoldEnd): string {
  return end === "released" ? "hold" : end;
}

export function markLook(kind: IncidentKind | "overlap"): string {
  return `mark ${kind}`;
}

/** How each hold ended, where each is a shape of its own. */
export function barKeys({ holds, running, seats }: History): Key[] {
  const ends = new Set(holds.end.subarray(0, holds.count));
  return (Object.entries(BAR_WORDS) as [HoldEnd, string][])
    .filter(([end]) => ends.has(HOLD_ENDS.indexOf(end)))
    .map(([end, words]) => ({
      shape: "bar",
      look: barLook(end),
      words: end === "open" && running !== null
        ? "still holding"
        : seats && end === "released"
        ? "held; each agent has a colour"
        : words,
    }));
}

/** Where many holds are one shape, how each of them ended is not to be seen. */
export function columnKey(look: string): Key {
  return { shape: "bar", look, words: "held; the fainter, the less of that time" };
}

/** @param kinds that are drawn */
export function markKeys(kinds: ReadonlySet<IncidentKind | "overlap">): Key[] {
  const marks = (Object.entries(INCIDENT_NAMES) as [IncidentKind, string][])
    .filter(([kind]) => kinds.has(kind))
    .map(([kind, words]): Key => ({ shape: "mark", look: markLook(kind), words, kind }));
  return kinds.has("overlap")
    ? [...marks, { shape: "overlap", look: "overlap", words: "two held at once", kind: "overlap" }]
    : marks;
}

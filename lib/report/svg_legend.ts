/** What the shapes of a picture mean: an entry for each kind that occurs in it, and none for others. */

import type { History } from "../core/history_summary.ts";
import { HOLD_ENDS, type HoldEnd } from "../core/hold_table.ts";
import type { IncidentKind } from "../core/incidents.ts";
import { widthOf } from "./columns.ts";
import { escaped } from "./markup.ts";
import { INCIDENT_NAMES } from "./words.ts";

/** A look that occurs in the picture, with its words. */
export interface Key {
  readonly shape: "bar" | "mark" | "overlap";
  /** The class that it is drawn with. */
  readonly look: string;
  readonly words: string;
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

export function markLook(kind: IncidentKind): string {
  return `mark ${kind}`;
}

/** @param inColumns many holds are drawn as one: how each of them ended is not to be seen */
export function keysOf({ holds, incidents, overlaps }: History, inColumns: boolean): Key[] {
  const ends = new Set(holds.end.subarray(0, holds.count));
  const bars = Object.entries(BAR_WORDS) as [HoldEnd, string][];
  const kinds = new Set(incidents.some.map(({ kind }) => kind));
  const marks = Object.entries(INCIDENT_NAMES) as [IncidentKind, string][];
  return [
    ...inColumns
      ? [bar("hold", "held; the fainter, the less of that time")]
      : bars.filter(([end]) => ends.has(HOLD_ENDS.indexOf(end)))
        .map(([end, words]) => bar(barLook(end), words)),
    ...marks.filter(([kind]) => kinds.has(kind))
      .map(([kind, words]): Key => ({ shape: "mark", look: markLook(kind), words })),
    ...overlaps.first.length === 0
      ? []
      : [{ shape: "overlap", look: "overlap", words: "two held at once" } as const],
  ];
}

function bar(look: string, words: string): Key {
  return { shape: "bar", look, words };
}

const SWATCH_HEIGHT = 10;
const SWATCH_WIDTHS: Readonly<Record<Key["shape"], number>> = { bar: 18, mark: 2, overlap: 2 };
const SWATCH_GAP = 6;
/** Wide enough that words do not run into the next swatch where the reader's font is a wide one. */
const ENTRY_GAP = 24;
/** Of the usual fonts of `.tick`. */
const CHARACTER_WIDTH = 6.1;
const ROW_HEIGHT = 18;

interface Placed extends Key {
  readonly left: number;
  readonly row: number;
}

export interface Legend {
  readonly height: number;
  /** @param top of the first row */
  draw(left: number, top: number): string[];
}

/** @param width to keep within: what does not fit goes into further rows */
export function legendOf(keys: readonly Key[], width: number): Legend {
  const placed = placedIn(keys, width);
  return {
    height: placed.length === 0 ? 0 : (placed.at(-1)!.row + 1) * ROW_HEIGHT,
    draw: (left, top) => [
      `<g class="legend">`,
      ...placed.map((key) => entry(key, left + key.left, top + key.row * ROW_HEIGHT)),
      `</g>`,
    ],
  };
}

function placedIn(keys: readonly Key[], width: number): Placed[] {
  let left = 0;
  let row = 0;
  return keys.map((key) => {
    const needs = wordsLeft(key) + widthOf(key.words) * CHARACTER_WIDTH;
    if (left > 0 && left + needs > width) {
      left = 0;
      row++;
    }
    const place = { ...key, left, row };
    left += needs + ENTRY_GAP;
    return place;
  });
}

function wordsLeft({ shape }: Key): number {
  return SWATCH_WIDTHS[shape] + SWATCH_GAP;
}

function entry(key: Placed, left: number, top: number): string {
  const x = Math.round(left);
  const words = `<text class="tick" x="${x + wordsLeft(key)}" y="${top + SWATCH_HEIGHT - 1}">${
    escaped(key.words)
  }</text>`;
  return swatch(key, x, top) + words;
}

function swatch({ shape, look }: Key, x: number, y: number): string {
  if (shape === "bar") {
    return `<rect class="${look}" x="${x}" y="${y}" width="${SWATCH_WIDTHS.bar}" height="${SWATCH_HEIGHT}" rx="2"/>`;
  }
  return `<line class="${look}" x1="${x + 1}" x2="${x + 1}" y1="${y}" y2="${y + SWATCH_HEIGHT}"/>`;
}

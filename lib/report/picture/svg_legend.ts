/** The legend of a picture: an entry for each look that occurs in it. */

import { widthOf } from "../../words/columns.ts";
import type { Key } from "../shapes.ts";
import { escaped } from "../page/markup.ts";

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

/** Where to write times along a timeline, and how. */

import type { Axis } from "./lanes.ts";
import { showUtc } from "./words.ts";

export interface Tick {
  readonly atMs: number;
  readonly label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps that people count in. */
export const TICK_STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map((days) => days * DAY),
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
  if (stepMs >= DAY || atMs % DAY === 0) return shown.slice(0, 10);
  return stepMs >= MINUTE ? shown.slice(11, 16) : shown.slice(11, 19);
}

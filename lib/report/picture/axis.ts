/** Where to write times along a timeline, and how. */

import type { Axis } from "./lanes.ts";
import { showUtc } from "../phrases.ts";

export interface Tick {
  readonly atMs: number;
  readonly label: string;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Steps that people count in. */
export const TICK_STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map((days) => days * DAY_MS),
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
  if (stepMs >= DAY_MS || atMs % DAY_MS === 0) return shown.slice(0, 10);
  return stepMs >= MINUTE_MS ? shown.slice(11, 16) : shown.slice(11, 19);
}

/** Durations as people write them: plain seconds, fractions of one, or a number with a unit. */

const MS_BY_UNIT: Readonly<Record<string, number>> = {
  "": 1000,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * A hundred years: longer than any wait or hold, yet every sum of two still counts single milliseconds
 * exactly.
 */
export const LONGEST_DURATION_MS = 100 * 365 * 86_400_000;

/** What a duration looks like, for messages. */
export const DURATION_RULE =
  "seconds, or a number with ms, s, m, h or d, such as 250ms, 90s or 10m";

/**
 * Reads a duration.
 * @param text such as `15`, `0.2`, `250ms`, `90m`, `30d`
 * @return milliseconds, or null if the text is no duration
 */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)?$/.exec(text);
  if (!match) return null;
  const ms = Number(match[1]) * MS_BY_UNIT[match[2] ?? ""]!;
  return ms <= LONGEST_DURATION_MS ? ms : null;
}

/**
 * A duration for a person, in at most two units: `250ms`, `4.2s`, `43s`, `5m 20s`, `2h 5m`, `3d 4h`.
 * @param ms milliseconds, 0 or more
 */
export function showDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, "")}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const [whole, part, wholeUnit, partUnit] = seconds < 3600
    ? [Math.floor(seconds / 60), seconds % 60, "m", "s"]
    : seconds < 86_400
    ? [Math.floor(seconds / 3600), Math.floor(seconds % 3600 / 60), "h", "m"]
    : [Math.floor(seconds / 86_400), Math.floor(seconds % 86_400 / 3600), "d", "h"];
  return part === 0 ? `${whole}${wholeUnit}` : `${whole}${wholeUnit} ${part}${partUnit}`;
}

/**
 * Whole seconds as the log writes them: `613s`. Cut, not rounded: nobody is said to have waited longer
 * than they did.
 * @param ms milliseconds, 0 or more
 */
export function logSeconds(ms: number): string {
  return `${Math.floor(ms / 1000)}s`;
}

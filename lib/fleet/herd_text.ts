/** What a herd has to tell besides the report of its log: did all of its runs come through, and is it all there. */

import { countOf, showCount } from "../words/columns.ts";
import { showDuration } from "../words/durations.ts";
import { EXIT } from "../lock/exit_codes.ts";
import type { History } from "../log/history_summary.ts";
import type { Verdict } from "../report/verdicts.ts";
import { describeIncident } from "../report/phrases.ts";

export interface Herd {
  /** The names of its agents. */
  readonly slugs: readonly string[];
  /** How many runs there should have been. */
  readonly planned: number;
  /** The exit status of each run that ended. */
  readonly codes: readonly number[];
  readonly tookMs: number;
}

/** More would repeat the report above, where all of them stand. */
const INCIDENTS_SHOWN = 5;

/** How many runs came to their end with success. */
export function runsThrough({ codes }: Herd): number {
  return codes.filter((code) => code === EXIT.done).length;
}

/** How many holds of the herd the log shows. */
export function loggedHolds(history: History, { slugs }: Herd): number {
  const own = new Set(slugs);
  return history.agents.reduce((sum, { slug, holds }) => sum + (own.has(slug) ? holds : 0), 0);
}

/** Whether all came through, and left their lines in the log. */
export function herdVerdict(history: History, herd: Herd): Verdict {
  const through = runsThrough(herd);
  const logged = loggedHolds(history, herd);
  const details = [
    ...failureLines(herd),
    ...lineLosses(through, logged),
    ...takenHolds(history, herd),
  ];
  return details.length === 0
    ? {
      passes: true,
      doubt: null,
      text: `all ${countOf(through, "run")} held the lock and gave it back, in ${
        showDuration(herd.tookMs)
      }`,
      details,
    }
    : {
      passes: false,
      doubt: null,
      text: `${showCount(through)} of ${countOf(herd.planned, "run")} came through`,
      details,
    };
}

function failureLines({ codes, planned }: Herd): string[] {
  const counts = new Map<number, number>();
  for (const code of codes) {
    if (code !== EXIT.done) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const lines = [...counts].sort(([a], [b]) => a - b).map(([code, count]) =>
    `${countOf(count, "run")} ended with ${code}${meaningOf(code)}`
  );
  const notStarted = planned - codes.length;
  if (notStarted > 0) lines.push(`${countOf(notStarted, "run")} did not start after that`);
  return lines;
}

function meaningOf(code: number): string {
  if (code === EXIT.gaveUp) return ": gave up waiting";
  if (code === EXIT.ioFailed) return ": the lock folder could not be written";
  if (code === EXIT.folderUnusable) return ": the lock folder cannot be used";
  return code > 128 ? `: ended by signal ${code - 128}` : "";
}

/** A herd whose locks are taken from under it has not shown that they are safe, whatever its runs say. */
function takenHolds({ incidents }: History, { slugs }: Herd): string[] {
  const own = new Set(slugs);
  return incidents.some
    .filter(({ kind, slug, holder }) =>
      (kind === "lost" && own.has(slug)) || (holder !== null && own.has(holder))
    )
    .slice(0, INCIDENTS_SHOWN)
    .map((incident) => `${describeIncident(incident)} (line ${incident.line})`);
}

/** Appends of two machines overwrite each other on some shares. */
function lineLosses(through: number, logged: number): string[] {
  if (logged === through) return [];
  return logged < through
    ? [`the log shows ${showCount(logged)} of their ${countOf(through, "hold")}: it loses lines`]
    : [`the log shows ${countOf(logged, "hold")} of theirs, more than came through`];
}

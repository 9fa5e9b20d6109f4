/** What a reader has to know to read the figures right: one sentence each, none if nothing is odd. */

import { countOf, showCount } from "../words/columns.ts";
import { showDuration } from "../words/durations.ts";
import { INCIDENTS_LISTED } from "../log/incidents.ts";
import type { History } from "../log/history_summary.ts";
import { RESOLUTION_MATTERS_MS, RESOLUTION_NOTE } from "./phrases.ts";

function isShort(ms: number): boolean {
  return ms < RESOLUTION_MATTERS_MS;
}

/** Whether holds or gaps are so short that a second more or less shows. */
export function resolutionMatters({ holds, gaps, heldMs }: History): boolean {
  if (holds.count === 0) return false;
  return isShort(heldMs / holds.count) || (gaps !== null && isShort(gaps.medianMs));
}

/** Whether a hold began before the time that was asked for. */
function reachesIn({ filter, holds }: History): boolean {
  const { sinceMs } = filter;
  return sinceMs != null && holds.count > 0 && holds.startMs[0]! < sinceMs;
}

export function notesOf(history: History): string[] {
  const { broken, clock, otherEvents, incidents, gaps, leaks, overlaps } = history;
  const notes: string[] = [];
  if (resolutionMatters(history)) notes.push(RESOLUTION_NOTE);
  if (reachesIn(history)) {
    notes.push(
      "A hold that reaches into the time reported on counts whole in the table; only what lies in that time is held time.",
    );
  }
  if (gaps && !isShort(gaps.longestMs)) {
    notes.push("A gap is all the time between two holds, also that in which nobody waited.");
  }
  const workedOn = incidents.some.filter(({ carriedOnMs }) => carriedOnMs !== null).length;
  if (workedOn > 0) {
    notes.push(
      `${
        workedOn === 1 ? "One agent" : `${showCount(workedOn)} times an agent`
      } worked on after its lock had been removed: what it did then may have met the work of the next holder.`,
    );
  }
  if (clock.backwards > 0) {
    notes.push(
      `Clocks differ: ${countOf(clock.backwards, "line")} earlier than the line before, by up to ${
        showDuration(clock.largestMs)
      } (line ${clock.line}). The order of the lines counts, not their times.`,
    );
  }
  const unread = broken.some.some(({ readAs }) => readAs.length === 0);
  if (unread && overlaps.count + leaks.count > 0) {
    notes.push("A hold that seems to have no end may have ended in a broken line.");
  }
  if (otherEvents.size > 0) {
    const words = [...otherEvents].map(([word, count]) => `${word} ${showCount(count)}`);
    notes.push(`Events that this report does not know: ${words.slice(0, 10).join(", ")}.`);
  }
  if (incidents.count > incidents.some.length) {
    notes.push(
      `Of each kind of incident the latest ${INCIDENTS_LISTED} are shown; all are counted.`,
    );
  }
  return notes;
}

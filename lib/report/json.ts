/** The report as one JSON object. */

import type { History } from "../core/history_summary.ts";
import type { Hold } from "../core/hold_table.ts";
import { notesOf } from "./notes.ts";
import { type Verdict, verdictsOf } from "./verdicts.ts";
import { describeIncident, logTime } from "./words.ts";

/** The latest ones; the whole of a log of a million lines would be a hundred megabytes. */
const HOLDS_LISTED = 10_000;
const AGENTS_LISTED = 10_000;

/**
 * One object; all times are text as in the log (`2026-08-22T23:05:52Z`), all durations milliseconds, though
 * the log keeps whole seconds; slugs are as they stand in the log. Lines are counted from 1.
 *
 * - `noLogAt`: the log's path if there is none there yet, else null
 * - `pass`: whether every invariant holds
 * - `summary`: the first line of the text report
 * - `exclusion`, `leaks`: `{ pass, text, details }`, `details` being sentences with the lines at fault
 * - `filter`: `{ since, until, slug }`, null where not given
 * - `lines`: how many the log has
 * - `counts`: how often each event stands in it, of one agent with what was done to its locks: `acquired`, `released`, `gave_up`, `stale_break`, `lost`,
 *   `force_release`, `max_hold`
 * - `removals`: of one agent (`--slug`), how many of those breaks were whose: `{ broke, forced, wasBroken,
 *   wasForced }`, locks of others that it broke or removed by force, and its own that were; else null
 * - `otherEvents`: the same for words that are no events of this program
 * - `window`: `{ from, to, ms }`, from the first line to the last; null if there is nothing in it
 * - `heldMs`, `use`: time within the window that the lock was held, and its share from 0 to 1 (null if the
 *   window has no length)
 * - `gaps`: `{ count, shortestMs, medianMs, p95Ms, longestMs, longestBeforeLine }`, the time that the lock was
 *   free between two holds; null if there are none
 * - `agents`: `[{ slug, holds, totalMs, longestMs, gaveUp }]`; `agentsLeftOut`
 * - `overlaps`: `{ count, most, first: [{ simultaneous, first, second }] }` with holds as below; `most` is the
 *   largest number that held at once
 * - `leaked`: `{ count, first: [hold] }`, holds that no line ends
 * - `incidents`: `{ count, latest: [{ kind, line, at, slug, holder, reason, ageMs, waitedMs, heldMs,
 *   carriedOnMs, text }] }`, null where it does not apply; at most 500 of each kind. `kind` is an event of the
 *   log, or `late_release` (released after somebody else had removed its lock) or `stray_release` (released
 *   without having acquired)
 * - `broken`: `{ count, first: [{ line, text }] }`, lines that are not of the log's form
 * - `clock`: `{ backwards, largestMs, line }`, lines that are earlier than the one before
 * - `notes`: sentences on how to read this
 * - `holds`: `[{ slug, start, end, ms, how, startLine, endLine, gapMs }]`, the latest 10,000; `end`, `ms` and
 *   `endLine` are null if no line ends it; `how` is `released`, `stale_break`, `lost`, `force_release`, `open`
 *   (the last hold, not ended) or `unended` (no line ends it, but another acquired after it); `holdsLeftOut`
 *
 * @param holdsNow who is known to hold the lock at this moment; null for a log of the past
 * @param noLogAt where a log was looked for in vain; null if there is one
 * @return the text, newline at the end included
 */
export function reportJson(
  history: History,
  holdsNow: string | null = null,
  noLogAt: string | null = null,
): string {
  const verdicts = verdictsOf(history, holdsNow);
  const { filter, window, gaps, overlaps, leaks, incidents, broken, holds, agents } = history;
  const firstHold = Math.max(0, holds.count - HOLDS_LISTED);
  const timeOrNull = (ms: number | null | undefined) => ms == null ? null : logTime(ms);
  const report = {
    noLogAt,
    pass: verdicts.pass,
    summary: verdicts.summary,
    exclusion: verdictJson(verdicts.exclusion),
    leaks: verdictJson(verdicts.leaks),
    filter: {
      since: timeOrNull(filter.sinceMs),
      until: timeOrNull(filter.untilMs),
      slug: filter.slug ?? null,
    },
    lines: history.lines,
    counts: history.counts,
    removals: history.removals,
    otherEvents: Object.fromEntries(history.otherEvents),
    window: window && {
      from: logTime(window.fromMs),
      to: logTime(window.toMs),
      ms: window.toMs - window.fromMs,
    },
    heldMs: history.heldMs,
    use: history.use,
    gaps: gaps && {
      count: gaps.count,
      shortestMs: gaps.shortestMs,
      medianMs: gaps.medianMs,
      p95Ms: gaps.p95Ms,
      longestMs: gaps.longestMs,
      longestBeforeLine: gaps.longestBefore.startLine,
    },
    agents: agents.slice(0, AGENTS_LISTED).map(({ agent: _, ...figures }) => figures),
    agentsLeftOut: Math.max(0, agents.length - AGENTS_LISTED),
    overlaps: {
      count: overlaps.count,
      most: overlaps.most,
      first: overlaps.first.map(({ simultaneous, first, second }) => ({
        simultaneous,
        first: holdJson(first),
        second: holdJson(second),
      })),
    },
    leaked: { count: leaks.count, first: leaks.some.map(holdJson) },
    incidents: {
      count: incidents.count,
      latest: incidents.some.map((incident) => {
        const { kind, line, atMs, ...rest } = incident;
        return { kind, line, at: logTime(atMs), ...rest, text: describeIncident(incident) };
      }),
    },
    broken: { count: broken.count, first: broken.some },
    clock: history.clock,
    notes: notesOf(history),
    holds: Array.from(
      { length: holds.count - firstHold },
      (_, index) => holdJson(holds.at(firstHold + index)),
    ),
    holdsLeftOut: firstHold,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function verdictJson({ passes, text, details }: Verdict) {
  return { pass: passes, text, details };
}

function holdJson({ slug, startMs, endMs, end, startLine, endLine, gapMs }: Hold) {
  return {
    slug,
    start: logTime(startMs),
    end: endMs === null ? null : logTime(endMs),
    ms: endMs === null ? null : Math.max(0, endMs - startMs),
    how: end,
    startLine,
    endLine,
    gapMs,
  };
}

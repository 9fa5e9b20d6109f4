/** The report as one JSON object. */

import type { History } from "../log/history_summary.ts";
import type { Hold } from "../log/hold_table.ts";
import type { SlotReport } from "./slots.ts";
import { notesOf } from "./notes.ts";
import { byAgent, spreadOf, type Waits } from "../log/waits.ts";
import { type Verdict, type Verdicts, verdictsOf } from "./verdicts.ts";
import { inJsonStyle, jsonText } from "../words/json.ts";
import { describeIncident, logTime } from "./phrases.ts";

/** The latest ones; the whole of a log of a million lines would be a hundred megabytes. */
const HOLDS_LISTED = 10_000;
const AGENTS_LISTED = 10_000;

/**
 * One object, as docs/json.md has it: times are text as in the log, durations milliseconds, slugs as they stand
 * in the log.
 *
 * @param verdicts of this history; without them it is judged as a log of the past
 * @param noLogAt where a log was looked for in vain; null if there is one
 * @param columns of the terminal that it goes to; null if none does
 * @return the text, newline at the end included
 */
export function reportJson(
  history: History,
  about: ReportAbout = {},
  columns: number | null = null,
): string {
  return jsonText(reportObject(history, about), columns);
}

/** What a report is of, besides the log. */
export interface ReportAbout {
  /** Of this history; without them it is judged as a log of the past. */
  readonly verdicts?: Verdicts;
  /** Where a log was looked for in vain; null if there is one. */
  readonly noLogAt?: string | null;
  /** From the journal; null if there is none. */
  readonly waits?: Waits | null;
  /** Of a lock with slots: each of them. */
  readonly slots?: readonly SlotReport[] | null;
}

/** As `reportJson()`, to be a part of another object. */
export function reportObject(
  history: History,
  { verdicts = verdictsOf(history), noLogAt = null, waits = null, slots = null }: ReportAbout,
): unknown {
  const { filter, window, gaps, overlaps, leaks, incidents, broken, holds, agents, running } =
    history;
  const firstHold = Math.max(0, holds.count - HOLDS_LISTED);
  const timeOrNull = (ms: number | null | undefined) => ms == null ? null : logTime(ms);
  const report = {
    noLogAt,
    pass: verdicts.pass,
    summary: verdicts.summary,
    exclusion: verdictJson(verdicts.exclusion),
    leaks: verdictJson(verdicts.leaks),
    cutShort: history.cutShort,
    filter: {
      since: timeOrNull(filter.sinceMs),
      until: timeOrNull(filter.untilMs),
      slug: filter.slug ?? null,
    },
    lines: history.lines,
    counts: history.counts,
    removals: history.removals,
    otherEvents: [...history.otherEvents].map(([event, count]) => ({ event, count })),
    window: window && {
      from: logTime(window.fromMs),
      to: logTime(window.toMs),
      lastedMs: window.toMs - window.fromMs,
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
    waits: waits && waitsJson(waits),
    ...(slots && { slots: slots.map(slotJson) }),
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
    stillHolding: running && {
      slug: running.hold.slug,
      since: logTime(running.hold.startMs),
      heldMs: running.heldMs,
      line: running.hold.startLine,
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
  return inJsonStyle(report);
}

function slotJson({ slot, use, history, verdicts }: SlotReport) {
  const { holds, heldMs, running } = history;
  return {
    slot,
    pass: verdicts.pass,
    exclusion: verdictJson(verdicts.exclusion),
    leaks: verdictJson(verdicts.leaks),
    holds: holds.count,
    heldMs,
    use,
    holder: running && running.hold.slug,
  };
}

function waitsJson({ done, handOffsMs, notes, lines, used }: Waits) {
  return {
    journalLines: lines,
    journalLinesUsed: used,
    waited: spreadOf(done.map(({ fromMs, toMs }) => toMs - fromMs)),
    agents: byAgent(done).slice(0, AGENTS_LISTED),
    handOff: spreadOf(handOffsMs),
    notes,
  };
}

function verdictJson({ passes, doubt, text, details }: Verdict) {
  return { pass: passes, sure: doubt === null, doubt, text, details };
}

function holdJson(
  { slug, startMs, endMs, end, startLine, endLine, gapMs, workedOnTo }: Hold,
) {
  return {
    slug,
    start: logTime(startMs),
    end: endMs === null ? null : logTime(endMs),
    heldMs: endMs === null ? null : Math.max(0, endMs - startMs),
    how: end,
    startLine,
    endLine,
    workedOnTo: workedOnTo && logTime(workedOnTo.ms),
    workedOnToLine: workedOnTo && workedOnTo.line,
    gapMs,
  };
}

/** What the log proves: did holds overlap, was a lock left behind, did everybody get through. */

import { countOf, showCount } from "../words/columns.ts";
import type { History } from "../log/history_summary.ts";
import type { Hold } from "../log/hold_table.ts";
import type { Overlap } from "../log/overlaps.ts";
import { showForeign } from "../words/slugs.ts";
import { acquiredLine, describeEnd, logTime } from "./phrases.ts";

export interface Verdict {
  readonly passes: boolean;
  /** Why it passes by the log alone, which does not tell all of it; null where the log proves it. */
  readonly doubt: string | null;
  /** Without the PASS or FAIL before it. */
  readonly text: string;
  /** The lines at fault, with their numbers. */
  readonly details: readonly string[];
}

export interface Verdicts {
  /** The line that people and scripts look for first. */
  readonly summary: string;
  readonly exclusion: Verdict;
  readonly leaks: Verdict;
  /** Whether every invariant holds. */
  readonly pass: boolean;
}

/** Before what is told of the line above it. */
export const INDENT = "  ";

/** More would bury the rest of the report. */
const FAULTS_SHOWN = 5;

/**
 * @param holdsNow who is known to hold the lock at this moment: its hold has no end yet and is no leak. null
 *   for a log of the past
 */
export function verdictsOf(history: History, holdsNow: string | null = null): Verdicts {
  const exclusion = exclusionOf(history);
  const leaks = leaksOf(history, holdsNow);
  return {
    summary: summaryOf(history),
    exclusion,
    leaks,
    pass: exclusion.passes && leaks.passes,
  };
}

/** `PASS: …` or `FAIL: …`; with a doubt `PASS by the log; …`, so that nobody takes it for a plain PASS. */
export function verdictLine(verdict: Verdict): string {
  const { outcome, rest } = verdictParts(verdict);
  return outcome + rest;
}

/** The same in two: what is to be seen first, and the rest of the line with what parts them. */
export function verdictParts(
  { passes, doubt, text }: Verdict,
): { readonly outcome: string; readonly rest: string } {
  if (!passes) return { outcome: "FAIL", rest: `: ${text}` };
  if (doubt === null) return { outcome: "PASS", rest: `: ${text}` };
  return { outcome: "PASS by the log", rest: `; ${doubt}` };
}

/** With the lines at fault below it. */
export function verdictLines(verdict: Verdict): string[] {
  return [verdictLine(verdict), ...verdict.details.map((line) => INDENT + line)];
}

function summaryOf(history: History): string {
  const { counts } = history;
  const outcome = history.filter.slug == null ? outcomeOfAll(history) : outcomeOfOne(history);
  return `acquired=${counts.acquired} released=${counts.released} gave_up=${counts.gave_up} ` +
    `stale_breaks=${counts.stale_break} (${outcome})`;
}

function outcomeOfAll({ counts, gaveUpAgents }: History): string {
  if (gaveUpAgents > 0) return `${countOf(gaveUpAgents, "agent")} gave up`;
  if (counts.acquired === 0) return "nobody acquired";
  // Whose lock was removed may never have come to its end.
  const removed = counts.stale_break + counts.force_release + counts.lost > 0;
  return removed ? "nobody gave up" : "all agents got through";
}

/** What went wrong for one agent, and what it did to others: a break is counted for both sides. */
function outcomeOfOne({ filter, counts, removals }: History): string {
  const { broke, forced, wasBroken, wasForced } = removals!;
  const own = (count: number) =>
    count === 1 ? "its lock was" : `${showCount(count)} of its locks were`;
  const others = (count: number) =>
    count === 1 ? "the lock of another" : `${showCount(count)} locks of others`;
  const suffered = [
    counts.gave_up > 0 ? `it gave up${times(counts.gave_up)}` : "",
    wasBroken > 0 ? `${own(wasBroken)} broken as stale` : "",
    wasForced > 0 ? `${own(wasForced)} removed by force` : "",
    // Of a break that the log tells, the agent's own `lost` is no second loss.
    counts.lost > wasBroken + wasForced ? `it lost its lock${times(counts.lost)}` : "",
  ].filter((part) => part !== "");
  const isNamed = Object.values(counts).some((count) => count > 0);
  const fine = counts.acquired > 0
    ? "it got through"
    : isNamed
    ? "it did not acquire"
    : "no line has that name";
  const parts = [
    ...suffered.length === 0 ? [fine] : suffered,
    broke > 0 ? `it broke ${others(broke)}` : "",
    forced > 0 ? `it removed ${others(forced)} by force` : "",
  ];
  return `${showForeign(filter.slug!)}: ${parts.filter((part) => part !== "").join(", ")}`;
}

function times(count: number): string {
  return count === 1 ? "" : ` ${showCount(count)} times`;
}

const NO_OVERLAP = "no overlapping critical sections";

function exclusionOf({ overlaps, cutShort }: History): Verdict {
  if (overlaps.count === 0 && cutShort === 0) {
    return { passes: true, doubt: null, text: NO_OVERLAP, details: [] };
  }
  if (overlaps.count === 0) {
    const were = `${countOf(cutShort, "hold")} ${cutShort === 1 ? "was" : "were"}`;
    const doubt = `${were} cut short, see incidents`;
    return { passes: true, doubt, text: `${NO_OVERLAP} by the log; ${doubt}`, details: [] };
  }
  const details = overlaps.first.slice(0, FAULTS_SHOWN).flatMap(overlapLines);
  const more = overlaps.count - FAULTS_SHOWN;
  if (more > 0) details.push(`and ${countOf(more, "more overlap")}`);
  return {
    passes: false,
    doubt: null,
    text: `${showCount(overlaps.most)} agents held the lock simultaneously`,
    details,
  };
}

function overlapLines({ first, second }: Overlap): string[] {
  const lines = [acquiredLine(first), acquiredLine(second)];
  if (first.endMs === null) {
    lines.push(
      `no line ends the hold of ${showForeign(first.slug)} from line ${first.startLine}`,
    );
  } else if (first.end === "released" || first.end === "lost") {
    lines.push(
      `line ${first.endLine}: ${logTime(first.endMs)} ${showForeign(first.slug)} ${first.end}`,
    );
  } else {
    lines.push(
      `line ${first.endLine}: ${logTime(first.endMs)} the hold of ${showForeign(first.slug)} was ${
        describeEnd(first)
      }`,
    );
  }
  const { workedOnTo } = first;
  if (workedOnTo) {
    const at = logTime(workedOnTo.ms);
    lines.push(
      `line ${workedOnTo.line}: ${at} ${showForeign(first.slug)} had worked on until then`,
    );
  }
  return lines;
}

function leaksOf({ leaks, holds }: History, holdsNow: string | null): Verdict {
  const last = holds.count === 0 ? null : holds.at(holds.count - 1);
  const isHeldNow = last?.end === "open" && last.slug === holdsNow;
  const count = leaks.count - (isHeldNow ? 1 : 0);
  if (count === 0) {
    const now = isHeldNow ? ` (${showForeign(last.slug)} holds it now)` : "";
    return { passes: true, doubt: null, text: `no lock leaked${now}`, details: [] };
  }
  const leaked = leaks.some.filter((hold) => !(isHeldNow && hold.startLine === last.startLine));
  const details = leaked.slice(0, FAULTS_SHOWN).map(leakLine);
  if (count > FAULTS_SHOWN) details.push(`and ${showCount(count - FAULTS_SHOWN)} more`);
  return { passes: false, doubt: null, text: `${countOf(count, "lock")} leaked`, details };
}

function leakLine(hold: Hold): string {
  const why = hold.end === "open"
    ? "not released by the end of the log, or still held"
    : "no line ends this hold, yet another acquired after it";
  return `${acquiredLine(hold)}: ${why}`;
}

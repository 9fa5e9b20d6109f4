/** The figures of a history: made once, at the end of the log, from columns of holds. */

import type { EventCounts, RemovalCounts } from "./history_counts.ts";
import { type Hold, type HoldTable, OPEN, UNENDED } from "./hold_table.ts";
import type { Incident } from "./incidents.ts";
import { countCutShort, findOverlaps, heldMs, type Overlaps } from "./overlaps.ts";
import type { Listed } from "../words/some_of_many.ts";

export type { EventCounts };

/** What to report on. Holds that reach into the time count whole. */
export interface HistoryFilter {
  readonly sinceMs?: number | null;
  /** Not included. */
  readonly untilMs?: number | null;
  readonly slug?: string | null;
}

/** What is known of this moment, besides the log. */
export interface Now {
  readonly atMs: number;
  /** Who holds the lock; null if nobody is known to. */
  readonly holder: string | null;
}

/** The hold that goes on now. */
export interface RunningHold {
  readonly hold: Hold;
  /** In whole seconds, as the log has its beginning. */
  readonly heldMs: number;
}

export interface AgentFigures {
  readonly slug: string;
  /** Its number in the table of holds. */
  readonly agent: number;
  readonly holds: number;
  readonly totalMs: number;
  readonly longestMs: number;
  readonly gaveUp: number;
}

/** How long the lock was free between two holds, as far as the log tells. */
export interface GapFigures {
  readonly count: number;
  readonly shortestMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** The hold that the longest came before. */
  readonly longestBefore: Hold;
}

export interface ClockFigures {
  /** Lines with an earlier time than the line before. */
  readonly backwards: number;
  readonly largestMs: number;
  /** Where the largest step back is; 0 if there is none. */
  readonly line: number;
}

/** A line that is not of the log's form, or was cut short. */
export interface BrokenLine {
  readonly line: number;
  readonly text: string;
  /** What could be read in it all the same, as `agent-1 released`; empty if nothing. */
  readonly readAs: readonly string[];
}

/** Of a lock with slots: where each agent of the table of holds held. An agent of two slots is two there. */
export interface Seats {
  readonly slots: readonly string[];
  /** Agent's number to the slot's. */
  readonly slotOf: Int32Array;
}

export interface History {
  /** Only of a lock with slots. */
  readonly seats?: Seats;
  readonly filter: HistoryFilter;
  /** null for a log of the past. Of a lock that can be asked, the window ends now. */
  readonly now: Now | null;
  /** null if it is none of those reported on. */
  readonly running: RunningHold | null;
  /** Until when a hold that no line ends is known to have lasted: of one that runs, up to the window's end. */
  readonly openToMs: number;
  /** All lines of the log, whatever the filter. */
  readonly lines: number;
  /** Those of them that have the log's form, from beginning to end. */
  readonly wholeLines: number;
  readonly counts: Readonly<EventCounts>;
  /** null where the report is of all agents. */
  readonly removals: Readonly<RemovalCounts> | null;
  readonly otherEvents: ReadonlyMap<string, number>;
  readonly broken: Listed<BrokenLine>;
  readonly incidents: Listed<Incident>;
  /** null if there is nothing in it. */
  readonly window: { readonly fromMs: number; readonly toMs: number } | null;
  readonly holds: HoldTable;
  readonly heldMs: number;
  /** Of the window, from 0 to 1; null if the window is no time at all. */
  readonly use: number | null;
  readonly gaps: GapFigures | null;
  /** In the order in which they first appear. */
  readonly agents: readonly AgentFigures[];
  readonly gaveUpAgents: number;
  readonly overlaps: Overlaps;
  /** Holds that ended before their time, and may have gone on into the next one: the log does not tell. */
  readonly cutShort: number;
  /** Holds that no line ends. The last of them may be going on. */
  readonly leaks: Listed<Hold>;
  readonly clock: ClockFigures;
}

export interface Gathered extends
  Pick<
    History,
    | "filter"
    | "now"
    | "lines"
    | "wholeLines"
    | "counts"
    | "removals"
    | "otherEvents"
    | "incidents"
    | "broken"
    | "clock"
  > {
  readonly table: HoldTable;
  readonly gaveUpByAgent: ReadonlyMap<number, number>;
  readonly earliestMs: number;
  readonly latestMs: number;
}

const LEAKS_LISTED = 20;

export function summarise(gathered: Gathered): History {
  const { filter, table } = gathered;
  const { slug = null } = filter;
  const sinceMs = filter.sinceMs ?? -Infinity;
  const untilMs = filter.untilMs ?? Infinity;
  const fromMs = Math.max(sinceMs, gathered.earliestMs);
  const nowMs = gathered.now === null ? -Infinity : wholeSecond(gathered.now.atMs);
  // Another machine's clock may be ahead of ours.
  const toMs = Math.min(untilMs, Math.max(nowMs, gathered.latestMs));
  const window = fromMs <= toMs ? { fromMs, toMs } : null;
  const inTime = (i: number) => table.startMs[i]! < untilMs && lastSignMs(table, i) >= sinceMs;
  const isOf = (i: number) => slug === null || table.slugs[table.agent[i]!] === slug;
  const unfiltered = slug === null && sinceMs === -Infinity && untilMs === Infinity;
  const holds = unfiltered ? table : table.select((i) => inTime(i) && isOf(i));
  const running = runningHold(holds, gathered.now);
  const openToMs = running === null ? Math.min(untilMs, gathered.latestMs) : toMs;
  const held = window === null ? 0 : heldMs(holds, window.fromMs, window.toMs, openToMs);
  const windowMs = window === null ? 0 : window.toMs - window.fromMs;
  return {
    filter,
    now: gathered.now,
    running,
    openToMs,
    lines: gathered.lines,
    wholeLines: gathered.wholeLines,
    counts: gathered.counts,
    removals: gathered.removals,
    otherEvents: gathered.otherEvents,
    broken: gathered.broken,
    incidents: gathered.incidents,
    window,
    holds,
    heldMs: held,
    use: windowMs > 0 ? held / windowMs : null,
    gaps: gapFigures(holds, sinceMs),
    agents: agentFigures(holds, gathered.gaveUpByAgent, openToMs),
    gaveUpAgents: gathered.gaveUpByAgent.size,
    overlaps: findOverlaps(
      table,
      (first, second) => inTime(first) && inTime(second) && (isOf(first) || isOf(second)),
    ),
    cutShort: countCutShort(table, holds),
    leaks: leaksOf(holds),
    clock: gathered.clock,
  };
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** The last hold, if no line ends it and its agent is known to hold the lock. */
function runningHold(holds: HoldTable, now: Now | null): RunningHold | null {
  if (now === null || holds.count === 0) return null;
  const hold = holds.at(holds.count - 1);
  if (hold.end !== "open" || hold.slug !== now.holder) return null;
  return { hold, heldMs: Math.max(0, wholeSecond(now.atMs) - hold.startMs) };
}

/** Until when a hold is known to have lasted. */
function lastSignMs(table: HoldTable, index: number): number {
  if (table.end[index] === OPEN) return Infinity;
  if (table.end[index] === UNENDED) return table.startMs[index]!;
  return table.workedOnTo(index)?.ms ?? table.endMs[index]!;
}

/** A gap that began before the time which is reported on is none of it. */
export function gapFigures(holds: HoldTable, sinceMs: number): GapFigures | null {
  const isIn = (gap: number, i: number) => holds.startMs[i]! - gap >= sinceMs;
  const gaps = holds.gapMs.slice(0, holds.count).filter(isIn).sort();
  if (gaps.length === 0) return null;
  const longestMs = gaps.at(-1)!;
  return {
    count: gaps.length,
    shortestMs: gaps[0]!,
    medianMs: nearestRank(gaps, 0.5),
    p95Ms: nearestRank(gaps, 0.95),
    longestMs,
    longestBefore: holds.at(holds.gapMs.findIndex((gap, i) => gap === longestMs && isIn(gap, i))),
  };
}

/** A value that really occurred, as times of whole seconds should stay whole. */
function nearestRank(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

export function agentFigures(
  holds: HoldTable,
  gaveUpByAgent: ReadonlyMap<number, number>,
  openToMs: number,
): AgentFigures[] {
  const agents = holds.slugs.length;
  const count = new Uint32Array(agents);
  const totalMs = new Float64Array(agents);
  const longestMs = new Float64Array(agents);
  for (let i = 0; i < holds.count; i++) {
    const agent = holds.agent[i]!;
    const lastedMs = holds.end[i] === OPEN
      ? Math.max(0, openToMs - holds.startMs[i]!)
      : holds.lastedMs(i);
    count[agent]!++;
    totalMs[agent]! += lastedMs;
    if (lastedMs > longestMs[agent]!) longestMs[agent] = lastedMs;
  }
  const figures: AgentFigures[] = [];
  for (let agent = 0; agent < agents; agent++) {
    const gaveUp = gaveUpByAgent.get(agent) ?? 0;
    if (count[agent] === 0 && gaveUp === 0) continue;
    figures.push({
      slug: holds.slugs[agent]!,
      agent,
      holds: count[agent]!,
      totalMs: totalMs[agent]!,
      longestMs: longestMs[agent]!,
      gaveUp,
    });
  }
  return figures;
}

function leaksOf(holds: HoldTable): Listed<Hold> {
  const some: Hold[] = [];
  let count = 0;
  for (let i = 0; i < holds.count; i++) {
    if (holds.end[i] !== OPEN && holds.end[i] !== UNENDED) continue;
    count++;
    if (some.length < LEAKS_LISTED) some.push(holds.at(i));
  }
  return { count, some };
}

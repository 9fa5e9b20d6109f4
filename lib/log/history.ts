/**
 * What happened, read from the log in one pass.
 *
 * `acquired` is written after the lock was made and `released` before it is removed, so the order of the
 * lines is the order of the holds. Clocks of machines differ by seconds: nothing here compares times to
 * find an order. An `acquired` proves that the lock was free a moment before, whatever the log says of the
 * hold that came earlier.
 *
 * Not seen: holds of peers that do not write to the log, and work that goes on after its `released`.
 */

import { parseDurationMs } from "../words/durations.ts";
import {
  LineCutter,
  type LineRecord,
  type LogRecord,
  LogTimes,
  readBrokenLine,
  wholeRecord,
} from "./lines.ts";
import { type BrokenLine, type History, type HistoryFilter, summarise } from "./history_summary.ts";
import { HistoryCounts, ownCopy } from "./history_counts.ts";
import { type HoldEnd, HoldTable } from "./hold_table.ts";
import { type Incident, IncidentList } from "./incidents.ts";
import { showForeign } from "../words/slugs.ts";
import { FirstFew } from "../words/some_of_many.ts";

const BROKEN_LINES_LISTED = 20;
const NONE = -1;

type RemovalKind = "stale_break" | "force_release";

/** Reads a log piece by piece. Feed it, then finish it once. */
export class HistoryReader {
  readonly #filter: HistoryFilter;
  readonly #cutter = new LineCutter((line) => this.feedLine(line));
  readonly #slugs: string[] = [];
  readonly #agentBySlug = new Map<string, number>();
  readonly #table = new HoldTable(this.#slugs);
  /** Agent to its holds without an end, oldest first. */
  readonly #openByAgent = new Map<number, number[]>();
  /** Agent to its last hold that another ended, until the agent is heard of again. */
  readonly #takenFrom = new Map<number, number>();
  /** Agent to the removal that it told of last. */
  readonly #removalBy = new Map<number, { readonly hold: number; readonly kind: RemovalKind }>();
  readonly #gaveUpByAgent = new Map<number, number>();
  readonly #incidents = new IncidentList();
  readonly #broken = new FirstFew<BrokenLine>(BROKEN_LINES_LISTED);
  readonly #counts = new HistoryCounts();
  readonly #times = new LogTimes();
  /** The hold whose lock stands, by the lines so far. */
  #current = NONE;
  #freeSinceMs = NaN;
  #line = 0;
  #wholeLines = 0;

  /** @param filter what to report on; the whole log is read for it all the same */
  constructor(filter: HistoryFilter = {}) {
    this.#filter = filter;
  }

  /** @param text the next piece of the log; it may begin and end anywhere */
  feed(text: string): void {
    this.#cutter.feed(text);
  }

  /** @param line without its newline */
  feedLine(line: string): void {
    this.#line++;
    if (line === "") return;
    const record = wholeRecord(line);
    if (record) {
      this.#wholeLines++;
      this.#take(record);
    } else this.#takeBroken(line);
  }

  /** @param now for the log of a lock that can be asked; null for a log of the past */
  finish(now: History["now"] = null): History {
    this.#cutter.finish();
    for (const holds of this.#openByAgent.values()) {
      for (const hold of holds) {
        const isLast = hold === this.#current;
        this.#table.finish(hold, isLast ? "open" : "unended", NaN, NaN);
      }
    }
    return summarise({
      filter: this.#filter,
      now,
      lines: this.#line,
      wholeLines: this.#wholeLines,
      table: this.#table,
      counts: this.#counts.events,
      removals: this.#filter.slug == null ? null : this.#counts.removals,
      otherEvents: this.#counts.others,
      incidents: this.#incidents.listed(),
      broken: this.#broken.listed(),
      gaveUpByAgent: this.#gaveUpByAgent,
      ...this.#times,
    });
  }

  #takeBroken(line: string): void {
    const read = readBrokenLine(line);
    this.#broken.add(() => ({
      line: this.#line,
      text: showForeign(line),
      readAs: read.map(({ slug, event }) => `${showForeign(slug)} ${event}`),
    }));
    for (const record of read) this.#take(record);
  }

  #take(record: LineRecord): void {
    const { atMs } = record;
    this.#times.watch(atMs, this.#line);
    // A removal is counted where it is known whose lock it was.
    const isRemoval = record.event === "stale_break" || record.event === "force_release";
    if (!isRemoval && !record.isCut && this.#wanted(record, null)) this.#counts.count(record.event);
    switch (record.event) {
      case "acquired":
        return this.#acquired(record);
      case "released":
        return this.#released(record);
      case "lost":
        return this.#lost(record);
      case "stale_break":
      case "force_release":
        return this.#removed(record, record.event);
      case "not_removed":
        return this.#notRemoved(record);
      case "gave_up":
        return this.#gaveUp(record);
      case "max_hold": {
        const hold = this.#openByAgent.get(this.#agent(record.slug))?.at(-1);
        // The command is being ended, but not all that it started need be seen.
        if (hold !== undefined) this.#table.cutShort[hold] = 1;
        return this.#note(record, {
          kind: "max_hold",
          heldMs: this.#table.sinceStartMs(hold, atMs),
        });
      }
    }
  }

  #acquired({ atMs, slug }: LogRecord): void {
    const agent = this.#agent(slug);
    const gapMs = this.#current === NONE ? Math.max(0, atMs - this.#freeSinceMs) : NaN;
    const hold = this.#table.begin(agent, atMs, this.#line, gapMs);
    const open = this.#openByAgent.get(agent);
    if (open) open.push(hold);
    else this.#openByAgent.set(agent, [hold]);
    this.#takenFrom.delete(agent);
    this.#current = hold;
  }

  /** Ends the youngest hold of that name: a later hold is over before the one around it. */
  #released(record: LogRecord): void {
    const agent = this.#agent(record.slug);
    const hold = this.#openByAgent.get(agent)?.at(-1);
    if (hold !== undefined) return this.#end(hold, "released", record.atMs);
    const taken = this.#workedOn(agent, record.atMs);
    this.#note(record, {
      kind: taken === undefined ? "stray_release" : "late_release",
      carriedOnMs: this.#table.sinceEndMs(taken, record.atMs),
    });
  }

  /** Ends the youngest hold of that name whose lock cannot be the one that stands. */
  #lost(record: LogRecord): void {
    const agent = this.#agent(record.slug);
    const open = this.#openByAgent.get(agent);
    const hold = open && open.length > 1 && open.at(-1) === this.#current
      ? open.at(-2)
      : open?.at(-1);
    const taken = hold === undefined ? this.#workedOn(agent, record.atMs) : undefined;
    this.#note(record, {
      kind: "lost",
      heldMs: this.#table.sinceStartMs(hold, record.atMs),
      carriedOnMs: this.#table.sinceEndMs(taken, record.atMs),
    });
    if (hold === undefined) return;
    this.#end(hold, "lost", record.atMs);
    // It is told while the command may run on.
    this.#table.cutShort[hold] = 1;
  }

  /** @return the hold that another took from this agent, which only now tells that it is over */
  #workedOn(agent: number, atMs: number): number | undefined {
    const taken = this.#takenFrom.get(agent);
    this.#takenFrom.delete(agent);
    if (taken !== undefined) this.#table.workedOn(taken, atMs, this.#line);
    return taken;
  }

  /** Somebody removed a lock that was not theirs: the named holder's, else the one that stood. */
  #removed(record: LogRecord, kind: RemovalKind): void {
    const holder = record.values.holder;
    const named = holder === undefined ? undefined : this.#agentBySlug.get(holder);
    const hold = (named === undefined ? undefined : this.#openByAgent.get(named)?.at(-1)) ??
      (this.#current === NONE ? undefined : this.#current);
    const holderSlug = hold === undefined ? holder ?? null : this.#slugs[this.#table.agent[hold]!]!;
    if (this.#wanted(record, holderSlug)) {
      this.#counts.countRemoval(kind, holderSlug === this.#filter.slug);
    }
    this.#note(record, {
      kind,
      holder: holderSlug,
      reason: record.values.reason ?? null,
      ageMs: parseDurationMs(record.values.age ?? ""),
      heldMs: this.#table.sinceStartMs(hold, record.atMs),
    });
    if (hold === undefined) return;
    this.#removalBy.set(this.#agent(record.slug), { hold, kind });
    this.#end(hold, kind, record.atMs);
    this.#table.cutShort[hold] = record.values.reason === "dead" ? 0 : 1;
    this.#takenFrom.set(this.#table.agent[hold]!, hold);
  }

  /** The removal that this agent told of last did not come about: its hold goes on. */
  #notRemoved(record: LogRecord): void {
    const agent = this.#agent(record.slug);
    const removal = this.#removalBy.get(agent);
    this.#removalBy.delete(agent);
    const holder = removal === undefined ? null : this.#table.agent[removal.hold]!;
    const holderSlug = holder === null ? record.values.holder ?? null : this.#slugs[holder]!;
    this.#note(record, {
      kind: "not_removed",
      holder: holderSlug,
      heldMs: this.#table.sinceStartMs(removal?.hold, record.atMs),
    });
    if (removal === undefined || holder === null) return;
    if (this.#wanted(record, holderSlug)) {
      this.#counts.countRemoval(removal.kind, holderSlug === this.#filter.slug, -1);
    }
    // Somebody acquired since, so it was gone all the same.
    if (this.#current !== NONE || this.#takenFrom.get(holder) !== removal.hold) return;
    this.#takenFrom.delete(holder);
    this.#table.reopen(removal.hold);
    this.#openByAgent.set(holder, [...this.#openByAgent.get(holder) ?? [], removal.hold]);
    this.#current = removal.hold;
  }

  #gaveUp(record: LogRecord): void {
    const agent = this.#agent(record.slug);
    if (this.#wanted(record, null)) {
      this.#gaveUpByAgent.set(agent, (this.#gaveUpByAgent.get(agent) ?? 0) + 1);
    }
    this.#note(record, {
      kind: "gave_up",
      reason: record.values.reason ?? null,
      waitedMs: parseDurationMs(record.values.waited ?? ""),
    });
  }

  #end(hold: number, how: HoldEnd, atMs: number): void {
    this.#table.finish(hold, how, atMs, this.#line);
    const agent = this.#table.agent[hold]!;
    const open = this.#openByAgent.get(agent)!;
    if (open.length === 1) this.#openByAgent.delete(agent);
    else open.splice(open.lastIndexOf(hold), 1);
    if (hold !== this.#current) return;
    this.#current = NONE;
    this.#freeSinceMs = atMs;
  }

  #note(record: LogRecord, about: Partial<Incident> & Pick<Incident, "kind">): void {
    if (!this.#wanted(record, about.holder ?? null)) return;
    this.#incidents.add({
      line: this.#line,
      atMs: record.atMs,
      slug: ownCopy(record.slug),
      ageMs: null,
      waitedMs: null,
      heldMs: null,
      carriedOnMs: null,
      ...about,
      holder: about.holder == null ? null : ownCopy(about.holder),
      reason: about.reason == null ? null : ownCopy(about.reason),
    });
  }

  #wanted({ atMs, slug }: LogRecord, holder: string | null): boolean {
    const { sinceMs, untilMs, slug: only } = this.#filter;
    return (sinceMs == null || atMs >= sinceMs) && (untilMs == null || atMs < untilMs) &&
      (only == null || slug === only || holder === only);
  }

  #agent(slug: string): number {
    const known = this.#agentBySlug.get(slug);
    if (known !== undefined) return known;
    const own = ownCopy(slug);
    if (own.length < slug.length) return this.#agent(own);
    this.#agentBySlug.set(own, this.#slugs.length);
    return this.#slugs.push(own) - 1;
  }
}

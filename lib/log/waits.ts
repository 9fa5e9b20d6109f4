/** How long waits and hand-offs took, from the journal. */

import type { HistoryFilter } from "./history_summary.ts";
import { type JournalEntry, parseJournalLine } from "./journal.ts";
import { LineCutter } from "./lines.ts";

/** One wait that ended with a hold; several calls that kept their place are one. */
export interface DoneWait {
  readonly slug: string;
  readonly fromMs: number;
  /** When it acquired. */
  readonly toMs: number;
  readonly calls: number;
}

export interface Waits {
  /** In the order in which they ended. */
  readonly done: readonly DoneWait[];
  /**
   * From the end of the work under one hold to the start of the work under the next, if that one was waiting then.
   * Milliseconds.
   */
  readonly handOffsMs: readonly number[];
  /** The latest note of each agent that gave one, by name. */
  readonly notes: readonly { readonly slug: string; readonly note: string }[];
  /** Lines that were read, and those of them that could be used. */
  readonly lines: number;
  readonly used: number;
}

/** Reads a journal piece by piece: feed it, then finish it once. It has some megabytes at most. */
export class WaitsReader {
  readonly #entries: JournalEntry[] = [];
  readonly #cutter = new LineCutter((line) => this.#take(line));
  #lines = 0;

  feed(text: string): void {
    this.#cutter.feed(text);
  }

  #take(line: string): void {
    if (line === "") return;
    this.#lines++;
    const entry = parseJournalLine(line);
    if (entry) this.#entries.push(entry);
  }

  finish({ sinceMs, untilMs, slug }: HistoryFilter = {}): Waits {
    this.#cutter.finish();
    const { done, handOffs } = follow(this.#entries);
    const isMeant = (wait: DoneWait) =>
      wait.toMs >= (sinceMs ?? -Infinity) && wait.toMs <= (untilMs ?? Infinity) &&
      (slug == null || wait.slug === slug);
    return {
      done: done.filter(isMeant),
      handOffsMs: handOffs.filter(({ wait }) => isMeant(wait)).map(({ ms }) => ms),
      notes: latestNotes(this.#entries).filter((one) => slug == null || one.slug === slug),
      lines: this.#lines,
      used: this.#entries.length,
    };
  }
}

function latestNotes(entries: readonly JournalEntry[]): { slug: string; note: string }[] {
  const notes = new Map<string, string>();
  for (const { slug, note } of entries) if (note !== undefined) notes.set(slug, note);
  return [...notes].map(([slug, note]) => ({ slug, note })).sort((a, b) =>
    a.slug < b.slug ? -1 : 1
  );
}

interface Began {
  readonly fromMs: number;
  readonly calls: number;
}

/** A release is stamped after its rmdir, when the next one may have acquired; the work had ended before. */
function orderMs({ atMs, endedMs = atMs }: JournalEntry): number {
  return Math.min(atMs, endedMs);
}

/** Lines are written when nobody waits for them: their times, and not their order, say what came first. */
function follow(entries: readonly JournalEntry[]) {
  const began = new Map<string, Began>();
  const done: DoneWait[] = [];
  const handOffs: { readonly wait: DoneWait; readonly ms: number }[] = [];
  let releasedMs = -Infinity;
  for (const entry of [...entries].sort((a, b) => orderMs(a) - orderMs(b))) {
    const { event, token, slug, atMs } = entry;
    if (event === "released" && orderMs(entry) >= releasedMs) {
      releasedMs = orderMs(entry);
    }
    if (event === "waiting") {
      const before = began.get(entry.after ?? "");
      began.set(token, {
        fromMs: before?.fromMs ?? atMs,
        calls: (before?.calls ?? 0) + 1,
      });
    }
    const wait = began.get(token);
    if (event !== "acquired" || !wait) continue;
    const one = { slug, fromMs: wait.fromMs, toMs: atMs, calls: wait.calls };
    done.push(one);
    if (releasedMs < wait.fromMs) continue;
    handOffs.push({ wait: one, ms: (entry.startedMs ?? atMs) - releasedMs });
  }
  return { done, handOffs };
}

export interface Spread {
  readonly count: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly longestMs: number;
}

/** @return null of nothing */
export function spreadOf(times: readonly number[]): Spread | null {
  if (times.length === 0) return null;
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
  return { count: sorted.length, medianMs: at(0.5), p95Ms: at(0.95), longestMs: sorted.at(-1)! };
}

/** What each agent has waited, those that waited longest in all first. */
export function byAgent(
  done: readonly DoneWait[],
): (Spread & { readonly slug: string; readonly totalMs: number })[] {
  const times = new Map<string, number[]>();
  for (const { slug, fromMs, toMs } of done) {
    const own = times.get(slug);
    if (own) own.push(toMs - fromMs);
    else times.set(slug, [toMs - fromMs]);
  }
  return [...times].map(([slug, own]) => ({
    slug,
    ...spreadOf(own)!,
    totalMs: own.reduce((sum, one) => sum + one, 0),
  })).sort((a, b) => b.totalMs - a.totalMs);
}

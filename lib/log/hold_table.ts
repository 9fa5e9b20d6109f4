/**
 * Holds as columns of numbers: half a million of them are twenty megabytes, where objects would be two
 * hundred.
 */

/**
 * How a hold came to its end. `unended`: no line says so, but somebody else acquired after it, so its lock
 * had been removed. `open`: no line says so, and nobody came after.
 */
export type HoldEnd =
  | "open"
  | "unended"
  | "released"
  | "stale_break"
  | "lost"
  | "force_release";

/** In the order of their numbers in the column. */
export const HOLD_ENDS: readonly HoldEnd[] = [
  "open",
  "unended",
  "released",
  "stale_break",
  "lost",
  "force_release",
];

/** The numbers of the two that no line tells of. */
export const OPEN = HOLD_ENDS.indexOf("open");
export const UNENDED = HOLD_ENDS.indexOf("unended");

/** One possession of the lock, as far as the log tells. */
export interface Hold {
  readonly slug: string;
  /** Of a lock with slots, where that is known. */
  readonly slot?: string;
  readonly startMs: number;
  /** null where no line tells of an end. */
  readonly endMs: number | null;
  readonly end: HoldEnd;
  /** Lines are counted from 1. */
  readonly startLine: number;
  readonly endLine: number | null;
  /** How long the lock was free before; null if nobody held it before, or somebody still did. */
  readonly gapMs: number | null;
  /** Somebody else ended it, and its holder told only then that it was over: until then it had worked on. */
  readonly workedOnTo: { readonly ms: number; readonly line: number } | null;
}

const FIRST_CAPACITY = 1024;

export class HoldTable {
  /** Number to slug, shared between a table and what is selected from it. */
  readonly slugs: readonly string[];
  agent = new Int32Array(FIRST_CAPACITY);
  startMs = new Float64Array(FIRST_CAPACITY);
  /** NaN where no line tells of an end. */
  endMs = new Float64Array(FIRST_CAPACITY);
  /** NaN where there is none. */
  gapMs = new Float64Array(FIRST_CAPACITY);
  startLine = new Float64Array(FIRST_CAPACITY);
  endLine = new Float64Array(FIRST_CAPACITY);
  end = new Uint8Array(FIRST_CAPACITY);
  /**
   * 1 where a line ends the hold, and nothing says whether its holder has stopped: it may have been removed from
   * under one that went on.
   */
  cutShort = new Uint8Array(FIRST_CAPACITY);
  /** Few holds have one. */
  readonly #workedOnTo = new Map<number, { readonly ms: number; readonly line: number }>();
  #count = 0;

  constructor(slugs: readonly string[]) {
    this.slugs = slugs;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a hold that has not ended. @return its index */
  begin(agent: number, startMs: number, startLine: number, gapMs: number): number {
    const index = this.#count++;
    if (index === this.agent.length) this.#grow();
    this.agent[index] = agent;
    this.startMs[index] = startMs;
    this.startLine[index] = startLine;
    this.gapMs[index] = gapMs;
    this.endMs[index] = NaN;
    this.endLine[index] = NaN;
    return index;
  }

  finish(index: number, end: HoldEnd, endMs: number, endLine: number): void {
    this.end[index] = HOLD_ENDS.indexOf(end);
    this.endMs[index] = endMs;
    this.endLine[index] = endLine;
  }

  /** It had not ended after all. */
  reopen(index: number): void {
    this.finish(index, "open", NaN, NaN);
    this.cutShort[index] = 0;
  }

  /** Its holder tells that it is over, after somebody else had ended it. */
  workedOn(index: number, ms: number, line: number): void {
    this.#workedOnTo.set(index, { ms, line });
    this.cutShort[index] = 0;
  }

  workedOnTo(index: number): Hold["workedOnTo"] {
    return this.#workedOnTo.get(index) ?? null;
  }

  at(index: number): Hold {
    const orNull = (value: number) => Number.isNaN(value) ? null : value;
    return {
      slug: this.slugs[this.agent[index]!]!,
      startMs: this.startMs[index]!,
      endMs: orNull(this.endMs[index]!),
      end: HOLD_ENDS[this.end[index]!]!,
      startLine: this.startLine[index]!,
      endLine: orNull(this.endLine[index]!),
      gapMs: orNull(this.gapMs[index]!),
      workedOnTo: this.workedOnTo(index),
    };
  }

  /** Seconds of a machine whose clock is behind are not negative time. 0 where no line tells of an end. */
  lastedMs(index: number): number {
    return Math.max(0, this.endMs[index]! - this.startMs[index]!) || 0;
  }

  /** From the beginning of a hold to a time, null where it is not known which. */
  sinceStartMs(index: number | undefined, atMs: number): number | null {
    return index === undefined ? null : Math.max(0, atMs - this.startMs[index]!);
  }

  /** The same from its end. */
  sinceEndMs(index: number | undefined, atMs: number): number | null {
    return index === undefined ? null : Math.max(0, atMs - this.endMs[index]!);
  }

  /** Those that `keep` wants, in the same order. */
  select(keep: (index: number) => boolean): HoldTable {
    const selected = new HoldTable(this.slugs);
    for (let i = 0; i < this.#count; i++) {
      if (keep(i)) selected.copy(this, i, this.agent[i]!);
    }
    return selected;
  }

  /**
   * Adds a hold of another table, under an agent of this one.
   * @return its index here
   */
  copy(from: HoldTable, i: number, agent: number): number {
    const index = this.begin(agent, from.startMs[i]!, from.startLine[i]!, from.gapMs[i]!);
    this.end[index] = from.end[i]!;
    this.endMs[index] = from.endMs[i]!;
    this.endLine[index] = from.endLine[i]!;
    this.cutShort[index] = from.cutShort[i]!;
    const workedOnTo = from.workedOnTo(i);
    if (workedOnTo) this.#workedOnTo.set(index, workedOnTo);
    return index;
  }

  #grow(): void {
    const capacity = this.agent.length * 2;
    const grown = <T extends Float64Array | Int32Array | Uint8Array>(larger: T, column: T): T => {
      larger.set(column);
      return larger;
    };
    this.agent = grown(new Int32Array(capacity), this.agent);
    this.startMs = grown(new Float64Array(capacity), this.startMs);
    this.endMs = grown(new Float64Array(capacity), this.endMs);
    this.gapMs = grown(new Float64Array(capacity), this.gapMs);
    this.startLine = grown(new Float64Array(capacity), this.startLine);
    this.endLine = grown(new Float64Array(capacity), this.endLine);
    this.end = grown(new Uint8Array(capacity), this.end);
    this.cutShort = grown(new Uint8Array(capacity), this.cutShort);
  }
}

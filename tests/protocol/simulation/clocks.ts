/**
 * The clocks of the simulated world: two on each machine, and the file system's own, which a local disk shares
 * with its machine.
 *
 * Guarantee: true time goes on whatever these clocks say; who sets one moves that one alone, at once.
 * Non-guarantee: no clock drifts, and none is corrected by a server unless a scenario asks for it.
 * Assumption: nobody on a machine that stands still asks for its clocks: they tell of its waking from the start.
 */

/** The world's clocks at the start: a round moment, so that coarse clocks start on a tick. */
export const FILE_EPOCH_MS = 1_750_000_000_000;

/**
 * How a whole machine stands still. `sleep`: its monotonic clock stands too, the wall clock goes on. `stop`: both
 * go on. `pause`: both stand, as in a virtual machine that nobody corrects after it.
 */
export type StandKind = "sleep" | "stop" | "pause";

/** What a clock showed at one moment. */
export interface Reading {
  readonly trueMs: number;
  /** How often it had been set before. */
  readonly setting: number;
}

/** A clock that people and programs set. */
export class WallClock {
  /** What it is ahead of true time, since when; the latest last. */
  readonly #ahead: { readonly sinceMs: number; readonly byMs: number }[] = [];
  /** When it was set last; null: never. */
  setAtMs: number | null = null;

  constructor(readonly name: string, aheadMs = 0) {
    this.#ahead.push({ sinceMs: -Infinity, byMs: aheadMs });
  }

  nowMs(trueMs: number): number {
    return FILE_EPOCH_MS + trueMs + this.aheadMs;
  }

  /** How far it is ahead of true time. */
  get aheadMs(): number {
    return this.#ahead.at(-1)!.byMs;
  }

  /** How far it was ahead of true time at the most, from that reading on. */
  mostAheadMs({ setting }: Reading): number {
    return Math.max(...this.#ahead.slice(setting).map(({ byMs }) => byMs));
  }

  set(byMs: number, trueMs: number): void {
    this.setAtMs = trueMs;
    this.shift(byMs, trueMs);
  }

  shift(byMs: number, trueMs: number): void {
    this.#ahead.push({ sinceMs: trueMs, byMs: this.aheadMs + byMs });
  }

  /**
   * The latest reading that may have shown this.
   * @param shownMs as cut to the granularity of the file system
   * @return null if it never showed it
   */
  readingOf(shownMs: number, granularityMs: number, nowMs: number): Reading | null {
    let untilMs = nowMs;
    for (let setting = this.#ahead.length - 1; setting >= 0; setting--) {
      const { sinceMs, byMs } = this.#ahead[setting]!;
      const fromMs = shownMs - FILE_EPOCH_MS - byMs;
      if (fromMs <= untilMs && fromMs + granularityMs > sinceMs) {
        return { trueMs: Math.max(fromMs, sinceMs), setting };
      }
      untilMs = sinceMs;
    }
    return null;
  }

  latest(trueMs: number): Reading {
    return { trueMs, setting: this.#ahead.length - 1 };
  }

  describe(): string {
    return `${this.aheadMs}`;
  }
}

/** The clocks of one machine, which all its containers and mounts share. */
export class HostClocks {
  readonly wall: WallClock;
  /** Nothing on it moves before this moment. */
  standsUntilMs = 0;
  #monotonicAheadMs: number;

  constructor(readonly host: string, monotonicAheadMs: number, wallAheadMs: number) {
    this.#monotonicAheadMs = monotonicAheadMs;
    this.wall = new WallClock(`the wall clock of ${host}`, wallAheadMs);
  }

  monotonicMs(trueMs: number): number {
    return trueMs + this.#monotonicAheadMs;
  }

  stand(kind: StandKind, forMs: number, trueMs: number): void {
    this.standsUntilMs = trueMs + forMs;
    if (kind !== "stop") this.#monotonicAheadMs -= forMs;
    if (kind === "pause") this.wall.shift(-forMs, trueMs);
  }

  describe(trueMs: number): string {
    const stands = this.standsUntilMs > trueMs ? this.standsUntilMs : "";
    return `${this.#monotonicAheadMs},${this.wall.describe()},${stands}`;
  }
}

/**
 * How long the others wait for a dead holder: from the moment when its process and its command are dead until
 * somebody has acquired the lock.
 *
 * Time in which the one that must act was itself frozen by the storm is not counted: whoever breaks the lock,
 * has the right to remove it, or acquires it next, and lives. Nor is time in which a busy machine did not even
 * run the storm itself.
 */

import type { LogRecord } from "../../lib/log/lines.ts";

export interface DeadWait {
  readonly slug: string;
  /** Without the time in which those who had to act were frozen. */
  readonly ms: number;
  /**
   * How many locks without a record were broken meanwhile: of processes that were killed or frozen between
   * making the lock and writing down that they hold it. Age alone breaks such a lock.
   */
  readonly brokenByAge: number;
}

interface Freeze {
  readonly slug: string;
  readonly fromMs: number;
  toMs: number;
  readonly inTheWay: boolean;
}

interface Death {
  readonly slug: string;
  readonly atMs: number;
  readonly breakers: Set<string>;
  brokenByAge: number;
}

export class DeadWaits {
  readonly ended: DeadWait[] = [];
  readonly #onEnd: (wait: DeadWait) => void;
  readonly #freezes: Freeze[] = [];
  #deaths: Death[] = [];

  constructor(onEnd: (wait: DeadWait) => void) {
    this.#onEnd = onEnd;
  }

  /** To be called once process and command are dead. */
  holderDied(slug: string): void {
    // A dead one was waited for until this one held.
    this.#endAll(slug);
    this.#deaths.push({ slug, atMs: performance.now(), breakers: new Set(), brokenByAge: 0 });
  }

  /** @param inTheWay it has the lock, or the right to remove it */
  froze(slug: string, inTheWay: boolean): void {
    this.#freezes.push({ slug, fromMs: performance.now(), toMs: Infinity, inTheWay });
  }

  /** It goes on, or is dead: nobody is frozen longer than until then. */
  isFrozenNoMore(slug: string): void {
    for (const freeze of this.#freezes) {
      if (freeze.slug === slug && freeze.toMs === Infinity) freeze.toMs = performance.now();
    }
  }

  /** The storm itself was not run since then. */
  everybodyStood(fromMs: number): void {
    this.#freezes.push({ slug: "", fromMs, toMs: performance.now(), inTheWay: true });
  }

  onLine(record: LogRecord): void {
    if (record.event === "acquired") this.#endAll(record.slug);
    if (record.event !== "stale_break") return;
    for (const death of this.#deaths) {
      death.breakers.add(record.slug);
      if (record.values.reason === "expired") death.brokenByAge++;
    }
  }

  #endAll(next: string): void {
    const nowMs = performance.now();
    for (const death of this.#deaths) {
      const acting = new Set([...death.breakers, next]);
      const frozen = this.#freezes.filter((one) => one.inTheWay || acting.has(one.slug));
      const ms = nowMs - death.atMs - unionMs(frozen, death.atMs, nowMs);
      const wait = { slug: death.slug, ms, brokenByAge: death.brokenByAge };
      this.ended.push(wait);
      this.#onEnd(wait);
    }
    this.#deaths = [];
  }
}

/** How much of a time is covered by any of these. */
function unionMs(spans: readonly Freeze[], fromMs: number, toMs: number): number {
  const clipped = spans
    .map((span) => [Math.max(span.fromMs, fromMs), Math.min(span.toMs, toMs)] as const)
    .filter(([from, to]) => from < to)
    .sort(([a], [b]) => a - b);
  let total = 0;
  let coveredToMs = fromMs;
  for (const [from, to] of clipped) {
    total += Math.max(0, to - Math.max(from, coveredToMs));
    coveredToMs = Math.max(coveredToMs, to);
  }
  return total;
}

/** What the measurements come to. Pure: numbers in, numbers out. */

/** One command under a lock: when it began and ended, in milliseconds of one clock. */
export interface Stamp {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The value that a share of the numbers does not exceed, between two numbers in proportion.
 *
 * @param numbers at least one, in any order
 * @param share from 0 to 1
 * @return a number between the smallest and the largest
 */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) {
    throw new RangeError("Cannot take a quantile of no numbers");
  }
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * The middle one.
 *
 * @param numbers at least one, in any order
 * @return the median
 */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/**
 * The value that one in twenty exceeds.
 *
 * @param numbers at least one, in any order
 * @return the 95th percentile
 */
export function p95(numbers: readonly number[]): number {
  return quantile(numbers, 0.95);
}

/**
 * From the end of each command to the start of the next.
 *
 * @param stamps of one lock, in any order
 * @return milliseconds, one fewer than there are commands, in the order of the commands
 * @throws RangeError if two commands ran at once: then there was no lock
 */
export function handOffsMs(stamps: readonly Stamp[]): number[] {
  const ordered = [...stamps].sort((a, b) => a.startMs - b.startMs);
  return ordered.slice(1).map(({ startMs }, before) => {
    const handOffMs = startMs - ordered[before]!.endMs;
    if (handOffMs < 0) throw new RangeError("Two commands ran under the lock at once");
    return handOffMs;
  });
}

/**
 * For how much of the time from the first start to the last end a command was running.
 *
 * @param stamps of one lock, at least one, in any order
 * @return from 0 to 1
 */
export function shareInUse(stamps: readonly Stamp[]): number {
  const heldMs = stamps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const firstMs = Math.min(...stamps.map(({ startMs }) => startMs));
  const lastMs = Math.max(...stamps.map(({ endMs }) => endMs));
  return heldMs / (lastMs - firstMs);
}

/**
 * Reads what the commands wrote.
 *
 * @param text lines of two numbers of seconds: start and end
 * @return a stamp a line
 * @throws SyntaxError if a line is anything else
 */
export function parseStamps(text: string): Stamp[] {
  return text.split("\n").filter((line) => line !== "").map((line) => {
    const [start, end] = line.split(" ").map(Number);
    if (!(start! > 0 && end! >= start!)) throw new SyntaxError(`Not a time stamp: "${line}"`);
    return { startMs: start! * 1000, endMs: end! * 1000 };
  });
}

/**
 * The order in which the candidates of each round run: each round begins with the next one, so that
 * nobody always comes first or always after the same one.
 *
 * @param candidates what is compared
 * @param rounds how often each runs
 * @return one order a round
 */
export function interleaved<T>(candidates: readonly T[], rounds: number): T[][] {
  return Array.from(
    { length: rounds },
    (_, round) => candidates.map((_, place) => candidates[(place + round) % candidates.length]!),
  );
}

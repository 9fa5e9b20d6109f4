/**
 * Numbers that are the same in every run: seeded random ones, and hashes of states.
 *
 * Guarantee: equal seeds and words give equal numbers on every machine and run-time.
 * Non-guarantee: neither is fit for secrets. Of a million states, two share a hash once in 10,000 runs.
 */

/** A hash of 53 bits. */
export function hash(text: string, seed = 0): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

/** Fractions from 0 (included) to 1 (not included). */
export function generator(seed: number, word = ""): () => number {
  let state = hash(word, seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** From least to most, each order of magnitude as likely as any other. */
export function spread(fraction: number, least: number, most: number): number {
  return Math.round(least * (most / least) ** fraction);
}

/** What a waiter's looks so far say: whether it may try, and how soon to look again. */

import type { Grant } from "../grant.ts";
import type { Site } from "../site.ts";
import { KEEP_EVERY_MS } from "../verdict/sightings.ts";
import type { Turn } from "./order.ts";
import type { Judged } from "../verdict/look_and_judge.ts";
import type { WaitObserver } from "../../lock/service.ts";
import type { WakeUps } from "./wake_ups.ts";

/** What one look led to. */
export type Look =
  | { readonly kind: "granted"; readonly grant: Grant }
  | { readonly kind: "free" }
  /** It stood in the way of our mkdir and was gone when we looked: try again at once. */
  | { readonly kind: "vanished" }
  /** Never empty. */
  | { readonly kind: "standing"; readonly found: readonly Found[] };

/** A lock, or a slot of it, that stands. */
export interface Found {
  readonly site: Site;
  readonly judged: Judged;
}

/**
 * A waiter that finds the lock free (or stale) on two looks this far apart may try whatever its place: those
 * ahead are frozen. Far longer than a hand-off takes, short enough for a person.
 */
const BYPASS_AFTER_MS = 1000;

/** Tickets are freshened between two looks, so no two are further apart. */
const LONGEST_LOOK_GAP_MS = 20_000;

/**
 * The second in line looks at least this often, to see that the first one is frozen; who is further back,
 * as many times less often, to see that all before it are.
 */
const FROZEN_POLL_MS = 2000;

/** The command outlives its killed wrapper: nothing wakes us when it ends, and it may end at any time. */
const ORPHAN_POLL_MS = 1000;

export interface Pace {
  /** The longest time between two looks, `--poll`. */
  readonly pollMs: number;
  /** What is ahead is certain to wake us when it is let go. */
  readonly willBeWoken: boolean;
  /** Random, from 0 to 1. */
  readonly fraction: number;
  /** The monotonic clock at the latest look. */
  readonly nowMs: number;
}

export class Progress {
  #looks = 0;
  #seen = "";
  #place = 1;
  #isOrphan = false;
  #isWatching = false;
  /** How soon after the latest look time alone may make the lock stale. */
  #turnsInMs = Infinity;
  /** Since when the lock has been free or stale at every look; null while it is held. */
  #availableSinceMs: number | null = null;

  /** First in line, or those ahead have let the lock stand free for too long. */
  mayTry({ place }: Pick<Turn, "place">, nowMs: number): boolean {
    return place === 1 || this.#availableForMs(nowMs) >= BYPASS_AFTER_MS;
  }

  /** A removal takes milliseconds: what has been stale at every look for so long, somebody is in the way of. */
  isHeldUp(look: Look, nowMs: number): boolean {
    return isStale(look) && this.#availableForMs(nowMs) >= BYPASS_AFTER_MS;
  }

  /** The lock has to be seen to stand still: what was seen is kept for the call after this one. */
  isWatching(): boolean {
    return this.#isWatching;
  }

  #availableForMs(nowMs: number): number {
    return this.#availableSinceMs === null ? -1 : nowMs - this.#availableSinceMs;
  }

  /** @param hasSlots the lock has slots, of which a look may show one */
  note(look: Look, { place }: Turn, nowMs: number, hasSlots = false): void {
    const available = look.kind === "free" || isStale(look);
    this.#availableSinceMs = available ? this.#availableSinceMs ?? nowMs : null;
    this.#isOrphan = isOrphan(look);
    this.#isWatching = this.mayTry({ place }, nowMs) && isWatching(look);
    this.#turnsInMs = turnsInMs(look);
    this.#place = place;
    // Of several slots those further back see one after the other: that is no change.
    const isOneOfSlots = look.kind === "standing" && place > 1 && hasSlots;
    const seen = isOneOfSlots ? `${place}` : `${place} ${holdsSeen(look)}`;
    this.#looks = seen === this.#seen ? this.#looks + 1 : 0;
    this.#seen = seen;
  }

  /** Milliseconds until the next look, if nothing wakes us earlier. */
  nextLookMs({ pollMs, willBeWoken, fraction, nowMs }: Pace): number {
    const sleepsSoundly = willBeWoken && this.#place > 2;
    const grown = pollAfterMs(this.#looks, pollMs, this.#place, fraction);
    return Math.min(sleepsSoundly ? LONGEST_LOOK_GAP_MS : grown, this.#longestGapMs(nowMs));
  }

  #longestGapMs(nowMs: number): number {
    if (this.#isOrphan) return ORPHAN_POLL_MS;
    const availableMs = this.#availableForMs(nowMs);
    if (this.#place > 1 && availableMs >= 0 && availableMs < BYPASS_AFTER_MS) {
      return Math.max(BYPASS_AFTER_MS - availableMs, 1);
    }
    if (this.#place === 1) {
      const longestMs = this.#isWatching ? KEEP_EVERY_MS : LONGEST_LOOK_GAP_MS;
      return Math.min(this.#turnsInMs + 1, longestMs);
    }
    return Math.min(FROZEN_POLL_MS * (this.#place - 1), LONGEST_LOOK_GAP_MS);
  }
}

/** Tells one hold from the next: a beat moves the mtime but not the token. */
function holdsSeen(look: Look): string {
  return look.kind === "standing" ? look.found.map(holdSeen).sort().join(" ") : look.kind;
}

function holdSeen({ judged }: Found): string {
  const hold = judged.record?.token ?? `mtime ${judged.look.mtimeMs}`;
  return isOrphaned(judged) ? `${hold} orphan` : hold;
}

function isStale(look: Look): boolean {
  return someStand(look, ({ verdict }) => verdict.verdict === "stale");
}

function isOrphan(look: Look): boolean {
  return someStand(look, isOrphaned);
}

function isOrphaned({ verdict }: Judged): boolean {
  return verdict.verdict === "held" && verdict.orphan;
}

/** Time that was watched is all that is missing: for the lock, or for a taker that is in the way of its removal. */
function isWatching(look: Look): boolean {
  return someStand(
    look,
    ({ verdict }) => verdict.verdict === "stale" || (verdict.isWatched ?? false),
  );
}

function someStand(look: Look, is: (judged: Judged) => boolean): boolean {
  return look.kind === "standing" && look.found.some(({ judged }) => is(judged));
}

/** How soon the first of them may become stale. */
function turnsInMs(look: Look): number {
  if (look.kind !== "standing") return Infinity;
  return Math.min(...look.found.map(({ judged: { verdict } }) => {
    return verdict.verdict === "held" ? verdict.turnsInMs ?? Infinity : Infinity;
  }));
}

// How long to wait between two looks, when nothing wakes us earlier. It starts short and grows by half, so
// that a hand-off costs at most about half the length of the hold, whatever `--poll` is.

/** The first look comes this soon after the lock changed hands: below what a person notices. */
export const FIRST_POLL_MS = 50;
const GROWTH = 1.5;
/** Waiters that started together drift apart. */
const JITTER = 0.1;

/**
 * @param looks how many looks there were since the lock last changed hands
 * @param pollMs the longest wait, `--poll`
 * @param place in line, 1 = first. Those further back start later: they are not served next, and a hundred
 *   of them must not keep a core busy
 * @param fraction random, from 0 to 1
 * @return milliseconds
 */
export function pollAfterMs(
  looks: number,
  pollMs: number,
  place: number,
  fraction: number,
): number {
  const grown = FIRST_POLL_MS * place * GROWTH ** Math.min(looks, 100);
  return Math.min(grown, pollMs) * (1 + JITTER * (2 * fraction - 1));
}

// Getting ready for the hold, once, while there is nothing to do but wait.

/** Whose turn is as near as this gets ready at once. */
const NEARLY_THERE = 2;

/**
 * Those further back get ready one after the other: woken by the end of the hold ahead, they learn of their
 * turn only when it has come. A crowd that comes at once would keep all cores busy for a second otherwise.
 */
const READY_EVERY_MS = 50;

/**
 * A waiter that is further back than this has time, and looks often enough on its way. A program that has been through a
 * hold needs four times as long for each look while it waits: a hundred of them would be felt.
 */
const READY_PLACES = 12;

export class Readiness {
  readonly #observer: WaitObserver;
  #sinceMs: number | null = null;
  #isReady: boolean;

  constructor(observer: WaitObserver) {
    this.#observer = observer;
    this.#isReady = !observer.getReady;
  }

  /**
   * To be asked at each look, from the first on.
   * @return milliseconds until it is time to get ready; 0 or less: now
   */
  dueInMs(place: number, nowMs: number): number {
    this.#sinceMs ??= nowMs;
    if (this.#isReady || place > READY_PLACES) return Infinity;
    return this.#sinceMs + READY_EVERY_MS * (place - NEARLY_THERE) - nowMs;
  }

  /** @param token of the wait */
  async getReady(token: string, wakeUps: Pick<WakeUps, "rehearse">): Promise<void> {
    this.#isReady = true;
    await this.#observer.getReady?.(token);
    await wakeUps.rehearse();
  }
}

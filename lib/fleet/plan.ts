/**
 * What a fleet of agents that all want one lock can expect. A model, not a measurement.
 *
 * The agents arrive evenly over `staggerMs`. In the worst case some longer work has the lock until the last has
 * arrived: so all of them wait in line. That is what a fleet must be made for, and how two ways of serving
 * it compare. At best the lock is free when the first one comes. They are served one by one, each after a
 * hand-off where it waited; of a lock with slots as many as it has, side by side. An agent that is not served within `timeoutMs` gives up, and costs no time.
 */

/**
 * From the end of one command to the start of the next in this program, as `bench/RESULTS.md` has it: the lock
 * is given back, a waiter is woken, makes the folder, writes its record and its line, and starts its command.
 */
const HAND_OFF_MS = 10;

export interface Fleet {
  readonly agents: number;
  readonly holdMs: number;
  /** How often a plain poller looks. */
  readonly pollMs: number;
  /** null: nobody ever gives up. */
  readonly timeoutMs: number | null;
  readonly staggerMs: number;
  /** How many hold at once. */
  readonly slots: number;
}

export interface Expectation {
  readonly handOffMs: number;
  /** From the first arrival to the end of the last hold, or until the last one gave up. */
  readonly wallMs: number;
  /** Of the wall time, from 0 to 1. */
  readonly use: number;
  /** Of those who are served. */
  readonly longestWaitMs: number;
  readonly gaveUp: number;
  /** null: none is too long. Zero: even holds of no time at all are too long for somebody. */
  readonly longestHoldMs: number | null;
}

export interface Plan {
  readonly fleet: Fleet;
  /** In the worst case. */
  readonly ours: Expectation;
  /** In the worst case. */
  readonly poller: Expectation;
  /** This program, if the lock is free when the first agent comes. */
  readonly oursAtBest: Pick<Expectation, "wallMs" | "use" | "longestWaitMs" | "gaveUp">;
}

export function planFleet(fleet: Fleet): Plan {
  const { staggerMs } = fleet;
  const { wallMs, use, longestWaitMs, gaveUp } = expect(fleet, HAND_OFF_MS, 0);
  return {
    fleet,
    ours: expect(fleet, HAND_OFF_MS, staggerMs),
    poller: expect(fleet, pollerHandOffMs(fleet.pollMs), staggerMs),
    oursAtBest: { wallMs, use, longestWaitMs, gaveUp },
  };
}

/**
 * A plain poller finds a free lock at its next look: at once at best, a whole poll later at worst. Half of it
 * is the mean where all look in step, as agents that were started together do.
 */
function pollerHandOffMs(pollMs: number): number {
  return pollMs / 2;
}

/** @param freeFromMs when the lock is free for the first of them */
function expect(fleet: Fleet, handOffMs: number, freeFromMs: number): Expectation {
  const { agents, holdMs, staggerMs } = fleet;
  const timeoutMs = fleet.timeoutMs ?? Infinity;
  const { slots } = fleet;
  /** When each slot is free next, as a ring: they come free in the order in which they were taken. */
  const freeMs = new Array<number>(slots).fill(freeFromMs);
  let endMs = 0;
  let served = 0;
  let longestWaitMs = 0;
  for (let agent = 0; agent < agents; agent++) {
    const arrivalMs = agents === 1 ? staggerMs : staggerMs * agent / (agents - 1);
    const slot = served % slots;
    const startMs = Math.max(arrivalMs, freeMs[slot]! + (served < slots ? 0 : handOffMs));
    if (startMs - arrivalMs > timeoutMs) {
      endMs = Math.max(endMs, arrivalMs + timeoutMs);
      continue;
    }
    served++;
    longestWaitMs = Math.max(longestWaitMs, startMs - arrivalMs);
    freeMs[slot] = startMs + holdMs;
    endMs = Math.max(endMs, freeMs[slot]!);
  }
  return {
    handOffMs,
    wallMs: endMs,
    use: endMs > 0 ? served * holdMs / endMs / slots : 0,
    longestWaitMs,
    gaveUp: agents - served,
    longestHoldMs: longestHoldMs(fleet, handOffMs),
  };
}

/** The last of the line arrives last, as the line begins to move, and waits for all before it. */
function longestHoldMs(
  { agents, timeoutMs, staggerMs, slots }: Fleet,
  handOffMs: number,
): number | null {
  if (timeoutMs === null) return null;
  // The first of the line waits until the last has arrived, whatever the hold is.
  if (staggerMs > timeoutMs) return 0;
  const before = Math.ceil(agents / slots) - 1;
  return before === 0 ? null : Math.max(0, timeoutMs / before - handOffMs);
}

/**
 * Waits until the code under test has done all it can do without another answer from the system.
 *
 * Guarantee: when it returns, every promise reaction that was ready, and all that those made ready, have
 * run, however many layers of async functions they went through: the event loop takes up the next
 * immediate only after the microtask queue is empty. About a microsecond.
 * Non-guarantee: code that spins on promises for ever never gets here.
 * Assumption: the code under test waits for nothing but the simulated system: no timers of its own, no
 * real files, no worker, no hashing in another thread.
 */

import { setImmediate } from "node:timers";
import { loadLine } from "../../../lib/folder/line/load_line.ts";

// Loading code is no answer of the simulated system.
await loadLine();

export function quiescence(): Promise<void> {
  return new Promise(afterAllReactions);
}

function afterAllReactions(resolve: () => void): void {
  setImmediate(resolve);
}

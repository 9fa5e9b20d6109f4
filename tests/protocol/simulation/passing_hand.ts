/**
 * Somebody who touches the lock now and then: a person, a backup, a clean-up job.
 *
 * Guarantee: it neither makes nor removes anything.
 * Non-guarantee: it never sets the time back. A lock whose holder has just made it has nothing but its age to
 * speak for it.
 */

import { faultCode } from "../../../lib/sys/faults.ts";
import type { Script } from "./sim_process.ts";

export interface PassingHand {
  /** The lock folder itself. */
  readonly lock: string;
  readonly touches: number;
  /** At most so long between two touches. */
  readonly gapMs: number;
}

export function passingHand({ lock, touches, gapMs }: PassingHand): Script {
  return async (sys) => {
    for (let touched = 0; touched < touches; touched++) {
      await sys.clock.sleep(gapMs * await sys.random.fraction());
      await sys.files.setMtime(lock, await sys.clock.wallMs()).catch((fault) => {
        if (faultCode(fault) !== "ENOENT") throw fault;
      });
    }
  };
}

/**
 * A peer that knows only the public protocol: a two-line shell script.
 *
 * Guarantee: it enters only after its own mkdir succeeded and gives back only what it made.
 * Non-guarantee: it never beats, keeps no record, waits in no line and breaks nothing.
 * Assumption: nobody removes its lock while it works; if somebody does, its rmdir may take another's.
 */

import { faultCode } from "../../../lib/sys/faults.ts";
import type { Script } from "./sim_process.ts";

export interface ForeignPeer {
  /** The lock folder itself. */
  readonly lock: string;
  /** How often it takes the lock. Default: 1. */
  readonly holds?: number;
  /** When it starts. Default: at once. */
  readonly startsMs?: number;
  /** How long it sleeps between two tries. Default: 1,000. */
  readonly pollMs?: number;
  /** How long it works. Default: one step. */
  readonly worksMs?: number;
}

export function foreignPeer(peer: ForeignPeer): Script {
  return async (sys, me) => {
    if (peer.startsMs) await sys.clock.sleep(peer.startsMs);
    for (let held = 0; held < (peer.holds ?? 1); held++) {
      for (;;) {
        const code = await codeOf(sys.files.makeFolder(peer.lock));
        if (code === null) break;
        if (code !== "EEXIST") throw new Error(`mkdir: ${code}`);
        await sys.clock.sleep(peer.pollMs ?? 1000);
      }
      me.enter("foreign");
      if (peer.worksMs) await sys.clock.sleep(peer.worksMs);
      else await me.pause("work");
      me.leave();
      await codeOf(sys.files.removeFolder(peer.lock));
    }
  };
}

async function codeOf(operation: Promise<void>): Promise<string | null> {
  try {
    await operation;
    return null;
  } catch (thrown) {
    const code = faultCode(thrown);
    if (code === null) throw thrown;
    return code;
  }
}

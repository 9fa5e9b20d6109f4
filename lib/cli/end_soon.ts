/** After a signal: a moment to leave the line, finish a claim or give a lock back, and then the end. */

import type { Host, SignalName } from "../sys/sys.ts";
import { endedInTheMiddle, line } from "./messages.ts";

/** Far longer than it takes; but a file call on a frozen share never comes back. */
const WITHIN_MS = 2000;

/** Ends the program by this signal, unless it has ended by itself until then. */
export async function endSoon(host: Host, lockPath: string, signal: SignalName): Promise<void> {
  await host.clock.sleep(WITHIN_MS);
  await host.terminal.err(line(endedInTheMiddle(lockPath, signal)));
  await host.commands.endBy(signal);
}

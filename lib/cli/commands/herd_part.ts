/**
 * What each agent of a herd does while it holds the lock: nothing, for a while. A command of ours, hidden
 * from help, because `sleep` is not there on every system and takes no fractions on some.
 */

import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import type { Host } from "../../sys/sys.ts";

export const HERD_PART = "herd-part";

/** @param args how long, in milliseconds */
export async function herdPart(args: readonly string[], host: Host): Promise<number> {
  const [ms = ""] = args;
  if (args.length !== 1 || !/^\d{1,15}$/.test(ms)) {
    throw new UsageError(`${HERD_PART} is a part of herd, and is started by it alone`);
  }
  await host.clock.sleep(Number(ms));
  return EXIT.done;
}

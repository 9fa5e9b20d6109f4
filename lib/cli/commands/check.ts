/** `check`: exits with 0 if the caller still holds the lock, with 1 and a line if not. */

import { EXIT } from "../../lock/exit_codes.ts";
import { NotHolder } from "../../lock/failures.ts";
import type { Claimant } from "../../lock/service.ts";
import { HELD_VARIABLE, inheritedTokens } from "../../lock/variables.ts";
import type { Host } from "../../sys/sys.ts";
import { fenceOption, type ParsedLine } from "../command_line.ts";
import type { OpenLock } from "../which_lock.ts";

export async function checkCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const fence = fenceOption(parsed);
  const service = await openLock(parsed, host);
  const tokens = inheritedTokens(host.environment.get(HELD_VARIABLE));
  if (fence === null && tokens.length === 0) {
    throw new NotHolder(service.lock, "no hold inherited", null);
  }
  const claimant: Claimant = fence !== null ? { by: "fence", fence } : { by: "tokens", tokens };
  await service.check(claimant);
  return EXIT.done;
}

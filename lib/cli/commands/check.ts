/** `check`: exits with 0 if the caller still holds the lock, with 1 and a line if not. */

import { EXIT } from "../../lock/exit_codes.ts";
import { NotHolder } from "../../lock/failures.ts";
import type { Claimant } from "../../lock/service.ts";
import { HELD_VARIABLE, inheritedTokens } from "../../lock/variables.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { fenceOption, slugOption } from "../options.ts";
import type { OpenLock } from "../which_lock.ts";

export async function checkCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const fence = fenceOption(parsed);
  const slug = parsed.values.slug === undefined ? null : slugOption(parsed);
  const service = await openLock(parsed, host);
  const slot = parsed.values.slot ?? null;
  const tokens = inheritedTokens(host.environment.get(HELD_VARIABLE));
  const claimants: Claimant[] = [
    ...fence === null ? [] : [{ by: "fence", fence } as const],
    ...slug === null ? [] : [{ by: "slug", slug } as const],
  ];
  if (claimants.length === 0 && tokens.length === 0) {
    throw new NotHolder(service.lock, "no hold inherited", null);
  }
  if (claimants.length === 0) claimants.push({ by: "tokens", tokens });
  for (const claimant of claimants) await service.check(claimant, { slot });
  return EXIT.done;
}

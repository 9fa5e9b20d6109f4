/** `renew`: freshens an `acquire` hold, so that it does not grow stale. */

import { EXIT } from "../../lock/exit_codes.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { slugOption } from "../options.ts";
import { isInside } from "../waiting.ts";
import type { OpenLock } from "../which_lock.ts";

export async function renewCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const slug = slugOption(parsed);
  const service = await openLock(parsed, host);
  // The `run` around us freshens its lock by itself.
  if (await isInside(service, host)) return EXIT.done;
  await service.renew(slug, { slot: parsed.values.slot ?? null });
  return EXIT.done;
}

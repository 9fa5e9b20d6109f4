/** `release`: gives back a hold of that slug; with `--force`, anybody's. */

import { EXIT } from "../../lock/exit_codes.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { fenceOption, slugOption } from "../options.ts";
import { line } from "../wording/line.ts";
import { forcedOff } from "../wording/messages.ts";
import { isInside } from "../waiting.ts";
import { lockWasBroken } from "../wording/wait_text.ts";
import type { OpenLock } from "../which_lock.ts";

export async function releaseCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const slug = slugOption(parsed);
  const fence = fenceOption(parsed);
  const service = await openLock(parsed, host);
  const isForced = parsed.set.has("force");
  // The `run` around us gives its lock back, and what was acquired inside of it was nothing.
  if (!isForced && await isInside(service, host)) return EXIT.done;
  const { lock, holder, was, worksOn } = await service.release(slug, isForced, {
    fence,
    slot: parsed.values.slot ?? null,
  });
  if (was === "acquired" || parsed.set.has("quiet")) return EXIT.done;
  const nowMs = await host.clock.wallMs();
  const text = was === "dead" ? lockWasBroken(holder) : forcedOff(lock, holder, nowMs, worksOn);
  await host.terminal.err(line(text));
  return EXIT.done;
}

/** `acquire`: takes the lock and leaves it held. */

import { EXIT } from "../../lock/exit_codes.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { waitOptions } from "../options.ts";
import { goesThrough, hear, orGiveBack, waitAndSay } from "../waiting.ts";
import { line } from "../wording/line.ts";
import type { OpenLock } from "../which_lock.ts";

export async function acquireCommand(
  parsed: ParsedLine,
  anyHost: Host,
  openLock: OpenLock,
): Promise<number> {
  const host = hear(anyHost);
  const request = { ...waitOptions(parsed), mode: "acquire" } as const;
  const service = await openLock(parsed, host);
  if (await goesThrough(service, host, parsed)) return EXIT.done;
  const { hold, commitOrThrow } = await waitAndSay(service, host, request, parsed);
  await orGiveBack(hold, async () => {
    commitOrThrow();
    await hold.leaveStanding();
    if (parsed.set.has("quiet") || parsed.set.has("json")) return;
    const { renewInTime } = await import("../wording/wait_text.ts");
    const { lock, slot, fence } = hold;
    const { staleMs } = request;
    const byMs = await host.clock.wallMs() + staleMs;
    await host.terminal.err(line(renewInTime({ lock, slot, fence, byMs, staleMs })));
  });
  return EXIT.done;
}

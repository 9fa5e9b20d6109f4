/** `acquire`: takes the lock and leaves it held. */

import { EXIT } from "../../lock/exit_codes.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { hear } from "../end_soon.ts";
import { goesThrough } from "../inside.ts";
import { waitOptions } from "../options.ts";
import { siteOf } from "../site_of.ts";
import { orGiveBack, waitAndSay } from "../waiting.ts";

export async function acquireCommand(parsed: ParsedLine, anyHost: Host): Promise<number> {
  const host = hear(anyHost);
  const request = { ...waitOptions(parsed), mode: "acquire" } as const;
  const site = await siteOf(parsed, host);
  if (await goesThrough(site, host, parsed)) return EXIT.done;
  const { hold, handOverSignals } = await waitAndSay(site, host, request, parsed);
  await orGiveBack(hold, async () => {
    handOverSignals();
    await hold.leaveStanding();
  });
  return EXIT.done;
}

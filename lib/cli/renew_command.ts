/** `renew`: freshens an `acquire` hold, so that it does not grow stale. */

import { EXIT } from "../core/exit_codes.ts";
import { renewBySlug } from "../lock/renew.ts";
import { openSite } from "../lock/site.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { lockOption, slugOption } from "./options.ts";

export async function renewCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const slug = slugOption(parsed);
  await renewBySlug(openSite(host, lockOption(parsed, host.environment)), slug);
  return EXIT.done;
}

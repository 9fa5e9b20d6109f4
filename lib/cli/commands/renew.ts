/** `renew`: freshens an `acquire` hold, so that it does not grow stale. */

import { EXIT } from "../../lock/exit_codes.ts";
import { renewBySlug } from "../../folder/visit/renew.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { isInside } from "../inside.ts";
import { slugOption } from "../options.ts";
import { siteOf } from "../site_of.ts";

export async function renewCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const slug = slugOption(parsed);
  const site = await siteOf(parsed, host);
  // The `run` around us freshens its lock by itself.
  if (!await isInside(site, host)) await renewBySlug(site, slug);
  return EXIT.done;
}

/** `release`: gives back a hold of that slug; with `--force`, anybody's. */

import { EXIT } from "../core/exit_codes.ts";
import { releaseBySlug } from "../lock/release.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { slugOption } from "./options.ts";
import { siteOf } from "./site_of.ts";

export async function releaseCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const slug = slugOption(parsed);
  const site = siteOf(parsed, host);
  await releaseBySlug(site, slug, parsed.set.has("force"));
  return EXIT.done;
}

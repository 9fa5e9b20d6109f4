/** Commands that run inside of the present hold of the very lock that they name. */

import { HELD_VARIABLE, inheritedTokens } from "../lock/variables.ts";
import type { HolderRecord } from "../folder/state/record.ts";
import { holdAround } from "../folder/visit/nested.ts";
import type { Site } from "../folder/site.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { goesStraightThrough, line } from "./wording/messages.ts";
import { insideJson } from "./wording/wait_text.ts";

/** Whether we already run under the present hold of this lock. */
export async function isInside(site: Site, host: Host): Promise<boolean> {
  return await around(site, host) !== null;
}

/** As `isInside()`, and says so on stderr. */
export async function goesThrough(site: Site, host: Host, { set }: ParsedLine): Promise<boolean> {
  const hold = await around(site, host);
  const lockPath = site.paths.lock;
  if (hold && set.has("json")) {
    const { slug, fence } = hold;
    await host.terminal.errForPrograms(insideJson({ lockPath, slug, fence }) + "\n");
  } else if (hold && !set.has("quiet")) {
    await host.terminal.err(line(goesStraightThrough(lockPath, hold.slug)));
  }
  return hold !== null;
}

async function around(site: Site, host: Host): Promise<HolderRecord | null> {
  return await holdAround(site, inheritedTokens(host.environment.get(HELD_VARIABLE)));
}

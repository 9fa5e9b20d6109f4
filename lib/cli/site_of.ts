/** The lock that a command line names. */

import { lookAtMount } from "../folder/place/mount.ts";
import type { Site } from "../folder/site.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { line, unlogged } from "./wording/messages.ts";
import { lockOption } from "./options.ts";
import { openSite } from "../folder/open_site.ts";

/** @throws UsageError */
export async function siteOf(parsed: ParsedLine, host: Host): Promise<Site> {
  const paths = lockOption(parsed, host.environment);
  const onUnlogged = async (missing: string, reason: string) => {
    await host.terminal.err(line(unlogged(paths.log, missing, reason)));
  };
  const mount = await lookAtMount(host.mounts, paths.dir);
  return openSite(host, paths, { onUnlogged, mount });
}

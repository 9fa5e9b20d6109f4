/** The lock that a command line names. */

import { PROCEDURES } from "../lock/procedures.ts";
import { openSite, type Site } from "../lock/site.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { line, unlogged } from "./messages.ts";
import { lockOption } from "./options.ts";

/** @throws UsageError */
export function siteOf(parsed: ParsedLine, host: Host): Site {
  const paths = lockOption(parsed, host.environment);
  return openSite(host, paths, PROCEDURES, async (missing, reason) => {
    await host.terminal.err(line(unlogged(paths.log, missing, reason)));
  });
}

/** `acquire`: takes the lock and leaves it held. */

import { EXIT } from "../core/exit_codes.ts";
import { HELD_VARIABLE, inheritedToken } from "../core/inherited.ts";
import type { LockPaths } from "../core/paths.ts";
import { acquire, type AcquireRequest } from "../lock/acquire.ts";
import type { Hold } from "../lock/hold.ts";
import { holdAround } from "../lock/nested.ts";
import { openSite, type Site } from "../lock/site.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { goesStraightThrough, line } from "./messages.ts";
import { lockOption, waitOptions } from "./options.ts";
import { WaitLines } from "./wait_lines.ts";

export async function acquireCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const request = { ...waitOptions(parsed, host.environment), mode: "acquire" } as const;
  const site = openSite(host, lockOption(parsed, host.environment));
  if (await isInside(site, host, parsed)) return EXIT.done;
  const hold = await waitAndSay(site, host, request, parsed);
  await hold.leaveStanding();
  return EXIT.done;
}

/** Acquires, with a line when a wait begins and one when it ends. */
export async function waitAndSay(
  site: Site,
  host: Host,
  request: AcquireRequest,
  parsed: ParsedLine,
): Promise<Hold> {
  const lines = new WaitLines(host.terminal, host.clock, {
    lockPath: site.paths.lock,
    timeoutMs: request.timeoutMs,
    quiet: parsed.set.has("quiet"),
  });
  const hold = await acquire(site, request, lines);
  await lines.acquired(hold.waited.waitedMs);
  return hold;
}

/** Whether we already run under the present hold of this lock; said on stderr if so. */
export async function isInside(site: Site, host: Host, parsed: ParsedLine): Promise<boolean> {
  const token = inheritedToken(host.environment.get(HELD_VARIABLE), lockPathOf(site.paths));
  const around = await holdAround(site, token);
  if (around && !parsed.set.has("quiet")) {
    await host.terminal.err(line(goesStraightThrough(site.paths.lock, around.slug)));
  }
  return around !== null;
}

function lockPathOf(paths: LockPaths): string {
  return paths.lock;
}

/** Commands that run inside of the present hold of the very lock that they name. */

import { HELD_VARIABLE, inheritedTokens } from "../lock/variables.ts";
import type { LockService, OuterHold } from "../lock/service.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { say } from "./say.ts";

/** Whether we already run under the present hold of this lock. */
export async function isInside(service: LockService, host: Host): Promise<boolean> {
  return await around(service, host) !== null;
}

/** As `isInside()`, and says so on stderr. */
export async function goesThrough(
  service: LockService,
  host: Host,
  { set }: ParsedLine,
): Promise<boolean> {
  const hold = await around(service, host);
  const { lock } = service;
  if (hold && set.has("json")) {
    const { slug, fence } = hold;
    const { insideJson } = await import("./wording/wait_text.ts");
    await host.terminal.errForPrograms(insideJson({ lock, slug, fence }) + "\n");
  } else if (hold && !set.has("quiet")) {
    await say(host, (messages) => messages.goesStraightThrough(lock, hold.slug));
  }
  return hold !== null;
}

async function around(service: LockService, host: Host): Promise<OuterHold | null> {
  return await service.around(inheritedTokens(host.environment.get(HELD_VARIABLE)));
}

/**
 * Another process of our slug that waits or holds here: mostly an earlier call, of which whoever called thinks that it
 * has ended. Only one that is seen alive counts.
 */

import type { TwinView } from "../../lock/service.ts";
import { ticketPath } from "../state/layout.ts";
import { lifeOf } from "../state/lifeline.ts";
import { parseWhoAndWhere, RECORD_LARGEST_BYTES, type WhoAndWhere } from "../state/record.ts";
import type { Found } from "./progress.ts";
import type { Site } from "../site.ts";
import { ticketsInOrder } from "./ticket.ts";

/** To read more would be felt by all that wait. */
const MOST_READ = 200;

/**
 * @param token ours
 * @param found what stands there: the lock, or slots of it
 */
export async function findTwin(
  site: Site,
  slug: string,
  token: string,
  found: readonly Found[],
): Promise<TwinView | null> {
  for (const { site: slot, judged: { record } } of found) {
    const holds = record?.mode === "run" && record.slug === slug;
    if (holds && await lifeOf(slot, record) === "alive") {
      return { pid: record.pid, does: "holds", sinceMs: record.acquiredAt };
    }
  }
  for (const name of (await ticketsInOrder(site)).slice(0, MOST_READ)) {
    const path = ticketPath(site.paths, name);
    const content = await site.sys.files.read(path, RECORD_LARGEST_BYTES).catch(() => null);
    const who: WhoAndWhere & { waitingSince?: unknown } | null = content &&
      parseWhoAndWhere(content.text);
    const isTwin = who?.slug === slug && who.token !== token && await lifeOf(site, who) === "alive";
    if (!isTwin) continue;
    const sinceMs = typeof who.waitingSince === "number" ? who.waitingSince : null;
    return { pid: who.pid, does: "waits", sinceMs };
  }
  return null;
}

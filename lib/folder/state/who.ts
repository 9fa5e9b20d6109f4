/** What we say of ourselves, for others to see. */

import type { WhoAndWhere } from "./record.ts";
import type { Site } from "../site.ts";

/**
 * The fields of a record that tell who and where.
 * @param token random name of this hold, wait or taking
 */
export async function whoAndWhere(site: Site, slug: string, token: string): Promise<WhoAndWhere> {
  const { pid, processStart, machine } = await site.sys.processes.self();
  return { token, slug, pid, processStart, machine };
}

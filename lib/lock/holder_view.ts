/** Who holds, for people: from the record that belongs, or from the log for a peer that leaves none. */

import type { HolderView } from "../core/failures.ts";
import { lastInLog } from "./audit.ts";
import type { Judged } from "./break.ts";
import type { Site } from "./site.ts";

export async function viewHolder(site: Site, { record, verdict }: Judged): Promise<HolderView> {
  if (!record) {
    return {
      slug: await lastInLog(site),
      mode: null,
      pid: null,
      host: null,
      sinceMs: null,
      why: verdict.why,
    };
  }
  const { slug, mode, pid, machine, acquiredAt } = record;
  return { slug, mode, pid, host: machine.host, sinceMs: acquiredAt, why: verdict.why };
}

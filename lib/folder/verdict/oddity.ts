/** Holds that are no everyday ones: told to who waits for them, and never broken for it. */

import type { Oddity } from "../../lock/views.ts";
import type { Verdict } from "./findings.ts";

/** @return null where all is as it should be */
export function oddityOf(verdict: Verdict): Oddity | null {
  if (verdict.verdict === "stale") return null;
  const kinds = [
    ...(verdict.orphan || verdict.outOfSight ? ["its wrapper gone"] : []),
    ...(verdict.stopped.length > 0 ? ["stopped"] : []),
    ...(verdict.silent ? ["silent"] : []),
  ];
  return kinds.length === 0 ? null : {
    short: kinds.join(", "),
    why: verdict.why,
    isOrphan: verdict.orphan,
    isOutOfSight: verdict.outOfSight ?? false,
  };
}

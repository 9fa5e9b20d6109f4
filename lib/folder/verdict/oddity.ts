/** Holds that are no everyday ones: told to who waits for them, and never broken for it. */

import type { Verdict } from "./findings.ts";

/** What is out of the ordinary about a hold, for who waits for it. */
export interface Oddity {
  /** In a word or two: the same for as long as it is the same oddity. */
  readonly short: string;
  /** With its evidence. */
  readonly why: string;
  /** The process that stayed with the hold is gone, and its command lives on. */
  readonly isOrphan: boolean;
  /** It is gone, and whether its command lives nobody knows: age decides. */
  readonly isOutOfSight: boolean;
  /** It is stale, and the one that is to remove it does not get on. */
  readonly isRemoval?: boolean;
}

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

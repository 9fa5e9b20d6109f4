/** What a report says of a lock with slots: each judged by its own log, and a line for each. */

import type { History } from "../log/history_summary.ts";
import type { SlotHistory } from "../log/slots_history.ts";
import { countOf, showCount, tableLines } from "../words/columns.ts";
import { showForeign } from "../words/slugs.ts";
import { showLogged, showShare, stillHolding } from "./phrases.ts";
import { type Verdict, verdictLine, type Verdicts, verdictsOf } from "./verdicts.ts";

/** A slot with its verdicts. */
export interface SlotReport extends SlotHistory {
  readonly verdicts: Verdicts;
  /** Of the time that the whole report is of, from 0 to 1; null if that is no time at all. */
  readonly use: number | null;
}

/**
 * @param all of the slots, joined
 * @param holdsNow who holds which slot at this moment; null where nobody does
 */
export function judgeSlots(
  { window }: History,
  slots: readonly SlotHistory[],
  holdsNow: ReadonlyMap<string, string | null>,
): SlotReport[] {
  const windowMs = window === null ? 0 : window.toMs - window.fromMs;
  return slots.map((one) => ({
    ...one,
    verdicts: verdictsOf(one.history, holdsNow.get(one.slot) ?? null),
    use: windowMs > 0 ? one.history.heldMs / windowMs : null,
  }));
}

/** @param all of the slots, joined */
export function verdictsOfSlots(all: History, slots: readonly SlotReport[]): Verdicts {
  const exclusion = joinedVerdict(
    slots,
    "exclusion",
    `at most one in each of ${countOf(slots.length, "slot")}`,
  );
  const leaks = joinedVerdict(slots, "leaks", "no slot leaked");
  const { summary } = verdictsOf(all);
  return { summary, exclusion, leaks, pass: exclusion.passes && leaks.passes };
}

function joinedVerdict(
  slots: readonly SlotReport[],
  which: "exclusion" | "leaks",
  text: string,
): Verdict {
  const verdicts = slots.map(({ slot, verdicts }) => ({ slot, verdict: verdicts[which] }));
  const failed = verdicts.filter(({ verdict }) => !verdict.passes);
  const doubts = verdicts.filter(({ verdict }) => verdict.doubt !== null);
  const told = failed.length > 0 ? failed : doubts;
  const details = told.flatMap(({ slot, verdict }) => [
    `slot ${slot}: ${verdictLine(verdict)}`,
    ...verdict.details.map((line) => `  ${line}`),
  ]);
  if (failed.length > 0) {
    const names = failed.map(({ slot }) => slot).join(", ");
    return {
      passes: false,
      doubt: null,
      text: `not in slot ${names}: ${failed[0]!.verdict.text}`,
      details,
    };
  }
  const doubt = doubts.length === 0 ? null : doubts[0]!.verdict.doubt;
  return { passes: true, doubt, text, details };
}

/** A line for each slot. */
export function slotLines(slots: readonly SlotReport[]): string[] {
  return tableLines([
    ["slot", "holds", "held", "use", "now"],
    ...slots.map(({ slot, use, history: { holds, heldMs, running } }) => [
      slot,
      showCount(holds.count),
      showLogged(heldMs),
      use === null ? "" : showShare(use),
      running === null ? "" : `${showForeign(running.hold.slug)} is ${stillHolding(running)}`,
    ]),
  ], 4);
}

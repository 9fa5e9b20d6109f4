/** What a fleet can expect, as text and as JSON. */

import { countOf, showCount, tableLines, wrapped } from "../words/columns.ts";
import { showDuration } from "../words/durations.ts";
import type { Expectation, Plan } from "./plan.ts";
import { showShare } from "../report/phrases.ts";
import { inJsonStyle, jsonText } from "../words/json.ts";

const MODEL_NOTE =
  "The worst case: the lock is held until the last agent has arrived, so that all of them wait. A plain poller is taken to need half a poll for each hand-off, the mean of agents that look in step; it can be a whole one.";

/** @return the whole text, newline at the end included */
export function planText(plan: Plan, { width }: { readonly width: number }): string {
  const { fleet, ours, poller, oursAtBest } = plan;
  const over = fleet.staggerMs > 0 ? ` that arrive over ${showDuration(fleet.staggerMs)}` : "";
  const limit = fleet.timeoutMs === null
    ? "without a time limit"
    : fleet.timeoutMs === 0
    ? "not at all"
    : `for up to ${showDuration(fleet.timeoutMs)}`;
  const what = fleet.slots === 1 ? "the lock" : `one of ${showCount(fleet.slots)} slots`;
  const title = `${countOf(fleet.agents, "agent")}${over}, each holding ${what} for ${
    showDuration(fleet.holdMs)
  } and waiting ${limit}`;
  const row = (name: string, show: (expectation: Expectation) => string) => [
    name,
    show(ours),
    show(poller),
  ];
  const rows = [
    ["", "this program", `a plain poller, every ${showDuration(fleet.pollMs)}`],
    row("wall time", ({ wallMs }) => showSeconds(wallMs)),
    row(fleet.slots === 1 ? "use of the lock" : "use of all slots", ({ use }) => showShare(use)),
    row("hand-off", ({ handOffMs }) => showDuration(handOffMs)),
    row("longest wait", ({ longestWaitMs }) => showSeconds(longestWaitMs)),
    row("give up", ({ gaveUp }) => gaveUp === 0 ? "nobody" : showCount(gaveUp)),
    row("longest hold at which nobody gives up", ({ longestHoldMs }) => showLimit(longestHoldMs)),
  ];
  const note = fleet.staggerMs === 0 ? MODEL_NOTE : `${MODEL_NOTE} ${atBest(oursAtBest)}`;
  return `${
    [...wrapped(title, width), "", ...tableLines(rows), "", ...wrapped(note, width)]
      .join("\n")
  }\n`;
}

function atBest({ wallMs, use, longestWaitMs }: Plan["oursAtBest"]): string {
  return `If it is free when the first one comes, this program takes ${
    showSeconds(wallMs)
  } in all (use ${showShare(use)}), and nobody waits${
    longestWaitMs < 1 ? "" : ` longer than ${showSeconds(longestWaitMs)}`
  }.`;
}

/** One object, as docs/json.md has it. @param columns as of `jsonText()` */
export function planJson(
  { fleet, ours, poller, oursAtBest }: Plan,
  columns: number | null,
): string {
  return jsonText(inJsonStyle({ ...fleet, ours, poller, oursAtBest }), columns);
}

function showLimit(longestHoldMs: number | null): string {
  if (longestHoldMs === null) return "any";
  return longestHoldMs === 0 ? "none" : showSeconds(longestHoldMs);
}

/** `155s (2m 35s)`: seconds, as they are written on the command line, and what they are for a person. */
function showSeconds(ms: number): string {
  const shown = showDuration(ms);
  const seconds = `${Math.round(ms / 1000)}s`;
  return ms < 60_000 ? shown : `${seconds} (${shown})`;
}

/** The second detector of two that hold at once: the log, replayed. */

import { HistoryReader } from "../../lib/log/history.ts";
import type { EventCounts } from "../../lib/log/history_summary.ts";

export interface Replayed {
  readonly overlaps: readonly string[];
  readonly counts: Readonly<EventCounts>;
}

export function replay(lines: readonly string[]): Replayed {
  const reader = new HistoryReader();
  for (const line of lines) reader.feedLine(line);
  const { overlaps, counts, broken } = reader.finish();
  return {
    overlaps: [
      ...overlaps.first.map(({ first, second }) =>
        `log: line ${second.startLine}: ${second.slug} acquired while ${first.slug} held`
      ),
      ...broken.some.map(({ line, text }) => `log: line ${line} is no event: "${text}"`),
    ],
    counts,
  };
}

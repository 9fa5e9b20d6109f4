/** What a log tells. */

import { HistoryReader } from "../../../lib/log/history.ts";
import type { History, HistoryFilter, Now } from "../../../lib/log/history_summary.ts";

export function historyOf(
  log: string,
  filter: HistoryFilter = {},
  now: Now | null = null,
): History {
  const reader = new HistoryReader(filter);
  reader.feed(log);
  return reader.finish(now);
}

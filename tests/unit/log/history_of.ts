/** What a log tells. */

import { HistoryReader } from "../../../lib/log/history.ts";
import type { History, HistoryFilter } from "../../../lib/log/history_summary.ts";

export function historyOf(log: string, filter: HistoryFilter = {}): History {
  const reader = new HistoryReader(filter);
  reader.feed(log);
  return reader.finish();
}

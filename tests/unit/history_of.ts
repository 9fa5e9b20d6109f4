/** What a log tells. */

import { HistoryReader } from "../../lib/core/history.ts";
import type { History } from "../../lib/core/history_summary.ts";

export function historyOf(log: string): History {
  const reader = new HistoryReader();
  reader.feed(log);
  return reader.finish();
}

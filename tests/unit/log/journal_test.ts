/** The journal, and what follows from it, whatever became of it. */

import { assertEquals } from "@std/assert";
import { type JournalEntry, journalLine, parseJournalLine } from "../../../lib/log/journal.ts";
import { spreadOf, type Waits, WaitsReader } from "../../../lib/log/waits.ts";

const T = (name: string) => `token${name}`.padEnd(24, "0");

const entry = (atMs: number, slug: string, event: JournalEntry["event"], more = {}) =>
  ({ atMs, slug, event, token: T(slug), ...more }) as JournalEntry;

function waitsOf(...lines: (JournalEntry | string)[]): Waits {
  const reader = new WaitsReader();
  for (const line of lines) reader.feed(typeof line === "string" ? line : journalLine(line));
  return reader.finish();
}

Deno.test("a line of the journal is read back as it was written", () => {
  const one = entry(1_700_000_000_123, "a", "waiting", { place: 3, after: T("b"), note: "why" });
  assertEquals(parseJournalLine(journalLine(one).trimEnd()), one);
});

Deno.test("what is no line of a journal counts for nothing, and is counted", () => {
  const good = entry(5000, "a", "acquired");
  const bad = [
    ...["\u0000\u0001\n", "{}\n", "null\n", "[1]\n", "7\n", "half of a li\n"],
    JSON.stringify({ at: "never", slug: "a", event: "acquired", token: T("a") }) + "\n",
    JSON.stringify({ at: "2026-08-22T23:05:52.123Z", slug: "a b", event: "acquired" }) + "\n",
    JSON.stringify({ at: "2026-08-22T23:05:52.123Z", slug: "a", event: "new", token: T("a") }) +
    "\n",
  ];
  const { lines, used } = waitsOf(...bad, good);
  assertEquals([lines, used], [bad.length + 1, 1]);
});

Deno.test("a wait lasts from its ticket to its acquiring, and a hand-off from the release to it", () => {
  const { done, handOffsMs } = waitsOf(
    entry(1000, "h", "acquired"),
    entry(1200, "a", "waiting", { place: 1 }),
    // Lines come late: the one behind has written sooner.
    entry(2011, "a", "acquired"),
    entry(2000, "h", "released"),
  );
  assertEquals(done, [{ slug: "a", fromMs: 1200, toMs: 2011, calls: 1 }]);
  assertEquals(handOffsMs, [11]);
});

Deno.test("several calls of one kept place are one wait", () => {
  const call = (token: string, atMs: number, event: JournalEntry["event"], more = {}) =>
    entry(atMs, "a", event, { token: T(token), ...more });
  const { done } = waitsOf(
    call("1", 1000, "waiting", { place: 2 }),
    call("1", 2000, "gave_up"),
    call("2", 2500, "waiting", { place: 2, after: T("1") }),
    // This call was killed: it has no end.
    call("3", 3500, "waiting", { place: 1, after: T("2") }),
    call("3", 4000, "acquired"),
  );
  assertEquals(done, [{ slug: "a", fromMs: 1000, toMs: 4000, calls: 3 }]);
});

Deno.test("a hold that was free all the time is no hand-off, and no wait", () => {
  const { done, handOffsMs } = waitsOf(
    entry(1000, "h", "released"),
    entry(5000, "b", "acquired"),
    entry(6000, "a", "waiting", { place: 1 }),
    entry(6010, "a", "acquired"),
  );
  assertEquals(done.length, 1);
  assertEquals(handOffsMs, []);
});

Deno.test("spreadOf() takes the middle, the twentieth from the end, and the longest", () => {
  assertEquals(spreadOf([]), null);
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assertEquals(spreadOf(hundred), { count: 100, medianMs: 50, p95Ms: 95, longestMs: 100 });
});

Deno.test("a hand-off lasts from the end of one command to the start of the next, where both are told", () => {
  const { done, handOffsMs } = waitsOf(
    entry(1000, "h", "acquired", { startedMs: 1004 }),
    entry(1200, "a", "waiting", { place: 1 }),
    // The next one acquires before the one that released has looked at its clock.
    entry(2003, "a", "acquired", { startedMs: 2008 }),
    entry(2004, "h", "released", { endedMs: 2000 }),
  );
  assertEquals(done, [{ slug: "a", fromMs: 1200, toMs: 2003, calls: 1 }]);
  assertEquals(handOffsMs, [8]);
});

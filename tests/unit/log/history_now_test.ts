/** What the log of a lock that can be asked tells of this moment. */

import { assertEquals } from "@std/assert";
import { historyOf } from "./history_of.ts";

const LOG = [
  "2026-08-22T23:05:00Z a acquired",
  "2026-08-22T23:05:10Z a released",
  "2026-08-22T23:05:20Z b acquired",
  "",
].join("\n");

const at = (time: string) => Date.parse(`2026-08-22T${time}Z`);
const NOW = { atMs: at("23:05:42.900"), holder: "b" };

Deno.test("history of a lock's own log ends now, and a hold that goes on is held until then", () => {
  const { window, running, heldMs, use, agents } = historyOf(LOG, {}, NOW);
  assertEquals(window, { fromMs: at("23:05:00"), toMs: at("23:05:42") });
  assertEquals([running?.hold.slug, running?.heldMs], ["b", 22_000]);
  assertEquals([heldMs, use], [32_000, 32 / 42]);
  assertEquals(agents.map(({ totalMs }) => totalMs), [10_000, 22_000]);
});

Deno.test("history of a lock's own log counts a hold that nobody has any more up to the last line", () => {
  const log = `${LOG}2026-08-22T23:05:25Z c gave_up waited=1s reason=timeout\n`;
  for (const holder of [null, "c"]) {
    const { window, running, heldMs, openToMs } = historyOf(log, {}, { ...NOW, holder });
    assertEquals([window?.toMs, running], [at("23:05:42"), null]);
    assertEquals([heldMs, openToMs], [15_000, at("23:05:25")]);
  }
});

Deno.test("history ends where it was asked to, and still knows how long the hold has lasted", () => {
  const { window, running, heldMs } = historyOf(LOG, { untilMs: at("23:05:30") }, NOW);
  assertEquals([window?.toMs, heldMs, running?.heldMs], [at("23:05:30"), 20_000, 22_000]);
  assertEquals(historyOf(LOG, { untilMs: at("23:05:15") }, NOW).running, null);
  assertEquals(historyOf(LOG, { slug: "a" }, NOW).running, null);
});

Deno.test("history of a time after the last line has that time, and what was held in it", () => {
  const calm = LOG.split("\n").slice(0, 2).join("\n");
  const now = { ...NOW, holder: null };
  const { window, holds, use } = historyOf(calm, { sinceMs: at("23:05:30") }, now);
  assertEquals(window, { fromMs: at("23:05:30"), toMs: at("23:05:42") });
  assertEquals([holds.count, use], [0, 0]);
  assertEquals(historyOf("", { sinceMs: at("23:05:30") }, now).window, null);
});

Deno.test("history of a log from a clock that is ahead of ours ends with its last line", () => {
  const behind = { atMs: at("23:05:15"), holder: "b" };
  const { window, running } = historyOf(LOG, {}, behind);
  assertEquals([window?.toMs, running?.heldMs], [at("23:05:20"), 0]);
});

Deno.test("history of a copy ends with its last line", () => {
  const { window, running, now } = historyOf(LOG);
  assertEquals([window?.toMs, running, now], [at("23:05:20"), null, null]);
});

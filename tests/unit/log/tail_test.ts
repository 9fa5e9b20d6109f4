import { assertEquals } from "@std/assert";
import { holderInLog, lastHold, medianHoldMs } from "../../../lib/log/tail.ts";

Deno.test("holderInLog() is whom the last acquired line names, and only that word", () => {
  const log = [
    "2026-08-22T23:05:52Z a acquired",
    "garbage",
    "2026-08-22T23:05:53Z b acquired\r",
    "2026-08-22T23:05:54Z c released",
    "2026-08-22T23:05:55Z d gave_up waited=1s reason=acquired",
    "",
  ].join("\n");
  assertEquals(holderInLog(log), "b");
  assertEquals(holderInLog(""), null);
  assertEquals(holderInLog("2026-08-22T23:05:54Z c released\n"), null);
});

Deno.test("holderInLog() is nobody once a later line says that this hold is over", () => {
  const over = ["b released", "b lost", "c stale_break age=9s", "ops force_release holder=b"];
  for (const event of over) {
    const log = `2026-08-22T23:05:52Z b acquired\n2026-08-22T23:05:53Z ${event}\n`;
    assertEquals(holderInLog(log), null, event);
    assertEquals(holderInLog(`${log}2026-08-22T23:05:54Z c acquired\n`), "c");
  }
});

Deno.test("holderInLog() and lastHold() go on with a hold whose removal was taken back", () => {
  const log = [
    "2026-08-22T23:05:52Z b acquired",
    "2026-08-22T23:05:53Z c stale_break age=9s reason=expired holder=b",
    "2026-08-22T23:05:53Z c not_removed holder=b",
    "",
  ].join("\n");
  assertEquals([holderInLog(log), lastHold(log)?.endMs], ["b", null]);
  const taken = log.replace("c not_removed", "d acquired\n2026-08-22T23:05:54Z c not_removed");
  assertEquals(holderInLog(taken), "d");
});

Deno.test("a released that was cut short, with or without a line glued to it, is read as in a report", () => {
  const cut = "2026-08-22T23:05:52Z a acquired\n2026-08-22T23:05:55Z a rel";
  assertEquals(holderInLog(`${cut}\n`), null);
  assertEquals(lastHold(`${cut}\n`)?.endMs, Date.parse("2026-08-22T23:05:55Z"));
  assertEquals(medianHoldMs(`${cut}\n`), 3000);
  assertEquals(holderInLog(`${cut}2026-08-22T23:05:56Z b acquired\n`), "b");
});

function logOf(lengths: readonly number[]): string {
  let second = 0;
  return lengths.map((length) => {
    const at = (s: number) => new Date(s * 1000).toISOString().slice(0, 19) + "Z";
    const lines = `${at(second)} a acquired\n${at(second + length)} a released\n`;
    second += length + 1;
    return lines;
  }).join("");
}

Deno.test("medianHoldMs() is the median of the last twenty holds", () => {
  assertEquals(medianHoldMs(""), null);
  assertEquals(medianHoldMs(logOf([3])), 3000);
  assertEquals(medianHoldMs(logOf([1, 100, 2])), 2000);
  assertEquals(medianHoldMs(logOf([1, 3])), 2000);
  assertEquals(medianHoldMs(logOf([...Array(30).fill(500), ...Array(20).fill(4)])), 4000);
});

Deno.test("medianHoldMs() passes over cut lines, strays and holds without an end", () => {
  assertEquals(medianHoldMs("05:53Z a released\n" + logOf([5])), 5000);
  assertEquals(medianHoldMs("2026-08-22T23:05:53Z a released\n"), null);
  assertEquals(medianHoldMs("2026-08-22T23:05:53Z a acquired\n"), null);
});

import { assertEquals } from "@std/assert";
import { expectedWaitMs, medianHoldMs } from "../../lib/core/estimate.ts";

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

Deno.test("expectedWaitMs() counts those ahead, and what the holder has left", () => {
  assertEquals(expectedWaitMs(0, 5000, 0), 0);
  assertEquals(expectedWaitMs(1, 5000, 2000), 3000);
  assertEquals(expectedWaitMs(1, 5000, 9000), null, "overdue: nobody can say");
  assertEquals(expectedWaitMs(2, 5000, 9000), 5000);
  assertEquals(expectedWaitMs(8, 300_000, 0), 2_400_000);
});

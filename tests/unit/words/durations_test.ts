import { assertEquals } from "@std/assert";
import { logSeconds, parseDurationMs, showDuration } from "../../../lib/words/durations.ts";

Deno.test("parseDurationMs() reads seconds, fractions and units", () => {
  const known: [string, number][] = [
    ["15", 15_000],
    ["0", 0],
    ["0.2", 200],
    [".5", 500],
    ["250ms", 250],
    ["90s", 90_000],
    ["90m", 5_400_000],
    ["2h", 7_200_000],
    ["30d", 2_592_000_000],
    ["1.5h", 5_400_000],
  ];
  for (const [text, ms] of known) assertEquals(parseDurationMs(text), ms, text);
});

Deno.test("parseDurationMs() goes beyond 32 bits of milliseconds and stops at a hundred years", () => {
  assertEquals(parseDurationMs("36500d"), 3_153_600_000_000);
  assertEquals(parseDurationMs("36501d"), null);
  assertEquals(parseDurationMs("9".repeat(400)), null);
});

Deno.test("parseDurationMs() refuses everything else", () => {
  const wrong = ["", "-1", "+1", "abc", "1 s", " 1", "1w", "1.", "1e3", "0x10", "Infinity", "1s2"];
  for (const text of [...wrong, "NaN", "1,5", "none", "1S", "١", "1\n"]) {
    assertEquals(parseDurationMs(text), null, JSON.stringify(text));
  }
});

Deno.test("showDuration() uses at most two units", () => {
  const shown: [number, string][] = [
    [0, "0ms"],
    [250, "250ms"],
    [999, "999ms"],
    [999.4, "999ms"],
    [999.5, "1s"],
    [1000, "1s"],
    [4200, "4.2s"],
    [9949, "9.9s"],
    [9950, "10s"],
    [43_000, "43s"],
    [59_999, "1m"],
    [320_000, "5m 20s"],
    [3_599_999, "1h"],
    [7_500_000, "2h 5m"],
    [273_600_000, "3d 4h"],
  ];
  for (const [ms, text] of shown) assertEquals(showDuration(ms), text);
});

Deno.test("logSeconds() cuts, so that nobody is said to have waited longer than they did", () => {
  assertEquals([0, 999, 1000, 613_999].map(logSeconds), ["0s", "0s", "1s", "613s"]);
});

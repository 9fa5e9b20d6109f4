import { assertEquals, assertThrows } from "@std/assert";
import {
  handOffsMs,
  interleaved,
  median,
  p95,
  parseStamps,
  quantile,
  shareInUse,
} from "../../../bench/statistics.ts";
import { renderSection, showMs, showRatio, showShare } from "../../../bench/table.ts";

Deno.test("median() is the middle number, or half-way between the middle two", () => {
  assertEquals(median([3]), 3);
  assertEquals(median([9, 1, 5]), 5);
  assertEquals(median([10, 1, 2, 9]), 5.5);
});

Deno.test("p95() is near the largest, but not it", () => {
  assertEquals(p95(Array.from({ length: 101 }, (_, number) => 100 - number)), 95);
});

Deno.test("quantile() goes from the smallest to the largest", () => {
  assertEquals(quantile([2, 1, 4], 0), 1);
  assertEquals(quantile([2, 1, 4], 1), 4);
});

Deno.test("quantile() refuses no numbers", () => {
  assertThrows(() => quantile([], 0.5), RangeError);
});

Deno.test("quantile() leaves its numbers in their order", () => {
  const numbers = [3, 1, 2];
  quantile(numbers, 0.5);
  assertEquals(numbers, [3, 1, 2]);
});

const STAMPS = [
  { startMs: 1210, endMs: 1310 },
  { startMs: 1000, endMs: 1100 },
  { startMs: 1110, endMs: 1200 },
];

Deno.test("handOffsMs() is from each end to the next start, in order of time", () => {
  assertEquals(handOffsMs(STAMPS), [10, 10]);
  assertEquals(handOffsMs([]), []);
});

Deno.test("handOffsMs() refuses commands that overlap", () => {
  assertThrows(
    () => handOffsMs([{ startMs: 1000, endMs: 1100 }, { startMs: 1099, endMs: 1200 }]),
    RangeError,
    "at once",
  );
});

Deno.test("shareInUse() is the time in commands from the first start to the last end", () => {
  assertEquals(shareInUse(STAMPS), 290 / 310);
  assertEquals(shareInUse(STAMPS.slice(0, 1)), 1);
});

Deno.test("parseStamps() reads seconds as milliseconds", () => {
  assertEquals(parseStamps("1.5 2\n3 3.25\n"), [
    { startMs: 1500, endMs: 2000 },
    { startMs: 3000, endMs: 3250 },
  ]);
});

Deno.test("parseStamps() refuses what is no stamp", () => {
  for (const text of ["1.5\n", "2 1\n", "one two\n", " \n"]) {
    assertThrows(() => parseStamps(text), SyntaxError);
  }
});

Deno.test("interleaved() begins each round with the next candidate", () => {
  assertEquals(interleaved(["a", "b", "c"], 4), [
    ["a", "b", "c"],
    ["b", "c", "a"],
    ["c", "a", "b"],
    ["a", "b", "c"],
  ]);
});

Deno.test("renderSection() aligns a Markdown table", () => {
  const text = renderSection({
    title: "Start",
    about: "Twenty runs.",
    columns: ["program", "median"],
    rows: [["ours", "40.0 ms"], ["the other", "5 ms"]],
    remarks: ["One left out."],
  });
  assertEquals(
    text,
    [
      "## Start",
      "",
      "Twenty runs.",
      "",
      "| program   |  median |",
      "| --------- | ------: |",
      "| ours      | 40.0 ms |",
      "| the other |    5 ms |",
      "",
      "- One left out.",
      "",
    ].join("\n"),
  );
});

Deno.test("numbers are shown with as many digits as mean something", () => {
  assertEquals(showMs(2.345), "2.3 ms");
  assertEquals(showMs(234.5), "235 ms");
  assertEquals(showShare(0.9713), "97.1 %");
  assertEquals(showRatio(1.254), "1.25 ×");
});

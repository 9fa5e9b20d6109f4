import { assertEquals } from "@std/assert";
import { herdVerdict } from "../../../lib/fleet/herd_text.ts";
import { historyOf } from "../log/history_of.ts";

const EVENTS = ["a acquired", "a released", "b acquired", "b released", "x acquired"];
const TWO = historyOf(EVENTS.map((event) => `2026-08-22T23:05:52Z ${event}\n`).join(""));

Deno.test("herdVerdict() passes if all came through and the log shows it", () => {
  const herd = { slugs: ["a", "b"], planned: 2, codes: [0, 0], tookMs: 2100 };
  assertEquals(herdVerdict(TWO, herd), {
    passes: true,
    doubt: null,
    text: "all 2 runs held the lock and gave it back, in 2.1s",
    details: [],
  });
});

Deno.test("herdVerdict() tells each way in which runs failed, and those that did not start", () => {
  const herd = { slugs: ["a", "b"], planned: 8, codes: [75, 0, 137, 0, 75, 70], tookMs: 1 };
  assertEquals(herdVerdict(TWO, herd), {
    passes: false,
    doubt: null,
    text: "2 of 8 runs came through",
    details: [
      "1 run ended with 70",
      "2 runs ended with 75: gave up waiting",
      "1 run ended with 137: ended by signal 9",
      "2 runs did not start after that",
    ],
  });
});

Deno.test("herdVerdict() notices a log that loses lines", () => {
  const herd = { slugs: ["a", "b", "c"], planned: 3, codes: [0, 0, 0], tookMs: 1 };
  const { passes, details } = herdVerdict(TWO, herd);
  assertEquals([passes, details], [false, ["the log shows 2 of their 3 holds: it loses lines"]]);
});

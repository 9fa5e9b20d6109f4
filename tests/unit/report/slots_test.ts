/** What a report says of a lock with slots. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { HistoryReader } from "../../../lib/log/history.ts";
import type { History } from "../../../lib/log/history_summary.ts";
import { joinSlots } from "../../../lib/log/slots_history.ts";
import { WaitsReader } from "../../../lib/log/waits.ts";
import { reportObject } from "../../../lib/report/json.ts";
import { reportHtml } from "../../../lib/report/page/html.ts";
import { pageModel } from "../../../lib/report/page/model.ts";
import { reportSvg } from "../../../lib/report/picture/svg.ts";
import { judgeSlots, verdictsOfSlots } from "../../../lib/report/slots.ts";
import { reportText } from "../../../lib/report/text.ts";

const T = (second: number) => `2026-08-22T23:05:${String(second).padStart(2, "0")}Z`;

function history(lines: readonly string[], holder: string | null = null): History {
  const reader = new HistoryReader();
  reader.feed(lines.map((line) => `${line}\n`).join(""));
  return reader.finish({ atMs: Date.parse(T(40)), holder });
}

const ONE = [
  ...[`${T(0)} a acquired`, `${T(10)} a released`, `${T(10)} b acquired`],
  ...[`${T(20)} c stale_break age=9s reason=dead holder=b`, `${T(20)} c acquired`],
  `${T(30)} c released`,
];
const TWO = [`${T(5)} a acquired`, `${T(15)} a released`, `${T(20)} d acquired`];
const LINE = [`${T(25)} e gave_up waited=5s reason=timeout`];

function report(one = ONE, two = TWO) {
  const slots = [
    { slot: "gpu0", history: history(one) },
    { slot: "gpu1", history: history(two, "d") },
  ];
  const all = joinSlots(slots, history(LINE));
  const judged = judgeSlots(all, slots, new Map([["gpu1", "d"]]));
  return { all, slots: judged, verdicts: verdictsOfSlots(all, judged) };
}

Deno.test("slots are counted and judged together, each by its own log", () => {
  const { all, slots, verdicts } = report();
  assertEquals(
    verdicts.summary,
    "acquired=5 released=3 gave_up=1 stale_breaks=1 (1 agent gave up)",
  );
  assertEquals([verdicts.pass, verdicts.exclusion.text], [true, "at most one in each of 2 slots"]);
  const text = reportText(all, { width: 80, verdicts, slots });
  assertMatch(text, /^PASS: at most one in each of 2 slots\nPASS: no slot leaked$/m);
  assertMatch(text, /^held {5}1m in 5 holds, 75% of the window of 2 slots$/m);
  assertMatch(text, /^slot {2,}holds {2,}held {2,}use {2,}now$/m);
  assertMatch(text, /^gpu1 {2,}2 {2,}30s {2,}75% {2,}d is still holding, 20s$/m);
  assertMatch(text, /^a {2,}2 {2,}20s {2,}10s {2,}0$/m);
  assertMatch(text, /^e {2,}0 {2,}.* 1$/m);
  assertMatch(text, /^gpu0 │.*│$/m);
  assertMatch(text, /broke [^(]*\(dead\) {2}\(slot gpu0, line 4\)/);
});

Deno.test("two at once in one slot fail the whole, and the slot is named", () => {
  const { verdicts, slots, all } = report([
    `${T(0)} a acquired`,
    `${T(1)} b acquired`,
    `${T(2)} b released`,
  ]);
  assertEquals([verdicts.pass, verdicts.exclusion.passes], [false, false]);
  assertMatch(verdicts.exclusion.text, /^not in slot gpu0: 2 agents held the lock simultaneously$/);
  assertMatch(verdicts.exclusion.details[0]!, /^slot gpu0: FAIL: /);
  const object = reportObject(all, { verdicts, slots }) as { slots: { pass: boolean }[] };
  assertEquals(object.slots.map(({ pass }) => pass), [false, true]);
});

Deno.test("holds of the same time in two slots are no overlap", () => {
  assertEquals(report().all.overlaps.count, 0);
});

Deno.test("picture and page have a lane for each slot, and say whose each hold was", () => {
  const { all, verdicts } = report();
  const svg = reportSvg(all, verdicts, null);
  assertMatch(svg, />gpu0<\/text>/);
  assertMatch(svg, /<title>a in slot gpu1: acquired 2026-08-22T23:05:05Z, released/);
  assertMatch(svg, /class="c0"/);
  const waits = new WaitsReader();
  const at = (second: number) => T(second).replace("Z", ".000Z");
  const token = "t".repeat(24);
  for (const [second, event] of [[12, "waiting"], [20, "acquired"]] as const) {
    waits.feed(`${JSON.stringify({ at: at(second), slug: "d", event, token })}\n`);
  }
  const told = waits.finish();
  const model = pageModel(all, told)!;
  assertEquals(model.lanes, ["gpu0", "gpu1", "in line"]);
  assertEquals(model.agents, ["a", "b", "c", "d"]);
  assertEquals(model.waits, [[2, 12, 8, 1]]);
  const ofD = model.holds.find((row) => model.agents![row[6]!] === "d")!;
  assertEquals(ofD.slice(0, 3), [1, 20, 20]);
  assertEquals(Math.max(...model.use), 100);
  const broken = model.marks.find(([, kind]) => kind === "stale_break")!;
  assertEquals(broken[4], 0, "in the lane of its slot");
  assert(
    reportHtml(all, { source: "lock.slots", verdicts, noLogAt: null, waits: told }).length > 0,
  );
});

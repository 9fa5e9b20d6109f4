import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { reportJson } from "../../../lib/report/json.ts";
import { reportHtml } from "../../../lib/report/page/html.ts";
import { reportSvg } from "../../../lib/report/picture/svg.ts";
import { reportText } from "../../../lib/report/text.ts";
import { verdictsOf } from "../../../lib/report/verdicts.ts";
import { historyOf } from "../log/history_of.ts";

/** Eight agents that each held for about a second. */
const SAMPLE = `2026-08-22T23:05:52Z agent-1 acquired
2026-08-22T23:05:53Z agent-1 released
2026-08-22T23:05:58Z agent-2 acquired
2026-08-22T23:05:59Z agent-2 released
2026-08-22T23:06:04Z agent-3 acquired
2026-08-22T23:06:05Z agent-3 released
2026-08-22T23:06:10Z agent-4 acquired
2026-08-22T23:06:11Z agent-4 released
2026-08-22T23:06:17Z agent-5 acquired
2026-08-22T23:06:17Z agent-5 released
2026-08-22T23:06:22Z agent-6 acquired
2026-08-22T23:06:23Z agent-6 released
2026-08-22T23:06:28Z agent-7 acquired
2026-08-22T23:06:29Z agent-7 released
2026-08-22T23:06:34Z agent-8 acquired
2026-08-22T23:06:35Z agent-8 released
`;

Deno.test("report text tells the sample log from its verdicts to its notes", () => {
  assertEquals(
    reportText(historyOf(SAMPLE), { width: 60 }),
    `acquired=8 released=8 gave_up=0 stale_breaks=0 (all agents got through)
PASS: no overlapping critical sections
PASS: no lock leaked

window   43s, 2026-08-22 23:05:52Z to 23:06:35Z
held     7s in 8 holds, 16% of the window
gaps     5s to 6s: median 5s, p95 6s, longest 6s (before
         line 9, agent-5)

agent    holds  total  longest  gave up
agent-1      1     1s       1s        0
agent-2      1     1s       1s        0
agent-3      1     1s       1s        0
agent-4      1     1s       1s        0
agent-5      1     0s       0s        0
agent-6      1     1s       1s        0
agent-7      1     1s       1s        0
agent-8      1     1s       1s        0

agent-1 │█▂                                                │
agent-2 │      ▁█▂                                         │
agent-3 │             ▁█▁                                  │
agent-4 │                    ▁█▁                           │
agent-5 │                             ▁                    │
agent-6 │                                  ▁█▁             │
agent-7 │                                         ▂█▁      │
agent-8 │                                                ▂█│
        └──────────────────────────────────────────────────┘
         23:05:52Z                                23:06:35Z

The log keeps whole seconds: a hold or gap can be up to 1s
longer or shorter than shown, and 0s means less than one.
`,
  );
});

const TROUBLE = `2026-08-22T23:05:52Z agent-1 acquired
2026-08-22T23:16:10Z agent-2 stale_break age=613s reason=expired holder=agent-1
2026-08-22T23:16:10Z agent-2 acquired
garbage \u001b[31m
2026-08-22T23:18:10Z agent-3 acquired
2026-08-22T23:18:20Z agent-2 lost
2026-08-22T23:19:10Z agent-3 released
2026-08-22T23:46:10Z agent-4 gave_up waited=1800s reason=timeout
2026-08-22T23:52:00Z agent-5 acquired
`;

Deno.test("report text tells what is wrong, with the lines at fault", () => {
  const text = reportText(historyOf(TROUBLE), { width: 100 });
  assertEquals(
    text.split("\n").slice(0, 7),
    [
      "acquired=4 released=1 gave_up=1 stale_breaks=1 (1 agent gave up)",
      "FAIL: 2 agents held the lock simultaneously",
      "  line 3: 2026-08-22T23:16:10Z agent-2 acquired",
      "  line 5: 2026-08-22T23:18:10Z agent-3 acquired",
      "  line 6: 2026-08-22T23:18:20Z agent-2 lost",
      "FAIL: 1 lock leaked",
      "  line 9: 2026-08-22T23:52:00Z agent-5 acquired: not released by the end of the log, or still held",
    ],
  );
  assertStringIncludes(
    text,
    "2026-08-22T23:16:10Z  agent-2 broke the lock of agent-1, held for 10m 18s: no sign of life for 10m\n" +
      "    13s (expired)  (line 2)\n",
  );
  assertStringIncludes(text, "agent-2 lost its lock, held for 2m 10s: somebody else removed it");
  assertStringIncludes(text, "agent-4 gave up after waiting 30m (timeout)");
  assertStringIncludes(
    text,
    "1 broken line, left out of all figures:\n  line 4: garbage \\u{1b}[31m",
  );
  assertStringIncludes(text, "no end may have ended in a broken line.");
  assert(!text.includes("\u001b"), "a log must not drive the terminal");
});

Deno.test("report text fails a hold that worked on into the next one, and shows the lines that prove it", () => {
  const log = [
    "2026-08-22T23:05:00Z a acquired",
    "2026-08-22T23:15:00Z b stale_break age=600s reason=expired holder=a",
    "2026-08-22T23:15:00Z b acquired",
    "2026-08-22T23:15:20Z a released",
    "2026-08-22T23:15:30Z b released",
  ];
  const text = reportText(historyOf(log.join("\n")), { width: 120 });
  assertEquals(text.split("\n").slice(1, 6), [
    "FAIL: 2 agents held the lock simultaneously",
    "  line 1: 2026-08-22T23:05:00Z a acquired",
    "  line 3: 2026-08-22T23:15:00Z b acquired",
    "  line 2: 2026-08-22T23:15:00Z the hold of a was broken as stale",
    "  line 4: 2026-08-22T23:15:20Z a had worked on until then",
  ]);
});

const CUT_SHORT = [
  "2026-08-22T23:05:00Z a acquired",
  "2026-08-22T23:15:00Z b stale_break age=600s reason=expired holder=a",
  "2026-08-22T23:15:00Z b acquired",
  "2026-08-22T23:15:30Z b released",
].join("\n");

Deno.test("report passes a break that its log cannot judge, and says that the log is all it goes by", () => {
  const history = historyOf(CUT_SHORT);
  const words = "PASS by the log; 1 hold was cut short, see incidents";
  assertStringIncludes(reportText(history, { width: 120 }), `\n${words}\n`);
  const { pass, exclusion, leaks, cut_short: cutShort } = JSON.parse(reportJson(history));
  assertEquals([pass, exclusion.pass, exclusion.sure], [true, true, false]);
  assertEquals([cutShort, leaks.doubt], [1, null]);
  assertEquals(exclusion.doubt, "1 hold was cut short, see incidents");
  assertMatch(reportSvg(history), new RegExp(`<text class="verdict unsure"[^>]*>${words}<`));
  assertMatch(
    reportHtml(history, { source: "/x", noLogAt: null }),
    /class="verdict unsure"[^]*<strong>PASS by the log<\/strong>; 1 hold was cut short/,
  );
});

Deno.test("report text has a doubt in amber where there are colours, and nothing else", () => {
  const show = (log: string, hasColors: boolean) =>
    reportText(historyOf(log), { width: 40, hasColors });
  const plain = show(CUT_SHORT, false);
  assert(!plain.includes("\x1b"));
  const coloured = show(CUT_SHORT, true);
  const amber = ["PASS by the log; 1 hold was cut short,", "    see incidents"];
  assertStringIncludes(coloured, amber.map((line) => `\n\x1b[33m${line}\x1b[0m`).join(""));
  assertEquals(coloured.replaceAll("\x1b[33m", "").replaceAll("\x1b[0m", ""), plain);
  assertEquals(show(SAMPLE, true), show(SAMPLE, false));
  assertEquals(show(TROUBLE, true), show(TROUBLE, false));
});

Deno.test("report text says what it read in a broken line", () => {
  const cut = [
    "2026-08-22T23:05:52Z a acquired",
    "2026-08-22T23:05:53Z a rele2026-08-22T23:05:54Z b acquired",
    "2026-08-22T23:05:55Z b released",
    "",
  ];
  const text = reportText(historyOf(cut.join("\n")), { width: 100 });
  assertStringIncludes(text, "PASS: no overlapping critical sections\nPASS: ");
  assertStringIncludes(
    text,
    `1 broken line, left out of all figures but for what is read in them:\n  line 2: ${
      cut[1]
    } (read as a released, b acquired)\n`,
  );
});

Deno.test("report text stays within the terminal's width where it draws", () => {
  for (const width of [40, 80, 200]) {
    const bars = reportText(historyOf(TROUBLE), { width }).split("\n").filter((line) =>
      /[│└]/.test(line)
    );
    assert(bars.every((line) => [...line].length <= width), `width ${width}`);
  }
});

const LONG_NAMES = ["1", "2"].map((n) =>
  `worker-${n}-of-the-nightly-migration@build-host-${n}.example.org`
);
const LONG = [
  `${LONG_NAMES[0]} acquired`,
  `${LONG_NAMES[1]} stale_break age=613s reason=expired holder=${LONG_NAMES[0]}`,
  `${LONG_NAMES[1]} acquired`,
  `${LONG_NAMES[0]} acquired`,
].map((event, index) => `2026-08-22T23:05:5${index}Z ${event}\n`).join("");

Deno.test("report text stays within the terminal's width whatever the names, and tells them apart", () => {
  for (const width of [40, 80, 120]) {
    // The first line is one that scripts look for, and stays whole.
    const [, ...lines] = reportText(historyOf(LONG), { width }).split("\n");
    // A name alone may be wider than the terminal, where it is told whole.
    const tooWide = lines.filter((line) => line.length > Math.max(width, 4 + 64));
    assertEquals(tooWide, [], `width ${width}`);
    const drawn = lines.filter((line) => /│|^(agent|worker)/.test(line));
    assertEquals(drawn.filter((line) => line.length > width), [], `width ${width}`);
    assertEquals(lines.filter((line) => line.endsWith(" ")), []);
  }
  const text = reportText(historyOf(LONG), { width: 80 });
  assertMatch(text, /^worker-1-of-\S+…\S+-1\.example\.org +2 +/m);
  assertMatch(text, /^worker-2-of-\S*…\S*ple\.org │/m);
  assertStringIncludes(text, `  line 3: 2026-08-22T23:05:52Z\n      ${LONG_NAMES[1]} acquired`);
});

Deno.test("report text marks the graver of two incidents that meet in one column", () => {
  const log = `2026-08-22T23:05:52Z a acquired
2026-08-22T23:05:53Z a released
2026-08-22T23:05:53Z b gave_up waited=1s reason=timeout
2026-08-22T23:05:53Z c released
`;
  const text = reportText(historyOf(log), { width: 60 });
  assertMatch(text, /^ +│ +s│$/m);
  assertStringIncludes(text, "g gave up   s stray release");
});

Deno.test("report does not call a hold that goes on a leak", () => {
  const history = historyOf("2026-08-22T23:05:52Z a acquired\n");
  assertEquals(verdictsOf(history).pass, false);
  assertEquals(verdictsOf(history, "b").pass, false);
  const verdicts = verdictsOf(history, "a");
  assertEquals([verdicts.pass, verdicts.leaks.text], [true, "no lock leaked (a holds it now)"]);
});

Deno.test("report text, JSON, picture and page tell the verdicts that they are given, and judge nothing anew", () => {
  const history = historyOf(SAMPLE);
  const { exclusion, ...others } = verdictsOf(history);
  const verdicts = { ...others, exclusion: { ...exclusion, text: "judged before" } };
  for (
    const told of [
      reportText(history, { width: 100, verdicts }),
      reportJson(history, { verdicts }),
      reportSvg(history, verdicts),
      reportHtml(history, { source: "/x", verdicts }),
    ]
  ) assertStringIncludes(told, "judged before");
});

Deno.test("report of one agent says what was done to it, what it did to others, and no more", () => {
  const summary = (slug: string) => verdictsOf(historyOf(TROUBLE, { slug })).summary;
  assertEquals(
    ["agent-1", "agent-2", "agent-3", "agent-4", "nobody"].map(summary),
    [
      "acquired=1 released=0 gave_up=0 stale_breaks=1 (agent-1: its lock was broken as stale)",
      "acquired=1 released=0 gave_up=0 stale_breaks=1 (agent-2: it lost its lock, it broke the lock of another)",
      "acquired=1 released=1 gave_up=0 stale_breaks=0 (agent-3: it got through)",
      "acquired=0 released=0 gave_up=1 stale_breaks=0 (agent-4: it gave up)",
      "acquired=0 released=0 gave_up=0 stale_breaks=0 (nobody: no line has that name)",
    ],
  );
});

Deno.test("report does not say that all got through where a lock was removed", () => {
  const log = TROUBLE.split("\n").slice(0, 3).join("\n") + "\n";
  assertMatch(verdictsOf(historyOf(log)).summary, / stale_breaks=1 \(nobody gave up\)$/);
});

Deno.test("report text tells gaps that are all alike in fewer words", () => {
  const log = SAMPLE.split("\n").slice(0, 6).join("\n") + "\n";
  const gaps = (text: string) => /^gaps +(.*)$/m.exec(text)?.[1];
  assertEquals(gaps(reportText(historyOf(log), { width: 80 })), "2 of 5s each");
  const two = log.split("\n").slice(0, 4).join("\n") + "\n";
  assertEquals(
    gaps(reportText(historyOf(two), { width: 80 })),
    "one of 5s (before line 3, agent-2)",
  );
});

Deno.test("report of an empty log passes and says that nothing happened", () => {
  const text = reportText(historyOf(""), { width: 80 });
  assertStringIncludes(text, "(nobody acquired)");
  assertStringIncludes(text, "nothing happened");
});

Deno.test("report JSON of the sample log has the figures of the text", () => {
  const report = JSON.parse(reportJson(historyOf(SAMPLE)));
  assertEquals(report.pass, true);
  assertEquals(report.window, {
    from: "2026-08-22T23:05:52Z",
    to: "2026-08-22T23:06:35Z",
    lasted_ms: 43_000,
  });
  assertEquals([report.held_ms, Math.round(report.use * 100)], [7000, 16]);
  assertEquals([report.gaps.shortest_ms, report.gaps.longest_ms], [5000, 6000]);
  assertEquals([report.holds.length, report.agents.length, report.holds_left_out], [8, 8, 0]);
  assertEquals(report.holds[0], {
    slug: "agent-1",
    start: "2026-08-22T23:05:52Z",
    end: "2026-08-22T23:05:53Z",
    held_ms: 1000,
    how: "released",
    start_line: 1,
    end_line: 2,
    worked_on_to: null,
    worked_on_to_line: null,
    gap_ms: null,
  });
});

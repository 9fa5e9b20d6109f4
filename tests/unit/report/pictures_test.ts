import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { HistoryReader } from "../../../lib/log/history.ts";
import { reportHtml } from "../../../lib/report/page/html.ts";
import { pageModel } from "../../../lib/report/page/model.ts";
import { scriptJson } from "../../../lib/report/page/markup.ts";
import { reportSvg } from "../../../lib/report/picture/svg.ts";
import { historyOf as history } from "../log/history_of.ts";

const NASTY = `2026-08-22T23:05:52Z <b>"x"&'y'</script> acquired
2026-08-22T23:05:53Z <b>"x"&'y'</script> released
2026-08-22T23:05:54Z b\u001b\u202ec acquired
2026-08-22T23:05:55Z z stale_break age=9s reason=<i>&amp; holder=<u>
not </script><!-- a line
`;

/** Whether every tag is closed in its turn and every `&` begins an entity; no parser, but strict. */
function assertWellFormed(xml: string): void {
  const open: string[] = [];
  const text = xml.replace(
    /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, end, name, attributes, empty) => {
      if (end) assertEquals(open.pop(), name);
      else if (!empty) open.push(name);
      assertEntities(attributes);
      return "";
    },
  );
  assertEquals(open, []);
  assert(!text.includes("<"), `a stray < in ${text.slice(text.indexOf("<"), 80)}`);
  assertEntities(text);
}

function assertEntities(text: string): void {
  assertEquals(/&(?!(amp|lt|gt|quot|#39);)/.exec(text), null);
}

Deno.test("report SVG is well-formed whatever names are in the log", () => {
  const svg = reportSvg(history(NASTY));
  assertWellFormed(svg);
  assertStringIncludes(svg, "&lt;b&gt;&quot;x&quot;&amp;&#39;y&#39;&lt;/script&gt;");
  assertStringIncludes(svg, "\\u{1b}\\u{202e}");
  assertMatch(svg, /prefers-color-scheme: dark/);
});

Deno.test("report SVG of nothing is a picture all the same", () => {
  assertWellFormed(reportSvg(history("")));
});

Deno.test("report SVG has a shape a hold, and fewer where they are many", () => {
  const line = (ms: number, event: string) =>
    `${new Date(ms).toISOString().replace(".000", "")} a${ms / 3000 % 7} ${event}\n`;
  const log = Array.from({ length: 30_000 }, (_, i) => {
    const ms = Date.parse("2026-08-22T00:00:00Z") + i * 3000;
    return line(ms, "acquired") + line(ms, "released");
  }).join("");
  assertEquals(reportSvg(history(NASTY)).match(/<\/title><\/rect>/g)?.length, 2);
  const svg = reportSvg(history(log));
  assert(svg.length < 500_000, `${svg.length} characters`);
  assertWellFormed(svg);
});

const ALL_KINDS = `2026-08-22T23:05:00Z a acquired
2026-08-22T23:05:10Z a released
2026-08-22T23:05:20Z b acquired
2026-08-22T23:05:30Z c stale_break age=9s reason=dead holder=b
2026-08-22T23:05:30Z c acquired
2026-08-22T23:05:40Z d force_release holder=c
2026-08-22T23:05:41Z c released
2026-08-22T23:05:50Z d acquired
2026-08-22T23:06:00Z e acquired
2026-08-22T23:06:01Z d lost
2026-08-22T23:06:02Z e max_hold
2026-08-22T23:06:03Z e released
2026-08-22T23:06:04Z f gave_up waited=60s reason=timeout
2026-08-22T23:06:05Z g released
2026-08-22T23:06:10Z h acquired
2026-08-22T23:06:20Z i acquired
`;

interface Entry {
  readonly x: number;
  readonly y: number;
  readonly words: string;
}

function legendOf(svg: string): Entry[] {
  const group = /<g class="legend">([^]*?)<\/g>/.exec(svg)?.[1] ?? "";
  return [...group.matchAll(/<text class="tick" x="([\d.]+)" y="([\d.]+)">([^<]*)<\/text>/g)]
    .map(([, x, y, words]) => ({ x: Number(x), y: Number(y), words: words! }));
}

Deno.test("report SVG says what the shapes mean that it has, and nothing of others", () => {
  const calm = ALL_KINDS.split("\n").slice(0, 2).join("\n") + "\n";
  const words = (log: string) => legendOf(reportSvg(history(log))).map((entry) => entry.words);
  assertEquals(words(calm), ["held"]);
  const broken = ALL_KINDS.split("\n").slice(0, 4).join("\n") + "\n";
  assertEquals(words(broken), ["held", "held until broken as stale", "broken as stale"]);
  assertEquals(words(""), []);
  const svg = reportSvg(history(ALL_KINDS));
  const [, drawn = "", legend = ""] = /^([^]*)<g class="legend">([^]*)$/.exec(svg)!;
  const looks = (text: string) =>
    new Set(
      [...text.matchAll(/<(?:rect|line) class="((?!grid)[^"]+)"/g)].map(([, look]) => look),
    );
  assertEquals(looks(legend), looks(drawn));
  assertEquals(legendOf(svg).length, looks(drawn).size);
});

Deno.test("report SVG keeps its legend within the picture, without one word over another", () => {
  const svg = reportSvg(history(ALL_KINDS));
  assertWellFormed(svg);
  const height = Number(/height="(\d+)"/.exec(svg)![1]);
  const entries = legendOf(svg);
  assert(new Set(entries.map(({ y }) => y)).size > 1, "all kinds at once take more than one row");
  for (const [index, { x, y, words }] of entries.entries()) {
    const end = x + words.length * 5;
    assert(end < 1120 && y < height - 5, `${words} at ${x}, ${y} of ${height}`);
    const next = entries[index + 1];
    if (next?.y === y) assert(end < next.x, `${words} runs into ${next.words}`);
  }
});

Deno.test("report SVG says that the log keeps whole seconds where it shows, below all else", () => {
  const short = reportSvg(history(ALL_KINDS));
  const [, y] = /y="(\d+)">The log keeps whole seconds: /.exec(short)!;
  assert(legendOf(short).every((entry) => entry.y + 12 < Number(y)));
  assert(Number(y) < Number(/height="(\d+)"/.exec(short)![1]));
  const long = "2026-08-22T23:05:00Z a acquired\n2026-08-22T23:15:00Z a released\n";
  assert(!reportSvg(history(long)).includes("whole seconds"));
});

Deno.test("report page says what the shapes mean that it has, and nothing of others", () => {
  const page = (log: string) => reportHtml(history(log), { source: "lock.log" });
  const legend = (html: string) => /<ul class="legend">(.*?)<\/ul>/.exec(html)![1]!;
  const words = (html: string) =>
    [...legend(html).matchAll(/<\/svg>([^<]*)<\/li>/g)].map(([, words]) => words);
  assertEquals(words(page(ALL_KINDS.split("\n").slice(0, 2).join("\n"))), ["held"]);
  const html = page(ALL_KINDS);
  assertEquals(words(html), legendOf(reportSvg(history(ALL_KINDS))).map((entry) => entry.words));
  const model = JSON.parse(/id="model">(.*?)<\/script>/s.exec(html)![1]!);
  for (const [, kind] of model.marks) assertStringIncludes(legend(html), `class="mark ${kind}"`);
  assertStringIncludes(legend(html), 'class="overlap-line"');
});

Deno.test("report page has overlaps among the incidents, in the order of the log", () => {
  const html = reportHtml(history(ALL_KINDS), { source: "lock.log" });
  const table = /<h2 id="incidents-title">([^]*?)<\/table>/.exec(html)![1]!;
  const rows = [
    ...table.matchAll(/class="chip">([^<]*)<.*?class="words">([^<]*)<.*?>(\d+)<\/td>/g),
  ];
  const lines = rows.map(([, , , line]) => Number(line));
  assertEquals(lines, lines.toSorted((a, b) => a - b));
  assertEquals(
    rows.filter(([, name]) => name === "overlap").map(([, , words]) => words),
    ["e acquired while d held, since line 8", "i acquired while h held, since line 15"],
  );
});

Deno.test("report page shows names as text and never as markup", () => {
  const html = reportHtml(history(NASTY), { source: "<log>&" });
  assertStringIncludes(html, "&lt;log&gt;&amp;");
  assert(!html.includes('<b>"'), "a name became markup");
  assert(!html.includes("<i>&"), "a reason became markup");
  assert(!html.includes("\u202e"), "a name turns the direction of the text");
  assertEquals(html.match(/<\/script>/g)?.length, html.match(/<script/g)?.length);
  const model = /id="model">(.*?)<\/script>/s.exec(html)![1]!;
  assertEquals(JSON.parse(model).lanes[0], `<b>"x"&'y'</script>`);
});

Deno.test("report page asks for nothing from anywhere", () => {
  const html = reportHtml(history(NASTY), { source: "lock.log" });
  assertStringIncludes(html, "default-src 'none'");
  assertEquals(html.match(/(?:src|href)="(?!data:)[^"]*"/g), null);
});

Deno.test("report page of a huge log is aggregated and small", () => {
  const reader = new HistoryReader();
  for (let i = 0; i < 60_000; i++) {
    const time = new Date(Date.parse("2026-08-22T00:00:00Z") + i * 2000).toISOString().slice(0, 19);
    reader.feedLine(`${time}Z agent-${i % 50} acquired`);
    reader.feedLine(`${time}Z agent-${i % 50} released`);
  }
  const html = reportHtml(reader.finish(), { source: "lock.log" });
  assert(html.length < 3_000_000, `${html.length} characters`);
  const model = JSON.parse(/id="model">(.*?)<\/script>/s.exec(html)![1]!);
  assertEquals([model.holds.length, model.lanes.length], [0, 40]);
  assertEquals(model.lanes.at(-1), "11 others");
});

/** Of ten agents the later hold the longer; the last gave up and never held. */
function fleetLog(agents: number): string {
  const at = (ms: number) => new Date(Date.parse("2026-08-22T00:00:00Z") + ms).toISOString();
  const line = (ms: number, words: string) => `${at(ms).slice(0, 19)}Z ${words}\n`;
  return Array.from({ length: agents }, (_, index) => {
    const startMs = index * 100_000;
    return line(startMs, `a${index} acquired`) + line(startMs + index * 1000, `a${index} released`);
  }).join("") + line(agents * 100_000, "w gave_up waited=1s reason=timeout");
}

Deno.test("report page has who held the longest first where there are more than eight agents", () => {
  assertEquals(pageModel(history(fleetLog(7)))!.lanes.join(" "), "a0 a1 a2 a3 a4 a5 a6 w");
  assertEquals(pageModel(history(fleetLog(8)))!.lanes.join(" "), "a7 a6 a5 a4 a3 a2 a1 a0 w");
});

Deno.test("report page knows how long two held at once, or that no line tells it", () => {
  const overlaps = (log: string) =>
    pageModel(history(log))!.marks.filter(([, kind]) => kind === "overlap");
  const [known, unknown] = overlaps(ALL_KINDS);
  assertEquals(known!.slice(3), [9, pageModel(history(ALL_KINDS))!.lanes.indexOf("e"), 1, 3]);
  assertEquals(unknown![5], -1);
  const open = "2026-08-22T23:05:00Z a acquired\n2026-08-22T23:05:10Z b acquired\n" +
    "2026-08-22T23:05:30Z a released\n";
  assertEquals(overlaps(open)[0]![5], 20);
});

Deno.test("report page and SVG of an empty log say so in grey, and pass nothing", () => {
  const svg = reportSvg(history(""));
  assertStringIncludes(svg, 'class="title soft"');
  const html = reportHtml(history(""), { source: "lock.log" });
  for (const drawn of [svg, html]) {
    assertStringIncludes(drawn, "The log is empty: there is nothing to judge yet");
    assertEquals(/PASS:|PASS<|PASS ·/.exec(drawn), null);
  }
  const calm = history(ALL_KINDS, { sinceMs: Date.parse("2026-08-24T00:00:00Z") });
  assertStringIncludes(reportHtml(calm, { source: "lock.log" }), "Nothing happened in this time.");
});

Deno.test("scriptJson() cannot end its element", () => {
  const text = scriptJson({ name: "</script><!--&\u2028" });
  assert(!/[<>&\u2028]/.test(text));
  assertEquals(JSON.parse(text), { name: "</script><!--&\u2028" });
});

const TALE = [
  "00:00 a acquired",
  "00:10 b stale_break age=9s reason=dead holder=a",
  "00:10 b acquired",
  "00:20 b released",
  "00:55 c acquired",
  "01:00 c released",
];

function talesIn(lines: readonly string[]): string[] {
  const svg = reportSvg(
    history(lines.map((line) => `2026-08-22T23:${line.replace(" ", "Z ")}\n`).join("")),
  );
  return [...svg.matchAll(/text-anchor="(?:start|end)">([^<]*[a-z] [^<]*)</g)].map(([, words]) =>
    words!
  );
}

Deno.test("the picture says in words who died, and who broke its lock", () => {
  assertEquals(talesIn(TALE), ["died; b broke its lock"]);
  assertEquals(talesIn(TALE.with(1, "00:10 b force_release holder=a")), [
    "b removed its lock by force",
  ]);
});

Deno.test("the picture writes no words over a bar, nor where too much happened", () => {
  assertEquals(
    talesIn([...TALE.slice(0, 4), "00:21 a acquired", "00:54 a released", "05:00 c acquired"]),
    [],
  );
  const many = Array.from({ length: 7 }, (_, at) => `01:0${at} d gave_up waited=1s reason=timeout`);
  assertEquals(talesIn([...TALE, ...many]), []);
});

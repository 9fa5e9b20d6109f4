/** How a hold that goes on is told. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { reportJson } from "../../../lib/report/json.ts";
import { reportHtml } from "../../../lib/report/page/html.ts";
import { pageModel } from "../../../lib/report/page/model.ts";
import { reportSvg } from "../../../lib/report/picture/svg.ts";
import { reportText } from "../../../lib/report/text.ts";
import { verdictsOf } from "../../../lib/report/verdicts.ts";
import { historyOf } from "../log/history_of.ts";

const LOG = "2026-08-22T23:05:00Z a acquired\n2026-08-22T23:05:10Z a released\n" +
  "2026-08-22T23:05:20Z b acquired\n";
const NOW = { atMs: Date.parse("2026-08-22T23:05:42.900Z"), holder: "b" };

Deno.test("report text of a lock's own log says that its window ends now, and who is still holding", () => {
  const history = historyOf(LOG, {}, NOW);
  const text = reportText(history, { width: 100, verdicts: verdictsOf(history, "b") });
  assertStringIncludes(text, "PASS: no lock leaked (b holds it now)");
  assertStringIncludes(text, "\nwindow   42s, 2026-08-22 23:05:00Z to 23:05:42Z (now)\n");
  assertStringIncludes(text, "\nnow      b is still holding, 22s\n");
});

Deno.test("report text of a copy has no now", () => {
  const text = reportText(historyOf(LOG), { width: 100 });
  assertEquals(/now|still holding/.exec(text), null);
});

Deno.test("report SVG and page say of a hold that goes on that it does", () => {
  const history = historyOf(LOG, {}, NOW);
  const svg = reportSvg(history, verdictsOf(history, "b"));
  assertStringIncludes(svg, "b: acquired 2026-08-22T23:05:20Z, still holding, 22s</title>");
  assertMatch(svg, /<text class="tick"[^>]*>still holding</);
  assertStringIncludes(svg, "23:05:42Z (now)");
  assertEquals(pageModel(history)?.running, "still holding, 22s");
  const page = reportHtml(history, { source: "/x", verdicts: verdictsOf(history, "b") });
  assertStringIncludes(page, "23:05:42Z (now)");
  assertMatch(page, /<ul class="legend">.*still holding<\/li>/);
});

Deno.test("report JSON has the hold that goes on", () => {
  const json = JSON.parse(reportJson(historyOf(LOG, {}, NOW)));
  assertEquals(json.still_holding, {
    slug: "b",
    since: "2026-08-22T23:05:20Z",
    held_ms: 22_000,
    line: 3,
  });
  assertEquals(json.window.to, "2026-08-22T23:05:42Z");
  assertEquals(JSON.parse(reportJson(historyOf(LOG))).still_holding, null);
});

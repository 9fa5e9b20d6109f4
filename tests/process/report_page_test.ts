/**
 * The report's page in real headless Chromium. Skipped where there is none, unless REPORT_PAGE_TEST=required
 * says that it must not be.
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { HistoryReader } from "../../lib/log/history.ts";
import { reportHtml } from "../../lib/report/page/html.ts";
import { findChromium, Page } from "./browser.ts";

const LOG = `2026-08-22T23:05:52Z agent-1 acquired
2026-08-22T23:05:53Z agent-1 released
2026-08-22T23:05:58Z <b>&"o'b acquired
2026-08-22T23:06:08Z <b>&"o'b released
2026-08-22T23:06:14Z agent-3 acquired
2026-08-22T23:16:34Z agent-1 stale_break age=613s reason=expired holder=agent-3
2026-08-22T23:16:34Z agent-1 acquired
2026-08-22T23:16:40Z agent-1 released
</script><script>throw new Error("forged")</script>
`;

/** As long as a path of a lock can well be. */
const SOURCE = "/srv/locks/of-all-machines/device-7/lock.log";

const chromium = await findChromium();
if (chromium === null) {
  if (Deno.env.get("REPORT_PAGE_TEST") === "required") throw new Error("there is no Chromium here");
  console.log("the report's page is not tested: there is no Chromium here");
}

function pageTest(name: string, test: (page: Page) => Promise<void>, log = LOG): void {
  Deno.test({
    name: `report page ${name}`,
    ignore: chromium === null,
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        const reader = new HistoryReader();
        reader.feed(log);
        const path = `${folder}/report.html`;
        await Deno.writeTextFile(path, reportHtml(reader.finish(), { source: SOURCE }));
        await using page = await Page.open(chromium!, path);
        await test(page);
        assertEquals(page.errors, []);
        assertEquals(page.requests, []);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** The middle of what draws holds in a lane, in the window's pixels. */
async function middleOfHold(page: Page, index: number): Promise<{ x: number; y: number }> {
  // Each hold of this log is a shape of its own, in the order of the paths' pieces.
  await page.value("document.getElementById('timeline').scrollIntoView({ block: 'center' })");
  return await page.value(`(() => {
    const model = JSON.parse(document.getElementById("model").textContent);
    const [lane, start, seconds] = model.holds[${index}];
    const ground = document.querySelectorAll(".lane-ground")[lane].getBoundingClientRect();
    const room = model.seconds * 0.012;
    const share = (start + seconds / 2 + room) / (model.seconds + 2 * room);
    return { x: ground.left + share * ground.width, y: ground.top + ground.height / 2 };
  })()`);
}

pageTest("loads from a file without an error, a request or a forged script", async (page) => {
  assertEquals(await page.value("document.title"), "PASS · Lock report");
  // The break in this log leaves a doubt that no log can clear: it passes in amber.
  const verdicts = "[...document.querySelectorAll('.verdict')].map((one) => one.className)";
  assertEquals(await page.value(verdicts), ["verdict unsure", "verdict pass"]);
  assertStringIncludes(await page.value("document.body.innerText"), `<b>&"o'b`);
  assertEquals(await page.value("document.querySelectorAll('main b').length"), 0);
});

pageTest("tells a hold under the pointer, and no longer when it leaves", async (page) => {
  const { x, y } = await middleOfHold(page, 2);
  await page.pointAt(x, y);
  assertEquals(await page.value("document.getElementById('tip').hidden"), false);
  const told = await page.value("document.getElementById('tip').innerText");
  assertMatch(told, /agent-3\s+held for 10m 20s, 23:06:14Z to 23:16:34Z, broken as stale/);
  await page.pointAt(2, 2);
  assertEquals(await page.value("document.getElementById('tip').hidden"), true);
});

pageTest("tells holds by keyboard, in a live region, in the order of time", async (page) => {
  for (let tabs = 0; tabs < 12; tabs++) {
    if (await page.value("document.activeElement.id") === "timeline") break;
    await page.press("Tab");
  }
  const told = () => page.value("document.getElementById('told').textContent");
  assertMatch(await told(), /^agent-1: held for 1s, .*\(line 1\)\. 1 of 4\.$/);
  assertEquals(await page.value("document.getElementById('tip').hidden"), false);
  assertEquals(await page.value("document.querySelectorAll('.ring').length"), 1);
  await page.press("ArrowRight");
  assertMatch(
    await told(),
    /^<b>&"o'b: held for 10s, .*; free for 5s before \(line 3\)\. 2 of 4\.$/,
  );
  await page.press("ArrowUp");
  assertMatch(await told(), /^agent-1: held for 1s/);
  await page.press("End");
  assertMatch(await told(), /4 of 4\.$/);
  await page.press("ArrowLeft");
  assertMatch(await told(), /^agent-3: .* 3 of 4\.$/);
  await page.press("Escape");
  assertEquals(await told(), "");
  assertEquals(
    await page.value("document.getElementById('told').getAttribute('aria-live')"),
    "polite",
  );
});

pageTest("zooms by wheel, buttons and keys, and shows all again", async (page) => {
  const ticks = () =>
    page.value(
      "[...document.querySelectorAll('#drawing text:not(.lane)')].map((t) => t.textContent).join()",
    );
  const all = await ticks();
  const { x, y } = await middleOfHold(page, 0);
  for (let turns = 0; turns < 8; turns++) await page.wheel(x, y, -250);
  const near = await ticks();
  assertNotEquals(near, all);
  assertMatch(near, /23:05:\d\d/);
  await page.value("document.getElementById('zoom-all').click()");
  assertEquals(await ticks(), all);
  await page.value("document.getElementById('zoom-in').click()");
  const nearer = await ticks();
  assertNotEquals(nearer, all);
  await page.value("document.getElementById('timeline').focus()");
  await page.press("0");
  assertEquals(await ticks(), all);
});

pageTest("is dark or light as the reader prefers, and as its button says", async (page) => {
  const ground = () => page.value("getComputedStyle(document.body).backgroundColor");
  await page.preferTheme("light");
  const light = await ground();
  await page.preferTheme("dark");
  const dark = await ground();
  assertNotEquals(dark, light);
  assertEquals(await page.value("document.getElementById('theme').textContent"), "Light theme");
  await page.value("document.getElementById('theme').click()");
  assertEquals(await ground(), light);
  assertEquals(await page.value("document.getElementById('theme').textContent"), "Dark theme");
});

pageTest("fits a narrow window", async (page) => {
  for (const width of [320, 360, 420, 800]) {
    await page.size(width, 800);
    const [whole, button] = await page.value(
      "[document.documentElement, document.getElementById('theme')].map((one) => one.scrollWidth - one.clientWidth)",
    );
    assert(whole <= 0, `${width}: ${whole} pixels beyond the window`);
    assert(button <= 0, `${width}: ${button} pixels of the button's words are cut off`);
  }
});

const SECONDS_A_HOLD = 3;
const HOLDS = 10_000;
const LONG_LOG = Array.from({ length: HOLDS }, (_, index) => {
  const start = Date.parse("2026-08-22T00:00:00Z") + index * SECONDS_A_HOLD * 1000;
  const time = (ms: number) => new Date(ms).toISOString().replace(".000", "");
  const slug = `agent-${index % 12}`;
  return `${time(start)} ${slug} acquired\n${time(start + 2000)} ${slug} released\n`;
}).join("");

pageTest("draws ten thousand holds in a few shapes, each still to be told", async (page) => {
  assert(await page.value("document.querySelectorAll('#drawing *').length < 200"));
  await page.value("document.getElementById('timeline').focus()");
  await page.press("End");
  await page.press("ArrowLeft");
  assertMatch(await page.value("document.getElementById('told').textContent"), /9999 of 10000\.$/);
}, LONG_LOG);

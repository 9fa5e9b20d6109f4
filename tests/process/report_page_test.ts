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
import type { History } from "../../lib/log/history_summary.ts";
import { reportSvg } from "../../lib/report/picture/svg.ts";
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

function pageTest(
  name: string,
  test: (page: Page) => Promise<void>,
  log = LOG,
  draw: (history: History) => string = (history) => reportHtml(history, { source: SOURCE }),
): void {
  Deno.test({
    name: `report page ${name}`,
    ignore: chromium === null,
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        const reader = new HistoryReader();
        reader.feed(log);
        const path = `${folder}/report.html`;
        await Deno.writeTextFile(path, draw(reader.finish()));
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

/** One of each kind that has a lane to stand in; a and b held at once for 20 seconds. */
const TROUBLE = `2026-08-22T23:05:00Z a acquired
2026-08-22T23:15:00Z b stale_break age=600s reason=expired holder=a
2026-08-22T23:15:00Z b acquired
2026-08-22T23:15:20Z a released
2026-08-22T23:16:00Z b released
2026-08-22T23:17:00Z c acquired
2026-08-22T23:18:00Z ops force_release holder=c
2026-08-22T23:19:00Z d acquired
2026-08-22T23:20:00Z d max_hold
2026-08-22T23:20:01Z d released
2026-08-22T23:21:00Z e gave_up waited=60s reason=timeout
`;
const LANES = ["a", "b", "c", "d", "e"];

/** The middle of what a selector finds, in the window's pixels. */
async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  await page.value("document.getElementById('timeline').scrollIntoView({ block: 'center' })");
  return await page.value(`(() => {
    const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  })()`);
}

/** The lane in whose row a mark stands. */
async function laneOf(page: Page, selector: string): Promise<string | undefined> {
  const { y } = await middleOf(page, selector);
  const rows: { top: number; bottom: number }[] = await page.value(
    `[...document.querySelectorAll(".lane-ground")].map((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return { top, bottom };
    })`,
  );
  return LANES[rows.findIndex(({ top, bottom }) => y > top && y < bottom)];
}

const range = (page: Page) => page.value("document.getElementById('range').textContent");

pageTest("has each incident as a mark of its own shape in its agent's row", async (page) => {
  const wanted = [
    ["stale_break", "a"],
    ["late_release", "a"],
    ["force_release", "c"],
    ["max_hold", "d"],
    ["gave_up", "e"],
    ["overlap", "b"],
  ] as const;
  const shapes = new Set<string>();
  for (const [kind, lane] of wanted) {
    const selector = `#drawing .mark.${kind}`;
    assertEquals(await laneOf(page, selector), lane, kind);
    const d = await page.value(`document.querySelector("${selector}").getAttribute("d")`);
    shapes.add(d.slice(d.indexOf("m")));
  }
  assertEquals(shapes.size, wanted.length);
}, TROUBLE);

pageTest("tells of a mark under the pointer", async (page) => {
  const { x, y } = await middleOf(page, "#drawing .mark.gave_up");
  await page.pointAt(x, y);
  assertEquals(await page.value("document.getElementById('tip').hidden"), false);
  assertMatch(
    await page.value("document.getElementById('tip').innerText"),
    /^gave up\s+23:21:00Z, e gave up after waiting 1m \(timeout\) \(line 11\)$/,
  );
}, TROUBLE);

pageTest("paints an overlap red in both rows, and says how long it was", async (page) => {
  const bars = "[...document.querySelectorAll('#drawing .overlap-bar')]";
  const clash = "getComputedStyle(document.documentElement).getPropertyValue('--clash')";
  await page.preferTheme("light");
  assertEquals(await page.value(clash), "#c8102e");
  assertEquals(
    await page.value(`${bars}.map((bar) => getComputedStyle(bar).fill)`),
    ["rgb(200, 16, 46)", "rgb(200, 16, 46)"],
  );
  assertEquals(
    await page.value("document.querySelector('#drawing .length').textContent"),
    "overlap 20s",
  );
  assertEquals(await page.value(`new Set(${bars}.map((bar) => bar.getAttribute("y"))).size`), 2);
  const row = "document.querySelector('tr[data-mark^=overlap] .words').textContent";
  assertEquals(await page.value(row), "b acquired while a held, since line 1 both held for 20s");
}, TROUBLE);

pageTest(
  "goes to the moment of an incident that is clicked, or chosen by keyboard",
  async (page) => {
    const all = await range(page);
    await page.value("document.querySelector('tr[data-mark^=gave_up]').click()");
    assertEquals(await range(page), "2026-08-22 23:20:11 to 23:21:00 UTC, 49s");
    assertMatch(
      await page.value("document.getElementById('told').textContent"),
      /^gave up: 23:21:00Z, e gave up/,
    );
    assertEquals(await page.value("document.activeElement.id"), "timeline");
    assertEquals(await page.value("document.querySelectorAll('.ring').length"), 1);
    await page.press("0");
    assertEquals(await range(page), all);
    await page.value("document.querySelector('tr[data-mark^=max_hold] button').focus()");
    await page.press("Enter");
    assertMatch(
      await page.value("document.getElementById('told').textContent"),
      /^held too long: /,
    );
    await page.press("ArrowRight");
    await page.press("ArrowLeft");
    assertMatch(
      await page.value("document.getElementById('told').textContent"),
      /^c: .* 3 of 4\.$/,
    );
  },
  TROUBLE,
);

pageTest("keeps tooltips and incidents whole in a narrow window", async (page) => {
  await page.size(1200, 800);
  await page.value("document.getElementById('timeline').focus()");
  await page.press("End");
  await page.size(320, 800);
  assert(await page.value("document.getElementById('tip').offsetWidth") > 150);
  const scrolled = "document.querySelector('#incidents .scroll')";
  assertEquals(await page.value(`${scrolled}.scrollWidth - ${scrolled}.clientWidth`), 0);
}, TROUBLE);

pageTest(
  "sorts its tables by the column that is pressed, figures by what they stand for",
  async (page) => {
    const names = () =>
      page.value(
        "[...document.querySelectorAll('#agents tbody tr')].map((row) => row.cells[0].textContent).join('')",
      );
    const press = async (id: string, name: string) => {
      await page.value(
        `[...document.querySelectorAll("#${id} .sort")].find((one) => one.textContent === "${name}").click()`,
      );
    };
    assertEquals(await names(), "abcde");
    await press("agents", "Total");
    assertEquals(await names(), "adbce");
    const heading = "document.querySelector('#agents [aria-sort]')";
    assertEquals(await page.value(`${heading}.getAttribute("aria-sort")`), "descending");
    await press("agents", "Total");
    assertEquals(await names(), "ebcda");
    await press("agents", "Agent");
    assertEquals(await names(), "abcde");
    await press("incidents", "Line");
    const first = "document.querySelector('#incidents tbody tr').cells[3].textContent";
    assertEquals(await page.value(first), "11");
  },
  TROUBLE,
);

pageTest("always says in UTC which part of the time it shows", async (page) => {
  assertEquals(await range(page), "2026-08-22 23:05:00 to 23:21:00 UTC, 16m");
  await page.value("document.getElementById('zoom-in').click()");
  assertEquals(await range(page), "2026-08-22 23:08:54 to 23:17:05 UTC, 8m 11s");
  await page.value("document.getElementById('zoom-all').click()");
  assertEquals(await range(page), "2026-08-22 23:05:00 to 23:21:00 UTC, 16m");
}, TROUBLE);

pageTest(
  "has a strip of use above the timeline, by which a part of the time is chosen",
  async (page) => {
    const use: number[] = await page.value(
      "JSON.parse(document.getElementById('model').textContent).use",
    );
    assertEquals([use[0], use.at(-1), Math.max(...use)], [100, 0, 100]);
    assertEquals(await page.value("document.querySelectorAll('#overview .seen').length"), 0);
    const { x, y } = await middleOf(page, "#overview .strip-ground");
    const width = await page.value(
      "document.querySelector('#overview .strip-ground').getBoundingClientRect().width",
    );
    await page.drag(x, y, x + width / 4, y);
    assertMatch(await range(page), /^2026-08-22 23:1[23]:\d\d to 23:1[67]:\d\d UTC, 4m/);
    assertEquals(await page.value("document.querySelectorAll('#overview .seen').length"), 1);
    await page.drag(x - width / 4, y);
    assertMatch(await range(page), /^2026-08-22 23:0[67]:\d\d to 23:1[01]:\d\d UTC, 4m/);
  },
  TROUBLE,
);

const WAITED = "2026-08-22T23:21:00Z e gave_up waited=60s reason=timeout\n";

pageTest("draws a log in which nobody ever held", async (page) => {
  assertEquals(await page.value("document.querySelectorAll('#drawing .mark').length"), 1);
  await page.value("document.getElementById('timeline').focus()");
  for (const key of ["ArrowRight", "ArrowLeft", "ArrowDown", "Home", "End", "Enter"]) {
    await page.press(key);
  }
  assertEquals(await page.value("document.getElementById('told').textContent"), "");
}, WAITED);

pageTest("says in grey that a log is empty, and passes nothing", async (page) => {
  const words = "document.querySelector('.empty')";
  assertEquals(
    await page.value(`${words}.textContent`),
    "The log is empty: there is nothing to judge yet.",
  );
  await page.preferTheme("light");
  assertEquals(await page.value(`getComputedStyle(${words}).color`), "rgb(92, 101, 112)");
  assertEquals(await page.value("document.querySelectorAll('.verdict, #timeline').length"), 0);
  assertEquals(await page.value("document.title"), "Empty log · Lock report");
}, "");

pageTest(
  "has a picture that scales to a narrower place, all of it",
  async (page) => {
    const size = "document.querySelector('svg').getBoundingClientRect()";
    await page.size(1400, 800);
    assertEquals(await page.value(`${size}.width`), 1120);
    const height = await page.value(`${size}.height`);
    await page.size(580, 800);
    assertEquals(await page.value(`${size}.width`), 560);
    assertEquals(await page.value(`${size}.height`), height / 2);
  },
  TROUBLE,
  (history) => `<!doctype html><body style="margin:10px">${reportSvg(history)}</body>`,
);

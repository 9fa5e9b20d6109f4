/** The report as one page that needs nothing else: no network, no other file. */

import type { Waits } from "../../log/waits.ts";
import { countOf, showCount } from "../../words/columns.ts";
import type { GapFigures, History } from "../../log/history_summary.ts";
import { showForeign } from "../../words/slugs.ts";
import { escaped, scriptJson } from "./markup.ts";
import { notesOf } from "../notes.ts";
import { pageLegend } from "./legend.ts";
import { type PageModel, pageModel } from "./model.ts";
import { PAGE_SCRIPT, TIMELINE_SCRIPT } from "./script.ts";
import { PAGE_STYLE } from "./style.ts";
import { agentTable, brokenTable, incidentTable } from "./tables.ts";
import { type Verdict, verdictParts, type Verdicts, verdictsOf } from "../verdicts.ts";
import {
  EMPTY_LOG,
  isEmpty,
  NOTHING_HAPPENED,
  showLogged,
  showShare,
  showWindow,
} from "../phrases.ts";

export interface PageOptions {
  /** From the journal, for the light bars before the holds; null if there is none. */
  readonly waits?: Waits | null;
  /** Where the log was read from, for the heading. */
  readonly source: string;
  /** Of this history; without them it is judged as a log of the past. */
  readonly verdicts?: Verdicts;
  /** Where a log was looked for in vain; null if there is one. */
  readonly noLogAt?: string | null;
}

/** @return a whole HTML document */
export function reportHtml(
  history: History,
  { source, verdicts = verdictsOf(history), noLogAt = null, waits = null }: PageOptions,
): string {
  const model = pageModel(history, waits);
  const notes = notesOf(history);
  const nothing = nothingToJudge(history, noLogAt);
  const outcome = nothing !== null ? nothing.title : verdicts.pass ? "PASS" : "FAIL";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${outcome} · Lock report</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${heading(history, source)}
${nothing === null ? verdictCards(verdicts) + figures(history) : emptyCard(nothing.words)}
${model !== null ? timeline(history, model) : nothing === null ? emptyCard(NOTHING_HAPPENED) : ""}
${agentTable(history)}
${incidentTable(history)}
${brokenTable(history)}
${notes.length === 0 ? "" : noteCard(notes)}
</main>
<script>
${PAGE_SCRIPT}</script>
${model === null ? "" : scripts(model)}
</body>
</html>
`;
}

/** Where there is not one line, no verdict is shown: it would look like a proof. */
function nothingToJudge(
  history: History,
  noLogAt: string | null,
): { readonly title: string; readonly words: string } | null {
  if (noLogAt !== null) return { title: "No log", words: "There is no log here yet" };
  return isEmpty(history) ? { title: "Empty log", words: EMPTY_LOG } : null;
}

function emptyCard(words: string): string {
  return `<p class="card empty">${words}.</p>`;
}

function heading(history: History, source: string): string {
  const when = history.window === null ? "" : `${showWindow(history)}<br>`;
  return `<header class="top">
<div><h1>Lock report</h1>
<p class="source soft">${when}<code>${escaped(showForeign(source))}</code>, ${
    countOf(history.lines, "line")
  }</p></div>
<button id="theme" type="button">Theme</button>
</header>`;
}

const TICK_PATH = "M7 12.5l3.5 3.5L17 9";
const CROSS_PATH = "M8 8l8 8M16 8l-8 8";

function verdictCards({ summary, exclusion, leaks }: Verdicts): string {
  return `<p class="summary mono">${escaped(summary)}</p>
<section class="verdicts" aria-label="Verdicts">
${verdictCard(exclusion)}
${verdictCard(leaks)}
</section>`;
}

const DASH_PATH = "M7 12h10";

function verdictCard(verdict: Verdict): string {
  const { passes, doubt, details } = verdict;
  const { outcome, rest } = verdictParts(verdict);
  const list = details.map((detail) => `<li class="mono">${escaped(detail)}</li>`).join("");
  const look = passes ? (doubt === null ? "pass" : "unsure") : "fail";
  const path = passes ? (doubt === null ? TICK_PATH : DASH_PATH) : CROSS_PATH;
  return `<div class="verdict ${look}">
<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11" fill="currentColor" opacity=".16"/><path d="${path}" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>
<p><strong>${outcome}</strong>${escaped(rest)}</p>
${list === "" ? "" : `<ul>${list}</ul>`}
</div>`;
}

function figures(history: History): string {
  const { window, heldMs, use, holds, gaps, counts, removals, agents, gaveUpAgents, seats } =
    history;
  // Of one agent, what it did to others is no loss of its own.
  const broken = removals?.wasBroken ?? counts.stale_break;
  const forced = removals?.wasForced ?? counts.force_release;
  const holders = agents.filter((agent) => agent.holds > 0).length;
  const tiles = [
    tile("Window", time(window === null ? 0 : window.toMs - window.fromMs), ""),
    tile(
      "Held",
      time(heldMs),
      use === null
        ? ""
        : `${showShare(use)} of the window${
          seats ? ` of ${countOf(seats.slots.length, "slot")}` : ""
        }`,
    ),
    tile("Holds", showCount(holds.count), `by ${countOf(holders, "agent")}`),
    gaps === null ? "" : tile(
      "Gap, median",
      time(gaps.medianMs),
      gapRange(gaps),
    ),
    tile(
      "Gave up",
      showCount(counts.gave_up),
      gaveUpAgents === 0 ? "" : `by ${countOf(gaveUpAgents, "agent")}`,
    ),
    tile(
      "Removed by others",
      showCount(broken + forced),
      [
        broken > 0 ? `${showCount(broken)} stale` : "",
        forced > 0 ? `${showCount(forced)} forced` : "",
        counts.lost > 0 ? `${showCount(counts.lost)} told as lost` : "",
      ].filter((part) => part !== "").join(", "),
    ),
  ];
  return `<dl class="card figures">${tiles.join("")}</dl>`;
}

function gapRange({ count, shortestMs, longestMs, p95Ms }: GapFigures): string {
  if (count === 1) return "the only one";
  if (shortestMs === longestMs) return "all alike";
  return `${time(shortestMs)} to ${time(longestMs)}, p95 ${time(p95Ms)}`;
}

function tile(name: string, value: string, more: string): string {
  const small = more === "" ? "" : `<small>${more}</small>`;
  return `<div><dt>${name}</dt><dd>${value}${small}</dd></div>`;
}

/** Not broken between its two units. */
function time(ms: number): string {
  return showLogged(ms).replaceAll(" ", "&nbsp;");
}

function timeline(history: History, model: PageModel): string {
  const { holds } = history;
  const { lanes, bins, columns, seconds } = model;
  const label = `${countOf(holds.count, "hold")} in ${countOf(lanes.length, "lane")}`;
  const coarse = bins.length === 0
    ? ""
    : ` So many holds are drawn in steps of ${
      showLogged(seconds * 1000 / columns)
    }; the stronger the colour, the longer it was held.`;
  return `<section class="card" aria-labelledby="timeline-title">
<div class="head"><div><h2 id="timeline-title">Timeline</h2>
<p id="range" class="soft">${showWindow(history)}</p></div>
<div class="tools" role="group" aria-label="Zoom">
<button id="zoom-out" type="button" aria-label="Zoom out">−</button>
<button id="zoom-in" type="button" aria-label="Zoom in">+</button>
<button id="zoom-all" type="button">Show all</button>
</div></div>
<svg id="overview" aria-hidden="true"></svg>
<div id="timeline" tabindex="0" role="application" aria-roledescription="timeline" aria-label="${label}" aria-describedby="timeline-help">
<svg id="drawing" aria-hidden="true"></svg>
<div id="tip" hidden></div>
</div>
<p id="told" role="status" aria-live="polite"></p>
${pageLegend(history, model)}
<p class="hint" id="timeline-help">Wheel to zoom, drag to move. The strip shows how much of the time the lock was held; drag over a part of it to see that part. A click on an incident below goes to its moment.<span class="keys"> On the keyboard, <kbd>←</kbd> <kbd>→</kbd> go from hold to hold, <kbd>↑</kbd> <kbd>↓</kbd> to another agent, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom, <kbd>Enter</kbd> shows the hold large.</span>${coarse}</p>
<noscript><p class="hint">The timeline needs JavaScript; the tables below do not.</p></noscript>
</section>`;
}

function noteCard(notes: readonly string[]): string {
  const list = notes.map((note) => `<li>${escaped(note)}</li>`).join("");
  return `<section class="card" aria-labelledby="notes-title">
<div class="head"><h2 id="notes-title">How to read this</h2></div>
<ul class="notes">${list}</ul>
</section>`;
}

function scripts(model: PageModel): string {
  return `<script type="application/json" id="model">${scriptJson(model)}</script>
<script>
${TIMELINE_SCRIPT}</script>`;
}

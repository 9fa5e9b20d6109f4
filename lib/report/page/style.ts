/** The page's looks. */

import { AGENT_STYLE, DARK_COLOURS, LIGHT_COLOURS } from "./colours.ts";
import { LOOKS_STYLE } from "../shapes.ts";

const LIGHT = `
  color-scheme: light;
  ${LIGHT_COLOURS}
  --card: #ffffff; --sunk: #f1f1ed; --accent: #0072b2;
  --bad-ground: #fdf0e8; --good-ground: #e9f6f0; --unsure-ground: #fdf6e3; --shadow: 0 1px 2px #1a1f2512, 0 6px 20px -12px #1a1f2530;`;

const DARK = `
  color-scheme: dark;
  ${DARK_COLOURS}
  --card: #171b20; --sunk: #1f242a; --accent: #7cc6f0;
  --bad-ground: #2e1d13; --good-ground: #10271f; --unsure-ground: #2b230f; --shadow: 0 1px 2px #0006;`;

export const PAGE_STYLE = `
:root {${LIGHT} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {${DARK} } }
:root[data-theme="dark"] {${DARK} }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  font-feature-settings: "tnum"; font-variant-numeric: tabular-nums;
}
main { max-width: 1180px; margin: 0 auto; padding: clamp(16px, 4vw, 44px) clamp(14px, 3vw, 32px) 56px;
  display: grid; gap: clamp(14px, 2vw, 22px); grid-template-columns: minmax(0, 1fr); }
h1 { font-size: clamp(24px, 4vw, 34px); line-height: 1.15; letter-spacing: -.02em; font-weight: 680; margin: 0; }
h2 { font-size: 16px; letter-spacing: -.005em; font-weight: 640; margin: 0; }
p { margin: 0; }
code, .mono { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "Liberation Mono", "DejaVu Sans Mono", monospace; font-size: .875em; }
.soft { color: var(--soft); }
.top > div { min-width: 0; } .top button { flex: none; }
.top { display: flex; justify-content: space-between; gap: 16px; align-items: flex-start; }
.top .source { margin-top: 8px; overflow-wrap: anywhere; }
.summary { overflow-wrap: anywhere; background: var(--sunk); border-radius: 8px; padding: 10px 14px; }
button { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  min-width: 36px; min-height: 36px; padding: 0 12px; cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: clamp(14px, 2.2vw, 22px);
  box-shadow: var(--shadow); min-width: 0; }
.verdicts { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); }
.verdict { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 12px; align-items: center; border-radius: 14px;
  padding: 16px 18px; align-content: start; }
.verdict.pass { background: var(--good-ground); color: var(--good); }
.verdict.fail { background: var(--bad-ground); color: var(--bad); }
.verdict.unsure { background: var(--unsure-ground); color: var(--broken); }
.verdict svg { width: 26px; height: 26px; }
.verdict strong { letter-spacing: .04em; }
.verdict p { font-size: 16px; color: var(--ink); }
.verdict p strong { color: var(--good); } .verdict.fail p strong { color: var(--bad); }
.verdict.unsure p strong { color: var(--broken); }
.verdict ul { grid-column: 1 / -1; list-style: none; margin: 10px 0 0; padding: 0; color: var(--ink); overflow-wrap: anywhere; }
.verdict li { padding: 3px 0; font-size: 13px; }
.figures { display: grid; grid-template-columns: repeat(3, 1fr); gap: 0; padding: 0; overflow: hidden; margin: 0; }
.figures div { padding: 16px 18px; box-shadow: 1px 1px 0 var(--line); }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 2px 0 0; font-size: 22px; font-weight: 620; letter-spacing: -.015em; line-height: 1.25; }
.figures small { display: block; font-size: 12.5px; font-weight: 400; color: var(--soft); letter-spacing: 0; line-height: 1.4; overflow-wrap: anywhere; }
.head { display: flex; flex-wrap: wrap; gap: 10px 16px; justify-content: space-between; align-items: center; margin-bottom: 12px; }
#range { font-size: 13px; margin-top: 2px; }
.empty { color: var(--soft); }
#overview { display: block; width: 100%; margin-bottom: 10px; cursor: crosshair; touch-action: pan-y; overflow: hidden; }
#overview text { font-size: 12px; fill: var(--soft); }
#overview .strip-ground { fill: var(--sunk); } #overview .use { fill: var(--hold); opacity: .75; }
#overview .tick { stroke: none; }
.unseen { fill: var(--card); opacity: .68; } .seen { fill: none; stroke: var(--accent); stroke-width: 2; }
.tools { display: flex; gap: 6px; }
.hint { margin-top: 8px; font-size: 13px; color: var(--soft); }
kbd { font: inherit; font-size: 12px; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 5px; padding: 0 5px; background: var(--sunk); }
#timeline { position: relative; border-radius: 8px; cursor: grab; touch-action: pan-y; user-select: none; -webkit-user-select: none; }
#timeline.dragged { cursor: grabbing; }
#timeline svg { display: block; width: 100%; overflow: hidden; }
#timeline text { font-size: 12px; fill: var(--soft); }
#timeline text.lane { font-size: 13px; fill: var(--ink); }
#timeline .grid { stroke: var(--line); shape-rendering: crispEdges; }
#timeline .lane-ground { fill: var(--sunk); }
.wait { fill: var(--hold); opacity: .28; }
${LOOKS_STYLE}
${AGENT_STYLE}
.s1 { fill: var(--hold); opacity: .36; } .s2 { fill: var(--hold); opacity: .52; } .s3 { fill: var(--hold); opacity: .68; }
.s4 { fill: var(--hold); opacity: .84; } .s5 { fill: var(--hold); }
.ring { fill: none; stroke: var(--ink); stroke-width: 2; }
.mark { fill: var(--mark); }
.mark { stroke: var(--card); stroke-width: 1.5; paint-order: stroke; }
.overlap-bar { fill: var(--clash); }
#timeline text.length { font-size: 11px; font-weight: 600; fill: var(--clash); }
.overlap-line { stroke: var(--clash); stroke-width: 1.5; stroke-dasharray: 3 3; }
#tip { position: absolute; z-index: 2; max-width: min(300px, 92%); padding: 9px 12px; border-radius: 9px; background: var(--ink); color: var(--card);
  font-size: 13px; line-height: 1.45; pointer-events: none; overflow-wrap: anywhere; box-shadow: 0 8px 24px -8px #0008; }
#tip b { display: block; font-size: 14px; }
#told { min-height: 1.55em; margin-top: 10px; overflow-wrap: anywhere; font-weight: 560; }
#told:empty::before { content: "Point at a hold or a mark, or choose a hold with the arrow keys, to read about it here."; color: var(--soft); font-weight: 400; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0 0; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend svg { width: 18px; height: 12px; margin-right: 6px; vertical-align: -1px; overflow: visible; }
.scroll { overflow-x: auto; margin: 0 calc(-1 * clamp(14px, 2.2vw, 22px)); padding: 0 clamp(14px, 2.2vw, 22px); }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-size: 13px; font-weight: 500; color: var(--soft); white-space: nowrap; }
th, td { padding: 8px 14px 8px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody th { font-size: 15px; font-weight: 560; color: var(--ink); }
tr:last-child > * { border-bottom: 0; }
tr > :last-child { padding-right: 0; }
th button.sort { all: unset; cursor: pointer; display: inline-flex; gap: 4px; align-items: baseline; padding: 4px 0; }
th button.sort::after { content: "↕"; opacity: .45; font-size: 11px; }
th[aria-sort] button.sort { color: var(--ink); } th[aria-sort] button.sort::after { opacity: 1; }
th[aria-sort="ascending"] button.sort::after { content: "↑"; } th[aria-sort="descending"] button.sort::after { content: "↓"; }
button.go { all: unset; cursor: pointer; color: var(--accent); }
th button.sort:focus-visible, button.go:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
tr.leads { cursor: pointer; } tr.leads:hover > * { background: var(--sunk); }
.shape { width: 18px; height: 12px; margin-right: 6px; vertical-align: -1px; overflow: visible; }
.number { text-align: right; white-space: nowrap; } .number button.sort { flex-direction: row-reverse; }
.name { overflow-wrap: anywhere; min-width: 7em; }
.share { width: 34%; min-width: 90px; }
.share i { display: block; height: 8px; margin-top: 8px; border-radius: 4px; background: var(--hold); min-width: 2px; }
.chip { display: inline-block; white-space: nowrap; font-size: 12.5px; line-height: 1.6; padding: 0 9px; border-radius: 99px; background: var(--sunk); border: 1px solid var(--line); }
td.when { white-space: nowrap; }
td.words { overflow-wrap: anywhere; min-width: 15em; }
.notes { margin: 0; padding-left: 1.2em; color: var(--soft); font-size: 14px; } .notes li { margin: 3px 0; }
.more { margin-top: 10px; font-size: 13px; color: var(--soft); }
@media (min-width: 960px) { .figures { grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); } }
@media (max-width: 560px) { .hint .keys { display: none; } .figures { grid-template-columns: 1fr 1fr; } .share { display: none; }
  th, td { padding-right: 8px; } th { white-space: normal; } th:not([aria-sort]) button.sort::after { display: none; } .name { min-width: 0; } tbody th, td { font-size: 14px; }
  .stacked thead tr { display: flex; gap: 4px 16px; padding: 0; } .stacked thead th { padding: 6px 0; }
  .stacked .shape { margin-right: 2px; } .stacked .chip { padding: 0 6px; }
  .stacked tbody tr { display: grid; grid-template-columns: auto 1fr auto; gap: 4px 7px; align-items: baseline; padding: 10px 0; border-bottom: 1px solid var(--line); }
  .stacked tbody tr:last-child { border-bottom: 0; }
  .stacked td { padding: 0; border: 0; }
  .stacked td.words { grid-column: 1 / -1; grid-row: 2; min-width: 0; } }
@media (max-width: 400px) { .stacked tbody tr { grid-template-columns: 1fr auto; } .stacked td.number { grid-row: 1; grid-column: 2; }
  .stacked td.what { grid-row: 2; grid-column: 1 / -1; } .stacked td.words { grid-row: 3; } }
@media print { body { background: #fff; } .tools, #theme, .hint, th button.sort::after { display: none; } .card { box-shadow: none; break-inside: avoid; } }
@media (forced-colors: active) { .hold, .stale_break, .force_release, .unended, .lost, .open, .mark, .s1, .s2, .s3, .s4, .s5, .use { fill: CanvasText; } .overlap-bar { fill: Mark; } .card, .verdict { border: 1px solid CanvasText; } }
`;

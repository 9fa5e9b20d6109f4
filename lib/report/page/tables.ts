/** The page's tables. */

import { countOf, showCount } from "../../words/columns.ts";
import type { AgentFigures, History } from "../../log/history_summary.ts";
import { showForeign } from "../../words/slugs.ts";
import { busiest, gravest } from "../shown_first.ts";
import { escaped } from "./markup.ts";
import {
  describeIncident,
  describeOverlap,
  effectOfBroken,
  INCIDENT_NAMES,
  sentence,
  showLogged,
  showUtc,
} from "../phrases.ts";

const AGENTS_SHOWN = 200;
const INCIDENTS_SHOWN = 200;

/** @return the section, empty if there is nothing to tell */
export function agentTable({ agents }: History): string {
  if (agents.length === 0) return "";
  const shown = busiest(agents, AGENTS_SHOWN);
  const mostMs = shown.reduce((most, { totalMs }) => Math.max(most, totalMs), 1);
  const left = agents.length - shown.length;
  return section(
    "agents",
    "By agent",
    `<thead><tr><th scope="col">Agent</th><th scope="col" class="number">Holds</th><th scope="col" class="number">Total</th><th class="share"><span aria-hidden="true"></span></th><th scope="col" class="number">Longest</th><th scope="col" class="number">Gave up</th></tr></thead>
<tbody>${shown.map((agent) => agentRow(agent, mostMs)).join("\n")}</tbody>`,
    left > 0 ? `and ${countOf(left, "other")} who held less` : "",
  );
}

function agentRow({ slug, holds, totalMs, longestMs, gaveUp }: AgentFigures, mostMs: number) {
  const share = (100 * totalMs / mostMs).toFixed(1);
  const bar = totalMs > 0 ? `<i style="width:${share}%"></i>` : "";
  return `<tr><th scope="row" class="name">${escaped(showForeign(slug))}</th><td class="number">${
    showCount(holds)
  }</td><td class="number">${
    showLogged(totalMs)
  }</td><td class="share" aria-hidden="true">${bar}</td><td class="number">${
    showLogged(longestMs)
  }</td><td class="number">${showCount(gaveUp)}</td></tr>`;
}

/** What the table of incidents has in a row. */
interface Row {
  readonly atMs: number;
  readonly name: string;
  readonly words: string;
  readonly line: number;
}

/**
 * Incidents and overlaps, in the order of the log.
 * @return the section, empty if there is nothing to tell
 */
export function incidentTable({ incidents, overlaps }: History): string {
  if (incidents.count === 0 && overlaps.count === 0) return "";
  const shown: Row[] = gravest(incidents.some, INCIDENTS_SHOWN).map((incident) => ({
    atMs: incident.atMs,
    name: INCIDENT_NAMES[incident.kind],
    words: describeIncident(incident),
    line: incident.line,
  }));
  const overlapping: Row[] = overlaps.first.map((overlap) => ({
    atMs: overlap.second.startMs,
    name: "overlap",
    words: describeOverlap(overlap),
    line: overlap.second.startLine,
  }));
  const rows = [...shown, ...overlapping].sort((a, b) => a.line - b.line).map((row) =>
    `<tr><td class="when">${
      showUtc(row.atMs)
    }</td><td><span class="chip">${row.name}</span></td><td class="words">${
      escaped(row.words)
    }</td><td class="number">${showCount(row.line)}</td></tr>`
  );
  const left = incidents.count - shown.length;
  const overlapsLeft = overlaps.count - overlapping.length;
  return section(
    "incidents",
    "Incidents",
    `<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Who and why</th><th scope="col" class="number">Line</th></tr></thead>
<tbody>${rows.join("\n")}</tbody>`,
    [
      left > 0 ? `and ${showCount(left)} more that are less grave or earlier` : "",
      overlapsLeft > 0 ? `and ${countOf(overlapsLeft, "later overlap")}` : "",
    ].filter((part) => part !== "").join(", "),
    "stacked",
  );
}

/** @return the section, empty if there is nothing to tell */
export function brokenTable(history: History): string {
  const { broken } = history;
  if (broken.count === 0) return "";
  const rows = broken.some.map(({ line, text, readAs }) =>
    `<tr><td class="number">${showCount(line)}</td><td class="words mono">${
      escaped(text)
    }</td><td class="words">${escaped(readAs.join(", "))}</td></tr>`
  );
  const left = broken.count - broken.some.length;
  return section(
    "broken",
    "Broken lines",
    `<thead><tr><th scope="col" class="number">Line</th><th scope="col">Text</th><th scope="col">Read as</th></tr></thead>
<tbody>${rows.join("\n")}</tbody>`,
    `${sentence(effectOfBroken(history))}.${left > 0 ? ` And ${showCount(left)} more.` : ""}`,
  );
}

function section(
  id: string,
  title: string,
  table: string,
  more: string,
  look: "stacked" | "plain" = "plain",
): string {
  return `<section class="card" aria-labelledby="${id}-title">
<div class="head"><h2 id="${id}-title">${title}</h2></div>
<div class="scroll" role="region" aria-labelledby="${id}-title" tabindex="0"><table class="${look}">
${table}
</table></div>
${more === "" ? "" : `<p class="more">${more}</p>`}
</section>`;
}

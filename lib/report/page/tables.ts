/** The page's tables. */

import { countOf, showCount } from "../../words/columns.ts";
import type { AgentFigures, History } from "../../log/history_summary.ts";
import { showForeign } from "../../words/slugs.ts";
import { busiest, gravest } from "../shown_first.ts";
import type { IncidentKind } from "../../log/incidents.ts";
import { type Overlap, overlapMs } from "../../log/overlaps.ts";
import { markSwatch } from "./legend.ts";
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
    `<thead><tr><th scope="col">Agent</th>${figureHeading("Holds")}${
      figureHeading("Total")
    }<th class="share"><span aria-hidden="true"></span></th>${figureHeading("Longest")}${
      figureHeading("Gave up")
    }</tr></thead>
<tbody>${shown.map((agent) => agentRow(agent, mostMs)).join("\n")}</tbody>`,
    left > 0 ? `and ${countOf(left, "other")} who held less` : "",
  );
}

function figureHeading(words: string): string {
  return `<th scope="col" class="number" data-first="largest">${words}</th>`;
}

/** @param value what it is sorted by */
function figure(value: number, shown: string): string {
  return `<td class="number" data-sort="${value}">${shown}</td>`;
}

function agentRow({ slug, holds, totalMs, longestMs, gaveUp }: AgentFigures, mostMs: number) {
  const share = (100 * totalMs / mostMs).toFixed(1);
  const bar = totalMs > 0 ? `<i style="width:${share}%"></i>` : "";
  return `<tr><th scope="row" class="name">${escaped(showForeign(slug))}</th>${
    figure(holds, showCount(holds))
  }${figure(totalMs, showLogged(totalMs))}<td class="share" aria-hidden="true">${bar}</td>${
    figure(longestMs, showLogged(longestMs))
  }${figure(gaveUp, showCount(gaveUp))}</tr>`;
}

/** What the table of incidents has in a row. */
interface Row {
  readonly kind: IncidentKind | "overlap";
  readonly atMs: number;
  readonly name: string;
  readonly words: string;
  /** How long it was; empty where there is nothing to say. */
  readonly length: string;
  readonly line: number;
}

/**
 * Incidents and overlaps, in the order of the log.
 * @return the section, empty if there is nothing to tell
 */
export function incidentTable(history: History): string {
  const { incidents, overlaps } = history;
  if (incidents.count === 0 && overlaps.count === 0) return "";
  const shown: Row[] = gravest(incidents.some, INCIDENTS_SHOWN).map((incident) => ({
    kind: incident.kind,
    atMs: incident.atMs,
    name: INCIDENT_NAMES[incident.kind],
    words: describeIncident(incident),
    length: "",
    line: incident.line,
  }));
  const overlapping: Row[] = overlaps.first.map((overlap) => ({
    kind: "overlap",
    atMs: overlap.second.startMs,
    name: "overlap",
    words: describeOverlap(overlap),
    length: lengthOf(overlap, history.openToMs),
    line: overlap.second.startLine,
  }));
  const rows = [...shown, ...overlapping].sort((a, b) => a.line - b.line).map(incidentRow);
  const left = incidents.count - shown.length;
  const overlapsLeft = overlaps.count - overlapping.length;
  return section(
    "incidents",
    "Incidents",
    `<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Who and why</th><th scope="col" class="number" aria-sort="ascending">Line</th></tr></thead>
<tbody>${rows.join("\n")}</tbody>`,
    [
      left > 0 ? `and ${showCount(left)} more that are less grave or earlier` : "",
      overlapsLeft > 0 ? `and ${countOf(overlapsLeft, "later overlap")}` : "",
    ].filter((part) => part !== "").join(", "),
    "stacked",
  );
}

function lengthOf(overlap: Overlap, openToMs: number): string {
  const bothMs = overlapMs(overlap, openToMs);
  return bothMs === null ? "" : `both held for ${showLogged(bothMs)}`;
}

function incidentRow({ kind, atMs, name, words, length, line }: Row): string {
  const more = length === "" ? "" : `<small class="soft"> ${length}</small>`;
  return `<tr data-mark="${kind}:${line}"><td class="when" data-sort="${atMs}">${
    showUtc(atMs)
  }</td><td class="what"><svg class="shape" viewBox="0 0 18 12" aria-hidden="true">${
    markSwatch(kind)
  }</svg><span class="chip">${name}</span></td><td class="words">${escaped(words)}${more}</td>${
    figure(line, showCount(line))
  }</tr>`;
}

/** @return the section, empty if there is nothing to tell */
export function brokenTable(history: History): string {
  const { broken } = history;
  if (broken.count === 0) return "";
  const rows = broken.some.map(({ line, text, readAs }) =>
    `<tr>${figure(line, showCount(line))}<td class="words mono">${
      escaped(text)
    }</td><td class="words">${escaped(readAs.join(", "))}</td></tr>`
  );
  const left = broken.count - broken.some.length;
  return section(
    "broken",
    "Broken lines",
    `<thead><tr><th scope="col" class="number" aria-sort="ascending">Line</th><th scope="col">Text</th><th scope="col">Read as</th></tr></thead>
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
  return `<section class="card" id="${id}" aria-labelledby="${id}-title">
<div class="head"><h2 id="${id}-title">${title}</h2></div>
<div class="scroll" role="region" aria-labelledby="${id}-title" tabindex="0"><table class="${look}">
${table}
</table></div>
${more === "" ? "" : `<p class="more">${more}</p>`}
</section>`;
}

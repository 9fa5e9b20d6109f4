/** The report as text for a terminal. */

import {
  countOf,
  cutMiddle,
  hanging,
  showCount,
  tableLines,
  widthOf,
  wrapped,
} from "../words/columns.ts";
import type { GapFigures, History } from "../log/history_summary.ts";
import { showForeign } from "../words/slugs.ts";
import { barLines } from "./picture/terminal_bars.ts";
import { busiest, gravest } from "./shown_first.ts";
import type { Incident } from "../log/incidents.ts";
import { slotLines, type SlotReport } from "./slots.ts";
import { notesOf } from "./notes.ts";
import { showDuration } from "../words/durations.ts";
import { byAgent, type Spread, spreadOf, type Waits } from "../log/waits.ts";
import { INDENT, type Verdict, verdictLines, type Verdicts, verdictsOf } from "./verdicts.ts";
import {
  describeIncident,
  effectOfBroken,
  logTime,
  noLogYet,
  showLogged,
  showShare,
  showWindow,
  stillHolding,
} from "./phrases.ts";

export interface TextOptions {
  /** Places in a line of the terminal. */
  readonly width: number;
  /** Of this history; without them it is judged as a log of the past. */
  readonly verdicts?: Verdicts;
  /** Where a log was looked for in vain; null if there is one. */
  readonly noLogAt?: string | null;
  /** Whether the terminal shows colours. */
  readonly hasColors?: boolean;
  /** From the journal; null if there is none. */
  readonly waits?: Waits | null;
  /** Of a lock with slots: each of them. */
  readonly slots?: readonly SlotReport[] | null;
}

/** What is neither good nor bad: the dark yellow of the terminal. */
const AMBER = "\x1b[33m";
const PLAIN = "\x1b[0m";

const AGENTS_SHOWN = 40;
const INCIDENTS_SHOWN = 20;
const BROKEN_LINES_SHOWN = 5;
const NOTES_SHOWN = 10;
/** A name is cut where the table would be wider than the terminal, but not to less. */
const NAME_SHORTEST = 8;
/** Where the figures begin in their lines. */
const FIGURES_LEFT = 9;
const HANGING = 4;

/** @return the whole report, newline at the end included */
export function reportText(
  history: History,
  options: TextOptions,
): string {
  const { width, verdicts = verdictsOf(history), noLogAt = null, hasColors = false } = options;
  if (noLogAt !== null) return `${verdicts.summary}\n${noLogYet(noLogAt)}\n`;
  const blocks = [
    [
      verdicts.summary,
      ...[verdicts.exclusion, verdicts.leaks].flatMap((verdict) =>
        verdictBlock(verdict, width, hasColors)
      ),
    ],
    [...figureLines(history), ...waitLines(options.waits ?? null)].flatMap((line) =>
      hanging(line, width, FIGURES_LEFT)
    ),
    options.slots ? slotLines(options.slots) : [],
    agentLines(history, width),
    barLines(history, width),
    incidentLines(history).flatMap((line) => hanging(line, width, HANGING)),
    brokenLines(history),
    notesOf(history).flatMap((note) => wrapped(note, width)),
  ];
  return `${blocks.filter((lines) => lines.length > 0).map((b) => b.join("\n")).join("\n\n")}\n`;
}

function verdictBlock(verdict: Verdict, width: number, hasColors: boolean): string[] {
  const lines = verdictLines(verdict).flatMap((line) => hanging(line, width, HANGING));
  // Line by line: a pager that shows but a part of it must not go on in amber.
  return hasColors && verdict.doubt !== null ? lines.map((line) => AMBER + line + PLAIN) : lines;
}

function figureLines(history: History): string[] {
  const { window, holds, heldMs, use, gaps, running } = history;
  if (window === null) return ["nothing happened in this time"];
  const { fromMs, toMs } = window;
  const share = use === null ? "" : `, ${showShare(use)} of the window`;
  const lines = [
    `window   ${showLogged(toMs - fromMs)}, ${showWindow(history)}`,
    `held     ${showLogged(heldMs)} in ${countOf(holds.count, "hold")}${share}${ofSlots(history)}`,
  ];
  if (gaps !== null) {
    lines.push(`gaps     ${gapWords(gaps)}`);
  }
  if (running !== null) {
    lines.push(`now      ${showForeign(running.hold.slug)} is ${stillHolding(running)}`);
  }
  return lines;
}

/** Of a lock with slots: the use of all together. */
function ofSlots({ seats, use }: History): string {
  return seats && use !== null ? ` of ${countOf(seats.slots.length, "slot")}` : "";
}

/** In milliseconds: the journal has them, where the log has whole seconds. */
function waitLines(waits: Waits | null): string[] {
  if (waits === null) return [];
  const waited = spreadOf(waits.done.map(({ fromMs, toMs }) => toMs - fromMs));
  const handOff = spreadOf(waits.handOffsMs);
  const [longest] = byAgent(waits.done);
  const most = longest ? `, most by ${showForeign(longest.slug)}` : "";
  const lost = waits.lines - waits.used;
  return [
    ...waited ? [`waited   ${countOf(waited.count, "time")}: ${spreadWords(waited)}${most}`] : [],
    ...handOff ? [`hand-off ${spreadWords(handOff)}`] : [],
    ...waits.notes.slice(0, NOTES_SHOWN).map(({ slug, note }) =>
      `note     ${showForeign(slug)}: ${showForeign(note)}`
    ),
    ...lost > 0
      ? [`journal  ${countOf(waits.lines, "line")}, of which ${showCount(lost)} could not be used`]
      : [],
  ];
}

function spreadWords({ medianMs, p95Ms, longestMs }: Spread): string {
  return `median ${showDuration(medianMs)}, p95 ${showDuration(p95Ms)}, longest ${
    showDuration(longestMs)
  }`;
}

function gapWords(
  { count, shortestMs, medianMs, p95Ms, longestMs, longestBefore }: GapFigures,
): string {
  const where = `(before line ${longestBefore.startLine}, ${showForeign(longestBefore.slug)})`;
  const longest = showLogged(longestMs);
  if (count === 1) return `one of ${longest} ${where}`;
  if (shortestMs === longestMs) return `${showCount(count)} of ${longest} each`;
  return `${showLogged(shortestMs)} to ${longest}: median ${showLogged(medianMs)}, p95 ${
    showLogged(p95Ms)
  }, longest ${longest} ${where}`;
}

function agentLines({ agents }: History, width: number): string[] {
  if (agents.length === 0) return [];
  const shown = busiest(agents, AGENTS_SHOWN);
  const table = (nameLongest: number) =>
    tableLines([
      ["agent", "holds", "total", "longest", "gave up"],
      ...shown.map(({ slug, holds, totalMs, longestMs, gaveUp }) => [
        cutMiddle(showForeign(slug), nameLongest),
        showCount(holds),
        showLogged(totalMs),
        showLogged(longestMs),
        showCount(gaveUp),
      ]),
    ]);
  const whole = table(Infinity);
  const longest = Math.max(...shown.map(({ slug }) => widthOf(showForeign(slug))));
  const tooWide = widthOf(whole[0]!) - width;
  const lines = tooWide > 0 ? table(Math.max(NAME_SHORTEST, longest - tooWide)) : whole;
  if (shown.length < agents.length) {
    lines.push(`and ${countOf(agents.length - shown.length, "other")} who held less`);
  }
  return lines;
}

function incidentLines({ incidents }: History): string[] {
  const lines = gravest(incidents.some, INCIDENTS_SHOWN).map((incident) =>
    `${logTime(incident.atMs)}  ${describeIncident(incident)}  (${
      inSlot(incident)
    }line\u00a0${incident.line})`
  );
  const more = incidents.count - lines.length;
  return more > 0
    ? [...lines, `and ${showCount(more)} more that are less grave or earlier`]
    : lines;
}

function inSlot({ slot }: Incident): string {
  return slot === undefined ? "" : `slot\u00a0${slot}, `;
}

function brokenLines(history: History): string[] {
  const { broken } = history;
  if (broken.count === 0) return [];
  const lines = broken.some.slice(0, BROKEN_LINES_SHOWN).map(({ line, text, readAs }) =>
    `${INDENT}line ${line}: ${text}${readAs.length > 0 ? ` (read as ${readAs.join(", ")})` : ""}`
  );
  const more = broken.count - lines.length;
  return [
    `${countOf(broken.count, "broken line")}, ${effectOfBroken(history)}:`,
    ...lines,
    ...more > 0 ? [`${INDENT}and ${showCount(more)} more`] : [],
  ];
}

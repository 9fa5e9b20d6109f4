/** The words of a report: times, shares, and what happened, each in one place for text, pictures and page. */

import { showCount } from "../words/columns.ts";
import { showDuration } from "../words/durations.ts";
import type { History, RunningHold } from "../log/history_summary.ts";
import type { Hold } from "../log/hold_table.ts";
import type { Incident, IncidentKind } from "../log/incidents.ts";
import type { Overlap } from "../log/overlaps.ts";
import { showForeign } from "../words/slugs.ts";

/** `2026-08-22 23:05:52Z`. */
export function showUtc(ms: number): string {
  return `${isoSecond(ms).replace("T", " ")}Z`;
}

/** A time as the log writes it: `2026-08-22T23:05:52Z`. */
export function logTime(ms: number): string {
  return `${isoSecond(ms)}Z`;
}

function isoSecond(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "");
}

/** From when to when, the date of the end only if it is another: `2026-08-22 23:05:52Z to 23:06:35Z`. */
export function showSpan(fromMs: number, toMs: number): string {
  const from = showUtc(fromMs);
  const to = showUtc(toMs);
  const sameDay = from.slice(0, 10) === to.slice(0, 10);
  return `${from} to ${sameDay ? to.slice(11) : to}`;
}

/** The window as a span, which says so where it ends now. */
export function showWindow({ window, now, filter }: History): string {
  if (window === null) return "";
  const endsNow = now !== null && (filter.untilMs ?? Infinity) > now.atMs;
  return `${showSpan(window.fromMs, window.toMs)}${endsNow ? " (now)" : ""}`;
}

/** `16%`; one decimal below ten, and neither 0% nor 100% for what is not quite. */
export function showShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "under 0.1%";
  if (percent < 10) return `${percent.toFixed(1).replace(/\.0$/, "")}%`;
  if (percent > 99 && percent < 100) return "over 99%";
  return `${Math.round(percent)}%`;
}

/** A duration between two times of the log, which knows no less than a second. */
export function showLogged(ms: number): string {
  return ms === 0 ? "0s" : showDuration(ms);
}

export const INCIDENT_NAMES: Readonly<Record<IncidentKind, string>> = {
  stale_break: "broken as stale",
  force_release: "forced",
  lost: "lost",
  gave_up: "gave up",
  max_hold: "held too long",
  not_removed: "not removed",
  late_release: "worked on",
  stray_release: "stray release",
};

/** One sentence, without its time: who did what, and why. */
export function describeIncident(incident: Incident): string {
  const who = showForeign(incident.slug);
  const holder = incident.holder === null
    ? "a lock that nobody is known to have held"
    : `the lock of ${showForeign(incident.holder)}`;
  const held = incident.heldMs === null ? "" : `, held for ${showLogged(incident.heldMs)}`;
  switch (incident.kind) {
    case "stale_break": {
      const silent = incident.ageMs === null
        ? ""
        : `: no sign of life for ${showLogged(incident.ageMs)}`;
      return `${who} broke ${holder}${held}${silent}${reasonOf(incident)}`;
    }
    case "force_release":
      return `${who} removed ${holder} by force${held}`;
    case "lost":
      return incident.carriedOnMs === null
        ? `${who} lost its lock${held}: somebody else removed it`
        : `${who} found its lock gone ${
          showLogged(incident.carriedOnMs)
        } after it had been removed`;
    case "gave_up": {
      const waited = incident.waitedMs === null
        ? ""
        : ` after waiting ${showLogged(incident.waitedMs)}`;
      return `${who} gave up${waited}${reasonOf(incident)}`;
    }
    case "max_hold":
      return incident.heldMs === null
        ? `${who} held for longer than its limit`
        : `${who} held for ${showLogged(incident.heldMs)}, longer than its limit`;
    case "not_removed":
      return `${who} could not remove ${holder} after all${held}: it stood on`;
    case "late_release":
      return `${who} worked on for ${
        showLogged(incident.carriedOnMs ?? 0)
      } after its lock had been removed`;
    case "stray_release":
      return `${who} released without having acquired`;
  }
}

/** One sentence: who acquired while who held. */
export function describeOverlap({ first, second, simultaneous }: Overlap): string {
  const both = first.slug === second.slug ? "it held already" : `${showForeign(first.slug)} held`;
  const all = simultaneous > 2 ? `: ${showCount(simultaneous)} at once` : "";
  return `${showForeign(second.slug)} acquired while ${both}, since line ${first.startLine}${all}`;
}

function reasonOf({ reason }: Incident): string {
  return reason === null ? "" : ` (${showForeign(reason)})`;
}

/** What ended a hold, after its time: `released`. */
export function describeEnd({ end }: Pick<Hold, "end">): string {
  switch (end) {
    case "released":
      return "released";
    case "stale_break":
      return "broken as stale";
    case "force_release":
      return "removed by force";
    case "lost":
      return "lost";
    case "unended":
      return "no line tells its end";
    case "open":
      return "not released yet";
  }
}

/** `still holding, 22s`. */
export function stillHolding({ heldMs }: RunningHold): string {
  return `still holding, ${showLogged(heldMs)}`;
}

/** The line of the log that began a hold. */
export function acquiredLine({ startMs, slug, startLine }: Hold): string {
  return `line ${startLine}: ${logTime(startMs)} ${showForeign(slug)} acquired`;
}

/** Whether there is not one line in the log. */
export function isEmpty({ wholeLines, broken }: History): boolean {
  return wholeLines === 0 && broken.count === 0;
}

export const EMPTY_LOG = "The log is empty: there is nothing to judge yet";

/** Of a log that has lines, but none that is reported on. */
export const NOTHING_HAPPENED = "Nothing happened in this time";

/** A log that is not there proves nothing: said in the place of the verdicts. */
export function noLogYet(path: string): string {
  return `there is no log at ${showForeign(path)} yet`;
}

/** What broken lines mean for the figures. */
export function effectOfBroken({ broken }: History): string {
  const read = broken.some.some(({ readAs }) => readAs.length > 0);
  return "left out of all figures" + (read ? " but for what is read in them" : "");
}

/** With a capital, for a place where it stands alone. */
export function sentence(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Times in the log are whole seconds: told where holds or gaps are so short that it shows. */
export const RESOLUTION_NOTE =
  "The log keeps whole seconds: a hold or gap can be up to 1s longer or shorter than shown, and 0s means less than one.";

/** The same for the foot of a picture, where there is one line for it. */
export const RESOLUTION_FOOT =
  "The log keeps whole seconds: a hold or gap can be up to 1s longer or shorter than shown.";

/** Below this a second more or less is worth a word. */
export const RESOLUTION_MATTERS_MS = 10_000;

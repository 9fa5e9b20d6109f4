/** What `status` shows: the lock, its holder with the verdict, and the line, for people and as JSON. */

import { countOf, showCount, tableLines } from "../words/columns.ts";
import { showDuration } from "../words/durations.ts";
import type { LastHold } from "../log/tail.ts";
import { shellLine, showForeign, showWhole } from "../words/slugs.ts";
import {
  type AbsentView,
  type HeldView,
  type HolderView,
  type HoldView,
  IF_UNUSED,
  type SlotView,
  type StatusView,
  type Trace,
  type WaiterView,
} from "../lock/views.ts";
import { showUtc } from "./phrases.ts";

/**
 * @param nowMs milliseconds since 1970
 * @return lines for a person, final newline included
 */
export function statusText(status: StatusView, nowMs: number): string {
  const facts = status.slots
    ? slotsFacts(status.slots)
    : status.held
    ? heldFacts(status.held, nowMs)
    : freeFacts(status, nowMs);
  const rows = [["lock", showWhole(status.lock)], ...facts].map((
    [name, value],
  ) => [`${name}`, `${value}`]);
  const width = Math.max(...rows.map(([name]) => name!.length)) + 2;
  const lines = rows.map(([name, value]) => name!.padEnd(width) + value);
  const slots = status.slots ? slotLines(status.slots, nowMs) : [];
  return [...lines, ...slots, ...queueLines(status.queue), ...absentLines(status.absent)].join(
    "\n",
  ) + "\n";
}

function slotsFacts(slots: readonly SlotView[]): [string, string][] {
  const held = slots.filter((slot) => slot.held !== null).length;
  const free = slots.length - held;
  const state = free === 0 ? "all held" : `${showCount(free)} of ${showCount(slots.length)} free`;
  return [["slots", state]];
}

function slotLines(slots: readonly SlotView[], nowMs: number): string[] {
  const rows = slots.map((slot) => slotRow(slot, nowMs));
  return [
    "",
    ...tableLines([["slot", "holder", "process", "for", "fence", "verdict"], ...rows], 5),
  ];
}

function slotRow({ slot, held, lastHold }: SlotView, nowMs: number): string[] {
  if (!held) {
    const last = lastHold ? `free; last ${showForeign(lastHold.slug)}` : "free";
    return [slot, last, "", "", "", ""];
  }
  const { holder, hold, verdict } = held;
  const sinceMs = holder.sinceMs ?? holder.trace?.sinceMs ?? null;
  const note = holder.note === undefined ? "" : `: "${holder.note}"`;
  return [
    slot,
    (holder.slug === null ? "a peer that is not in the log" : showForeign(holder.slug)) + note,
    holder.pid === null
      ? ""
      : `${holder.mode}, pid ${holder.pid} on ${showForeign(holder.host ?? "")}`,
    sinceMs === null ? "" : showDuration(Math.max(0, nowMs - sinceMs)),
    hold === null ? "" : String(hold.fence),
    verdict.state === "held"
      ? `held: ${verdict.why}${wayOut(held)}`
      : `stale (${verdict.reason})${staleWords(held)}`,
  ];
}

function freeFacts({ lastHold }: StatusView, nowMs: number): [string, string][] {
  const last = lastHold
    ? `${showForeign(lastHold.slug)}, ${showUtc(lastHold.startMs)}${lastEnd(lastHold, nowMs)}`
    : "none in the log";
  return [["state", "free"], ["last hold", last]];
}

function lastEnd({ endMs, startMs }: LastHold, nowMs: number): string {
  if (endMs === null) return ", no line says that it ended";
  // The log keeps whole seconds.
  const lastedMs = Math.max(0, endMs - startMs);
  const agoMs = Math.floor(Math.max(0, nowMs - endMs) / 1000) * 1000;
  const lasted = lastedMs === 0 ? "under 1s" : showDuration(lastedMs);
  return `, for ${lasted}, ended ${agoMs === 0 ? "just now" : `${showDuration(agoMs)} ago`}`;
}

function heldFacts(held: HeldView, nowMs: number): [string, string][] {
  const { holder, hold, verdict, ageMs, entries, remover } = held;
  const name = holder.slug === null ? "a peer that is not in the log" : showForeign(holder.slug);
  const facts: [string, string][] = [
    [
      "state",
      verdict.state === "held" ? "held" : `stale (${verdict.reason})${staleWords(held)}`,
    ],
    ["holder", name],
  ];
  if (hold) facts.push(...holdFacts(hold, holder, nowMs));
  if (holder.trace) facts.push(["folder", traceWords(holder.trace, nowMs)]);
  facts.push(["last sign of life", `${showDuration(ageMs)} ago`]);
  facts.push(["verdict", verdict.why + wayOut(held)]);
  if (entries.length > 0) facts.push(["not empty", contentsWords(entries)]);
  if (remover) facts.push(["removal", remover.why]);
  return facts;
}

/** All that tells who left a lock without a record. */
function traceWords({ owner, sinceMs }: Trace, nowMs: number): string {
  const whose = owner === null ? "" : `of ${showForeign(owner)}, `;
  return `${whose}since ${showUtc(sinceMs)}, ${showDuration(Math.max(0, nowMs - sinceMs))} ago`;
}

/** A stale lock needs none, and one that is not empty is not removed even by force. */
function wayOut({ holder, verdict, entries }: HeldView): string {
  const isNeeded = holder.trace && verdict.state === "held" && entries.length === 0;
  return isNeeded ? `; ${IF_UNUSED}` : "";
}

function staleWords({ entries, remover }: HeldView): string {
  if (entries.length > 0) return ", but not empty: nobody breaks it";
  return remover ? ": it is being removed" : ": the next waiter breaks it";
}

const CONTENTS_SHOWN = 3;

/** Whatever the verdict says of its age, such a lock stands until a person comes. */
function contentsWords(entries: readonly string[]): string {
  const shown = entries.slice(0, CONTENTS_SHOWN).map(showForeign);
  const more = entries.length - shown.length;
  return `it holds ${[...shown, ...more > 0 ? [`${showCount(more)} more`] : []].join(", ")}; ` +
    "a lock is never removed with its contents, however old it is: move them away";
}

function holdFacts(hold: HoldView, holder: HolderView, nowMs: number): [string, string][] {
  const command = hold.command ? [["command", showForeign(shellLine(hold.command))]] : [];
  const child = hold.childPid === null ? "" : `, its command ${hold.childPid}`;
  const sinceMs = holder.sinceMs ?? nowMs;
  const since = `${showUtc(sinceMs)}, ${showDuration(Math.max(0, nowMs - sinceMs))} ago`;
  const process = `${holder.pid}${child} on ${showForeign(holder.host ?? "")}`;
  const beats = `${hold.beat}, one every ${showDuration(hold.heartbeatMs)}`;
  // With an `acquire` hold no process stays, and nothing beats.
  const stays = holder.mode === "run";
  return [
    ["mode", `${holder.mode}`],
    ...holder.note === undefined ? [] : [["note", holder.note] as [string, string]],
    ...command as [string, string][],
    stays ? ["process", process] : ["taken by", `process ${process}`],
    ["since", since],
    ...stays ? [["beats", beats] as [string, string]] : [],
    ["fence", String(hold.fence)],
  ];
}

/** An estimate below a second is none. */
const LEAST_TOLD_MS = 1000;

function queueLines(queue: readonly WaiterView[]): string[] {
  if (queue.length === 0) return ["", "nobody waits"];
  const rows = queue.map((waiter) => [
    String(waiter.place),
    waiter.slug === null ? "(unreadable ticket)" : showForeign(waiter.slug),
    waiter.pid === null
      ? ""
      : `pid ${waiter.pid} on ${showForeign(waiter.host ?? "")}${stopped(waiter)}`,
    waiter.waitedMs === null ? "" : showDuration(waiter.waitedMs),
    waiter.expectedMs === null || waiter.expectedMs < LEAST_TOLD_MS
      ? ""
      : `about ${showDuration(waiter.expectedMs)}`,
    waiter.note ?? "",
  ]);
  const head = ["place", "waiter", "process", "waited", "to go", "note"];
  const told = queue.some(({ note }) => note !== null) ? head.length : head.length - 1;
  return ["", ...tableLines([head, ...rows].map((row) => row.slice(0, told)), 3)];
}

/** They come back, or their time is over: nobody waits for them. */
function absentLines(absent: readonly AbsentView[]): string[] {
  if (absent.length === 0) return [];
  const rows = absent.map(({ slug, ahead, keptForMs }) => [
    showForeign(slug),
    `after ${countOf(ahead, "waiter")}`,
    showDuration(Math.ceil(keptForMs / 1000) * 1000),
  ]);
  return ["", ...tableLines([["absent", "place", "kept for"], ...rows], 2)];
}

function stopped(waiter: WaiterView): string {
  return waiter.stopped ? `, stopped: kill -CONT ${waiter.pid} lets it go on` : "";
}

/** One object, as docs/json.md has it. */
export function statusObject(status: StatusView, jobs: readonly unknown[]): unknown {
  const { held, slots, queue, lastHold } = status;
  return {
    lock: status.lock,
    ...slots
      ? {
        slots: slots.map(({ slot, held, lastHold }) => ({
          slot,
          ...heldJson(held),
          last_hold: lastHold && lastHoldJson(lastHold),
        })),
      }
      : heldJson(held),
    queue: queue.map(({ place, slug, pid, host, stopped, waitedMs, expectedMs, note }) => ({
      place,
      slug,
      pid,
      host,
      stopped,
      waited_ms: wholeOrNull(waitedMs),
      expected_ms: wholeOrNull(expectedMs),
      note,
    })),
    absent: status.absent.map(({ slug, ahead, keptForMs }) => ({
      slug,
      ahead,
      kept_for_ms: Math.round(keptForMs),
    })),
    jobs,
    ...slots ? {} : { last_hold: lastHold && lastHoldJson(lastHold) },
  };
}

function lastHoldJson({ slug, startMs, endMs }: LastHold): Record<string, unknown> {
  return { slug, start: isoTime(startMs), end: endMs === null ? null : isoTime(endMs) };
}

/** What stands: the lock, or one of its slots. */
function heldJson(held: HeldView | null): Record<string, unknown> {
  return {
    state: held === null ? "free" : held.verdict.state,
    holder: held && holderJson(held),
    verdict: held && {
      reason: held.verdict.reason,
      why: held.verdict.why,
      silent: held.verdict.silent,
      stopped: held.verdict.stopped,
    },
    entries: held?.entries ?? [],
    remover: !held?.remover ? null : {
      slug: held.remover.slug,
      pid: held.remover.pid,
      host: held.remover.host,
      stopped: held.remover.sight === "stopped",
    },
    age_ms: wholeOrNull(held?.ageMs),
  };
}

function holderJson({ holder, hold }: HeldView): Record<string, unknown> {
  return {
    slug: holder.slug,
    note: holder.note ?? null,
    mode: holder.mode,
    command: hold?.command ?? null,
    pid: holder.pid,
    child_pid: hold?.childPid ?? null,
    host: holder.host,
    since: holder.sinceMs === null ? null : isoTime(holder.sinceMs),
    fence: hold?.fence ?? null,
    beat: hold?.beat ?? null,
    heartbeat_ms: wholeOrNull(hold?.heartbeatMs),
  };
}

function wholeOrNull(ms: number | null | undefined): number | null {
  return ms == null ? null : Math.round(ms);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

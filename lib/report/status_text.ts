/** What `status` shows: the lock, its holder with the verdict, and the line, for people and as JSON. */

import { showCount } from "../words/counts.ts";
import { showDuration } from "../words/durations.ts";
import type { LastHold } from "../log/tail.ts";
import type { HolderRecord } from "../folder/state/record.ts";
import { shellLine } from "../words/shell_words.ts";
import { showForeign, showWhole } from "../words/slugs.ts";
import type { StatusView, WaiterView } from "../folder/visit/status_view.ts";
import { tableLines } from "../words/columns.ts";
import { showUtc } from "./words.ts";

/**
 * @param nowMs milliseconds since 1970
 * @return lines for a person, final newline included
 */
export function statusText(status: StatusView, nowMs: number): string {
  const facts = status.held ? heldFacts(status.held, nowMs) : freeFacts(status, nowMs);
  const rows = [["lock", showWhole(status.lockPath)], ...facts].map((
    [name, value],
  ) => [`${name}`, `${value}`]);
  const width = Math.max(...rows.map(([name]) => name!.length)) + 2;
  const lines = rows.map(([name, value]) => name!.padEnd(width) + value);
  return [...lines, ...queueLines(status.queue)].join("\n") + "\n";
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

function heldFacts(held: NonNullable<StatusView["held"]>, nowMs: number): [string, string][] {
  const { holder, record, verdict, ageMs, entries, remover } = held;
  const name = holder.slug === null ? "a peer that is not in the log" : showForeign(holder.slug);
  const facts: [string, string][] = [
    [
      "state",
      verdict.verdict === "held" ? "held" : `stale (${verdict.reason})${staleWords(held)}`,
    ],
    ["holder", name],
  ];
  if (record) facts.push(...recordFacts(record, nowMs));
  facts.push(["last sign of life", `${showDuration(ageMs)} ago`], ["verdict", verdict.why]);
  if (entries.length > 0) facts.push(["not empty", contentsWords(entries)]);
  if (remover) facts.push(["removal", remover.why]);
  return facts;
}

function staleWords({ entries, remover }: NonNullable<StatusView["held"]>): string {
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

function recordFacts(record: HolderRecord, nowMs: number): [string, string][] {
  const command = record.command ? [["command", showForeign(shellLine(record.command))]] : [];
  const child = record.childPid === null ? "" : `, its command ${record.childPid}`;
  const since = `${showUtc(record.acquiredAt)}, ${
    showDuration(Math.max(0, nowMs - record.acquiredAt))
  } ago`;
  const process = `${record.pid}${child} on ${showForeign(record.machine.host)}`;
  const beats = `${record.beat}, one every ${showDuration(record.heartbeatSeconds * 1000)}`;
  // With an `acquire` hold no process stays, and nothing beats.
  const stays = record.mode === "run";
  return [
    ["mode", record.mode],
    ...command as [string, string][],
    stays ? ["process", process] : ["taken by", `process ${process}`],
    ["since", since],
    ...stays ? [["beats", beats] as [string, string]] : [],
    ["fence", String(record.fence)],
  ];
}

function queueLines(queue: readonly WaiterView[]): string[] {
  if (queue.length === 0) return ["", "nobody waits"];
  const rows = queue.map((waiter) => [
    String(waiter.place),
    waiter.slug === null ? "(unreadable ticket)" : showForeign(waiter.slug),
    waiter.pid === null
      ? ""
      : `pid ${waiter.pid} on ${showForeign(waiter.host ?? "")}${stopped(waiter)}`,
    waiter.waitedMs === null ? "" : showDuration(waiter.waitedMs),
    waiter.expectedMs === null ? "" : `about ${showDuration(waiter.expectedMs)}`,
  ]);
  return ["", ...tableLines([["place", "waiter", "process", "waited", "to go"], ...rows], 3)];
}

function stopped(waiter: WaiterView): string {
  return waiter.stopped ? `, stopped: kill -CONT ${waiter.pid} lets it go on` : "";
}

/** One object, as docs/json.md has it. @return the text, newline at the end included */
export function statusJson(status: StatusView): string {
  const { held, queue, lastHold } = status;
  return JSON.stringify({
    lock: status.lockPath,
    state: held === null ? "free" : held.verdict.verdict,
    holder: held && holderJson(held),
    verdict: held && {
      reason: held.verdict.verdict === "stale" ? held.verdict.reason : null,
      why: held.verdict.why,
      silent: held.verdict.verdict === "held" && held.verdict.silent,
      stopped: held.verdict.verdict === "held" ? held.verdict.stopped : [],
    },
    entries: held?.entries ?? [],
    remover: !held?.remover ? null : {
      slug: held.remover.slug,
      pid: held.remover.pid,
      host: held.remover.host,
      stopped: held.remover.sight === "stopped",
    },
    age_ms: held && Math.round(held.ageMs),
    queue: queue.map(({ place, slug, pid, host, stopped, waitedMs, expectedMs }) => ({
      place,
      slug,
      pid,
      host,
      stopped,
      waited_ms: waitedMs,
      expected_ms: expectedMs,
    })),
    last_hold: lastHold && {
      slug: lastHold.slug,
      start: isoTime(lastHold.startMs),
      end: lastHold.endMs === null ? null : isoTime(lastHold.endMs),
    },
  }) + "\n";
}

function holderJson({ holder, record }: NonNullable<StatusView["held"]>): Record<string, unknown> {
  return {
    slug: holder.slug,
    mode: holder.mode,
    command: record?.command ?? null,
    pid: holder.pid,
    child_pid: record?.childPid ?? null,
    host: holder.host,
    since: holder.sinceMs === null ? null : isoTime(holder.sinceMs),
    fence: record?.fence ?? null,
    beat: record?.beat ?? null,
    heartbeat_seconds: record?.heartbeatSeconds ?? null,
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

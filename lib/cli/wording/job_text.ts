/** The wording of jobs: submitted, going on, ended, died. */

import { showDuration } from "../../words/durations.ts";
import { tableLines } from "../../words/columns.ts";
import { shellLine, showForeign } from "../../words/slugs.ts";
import type { WaiterView } from "../../lock/views.ts";
import type { Job } from "../../jobs/job.ts";
import { ordinal } from "./giving_up.ts";
import { PROGRAM } from "./line.ts";

/** @param lockFlags as given, for the line that collects it */
export function submitted(job: Job, lock: string, lockFlags: string): string {
  return `job ${job.id} ${whereItIs(job, lock)}; collect it: ${collect(job, lockFlags)}`;
}

export function submittedJson(job: Job, lock: string, lockFlags: string): string {
  const { id, slug, place, state } = job;
  return JSON.stringify({
    event: "submitted",
    lock,
    id,
    slug,
    state,
    place,
    collect: collect(job, lockFlags),
  });
}

function collect({ id }: Job, lockFlags: string): string {
  return `${PROGRAM} result ${id}${lockFlags}`;
}

function whereItIs({ state, place }: Job, lock: string): string {
  if (state !== "waiting") return `has ${lock}`;
  return place === null ? `waits for ${lock}` : `is ${ordinal(place)} in line for ${lock}`;
}

/** @param waiter where it stands in line now; null if it is not there */
export function stillGoesOn(
  job: Job,
  lock: string,
  waiter: WaiterView | null,
  nowMs: number,
): string {
  if (job.state === "running") {
    return `job ${job.id} has been running under ${lock} for ${
      sinceThen(job.startedAt, nowMs)
    }; ask again`;
  }
  const place = waiter === null ? "on its way" : `${ordinal(waiter.place)} in line`;
  const soon = waiter?.expectedMs ? `, about ${showDuration(waiter.expectedMs)}` : "";
  return `job ${job.id} is ${place} for ${lock}${soon}; ask again`;
}

/** @param command what is seen of its command; null if it had none yet */
export function jobDied(
  { id, childPid, state }: Job,
  lock: string,
  command: "alive" | "gone" | "unknown" | null,
): string {
  const rest = {
    alive: `its command (pid ${childPid}) still runs, and has ${lock} until it ends`,
    gone: "its command is gone too",
    unknown: `whether its command (pid ${childPid}) runs cannot be seen from here`,
    none: "its command was never started",
  }[command ?? "none"];
  if (state === "submitted") {
    return `job ${id} was never started: its caller was killed as it submitted it; nothing has run`;
  }
  return `job ${id} was killed before its end; ${rest}; what it has written so far is above`;
}

export function wasCancelled({ id, startedAt }: Job): string {
  return startedAt === null
    ? `job ${id} was cancelled before it ran`
    : `job ${id} was cancelled while it ran`;
}

/** @param wasOver it had ended before it was called off */
export function cancelledWords(before: Job, { id, state, code }: Job, wasOver: boolean): string {
  if (wasOver) {
    const how = code === null ? "" : ` with status ${code}`;
    return `job ${id} had ended already${how}; nothing was cancelled`;
  }
  if (state !== "ended") return `job ${id} is called off, and has not ended yet; ask again`;
  return before.state === "running"
    ? `job ${id} is cancelled: its command has ended with status ${code}`
    : `job ${id} is cancelled: it has left the line`;
}

/** For `status`: all jobs that are kept. */
export function jobLines(jobs: readonly Job[], nowMs: number): string[] {
  if (jobs.length === 0) return [];
  const rows = jobs.map((job) => [
    job.id,
    showForeign(job.slug),
    stateWords(job, nowMs),
    job.command.length > 0 ? showForeign(shellLine(job.command)) : "",
  ]);
  return ["", ...tableLines([["job", "of", "state", "command"], ...rows], 4)];
}

function stateWords(
  { state, code, cancelled, submittedAt, startedAt, endedAt }: Job,
  nowMs: number,
) {
  switch (state) {
    case "ended":
      return `${cancelled ? "cancelled" : `ended with ${code}`}, ${sinceThen(endedAt, nowMs)} ago`;
    case "running":
      return `running for ${sinceThen(startedAt, nowMs)}`;
    default:
      return `waiting for ${sinceThen(submittedAt, nowMs)}`;
  }
}

function sinceThen(atMs: number | null, nowMs: number): string {
  return showDuration(Math.max(0, nowMs - (atMs ?? nowMs)));
}

/** A job as docs/json.md has it. */
export function jobJson(
  { id, slug, note, state, pid, childPid, submittedAt, startedAt, endedAt, code, cancelled }: Job,
): unknown {
  const iso = (atMs: number | null) => atMs === null ? null : new Date(atMs).toISOString();
  return {
    id,
    slug,
    note: note ?? null,
    state,
    pid,
    child_pid: childPid,
    submitted: iso(submittedAt),
    started: iso(startedAt),
    ended: iso(endedAt),
    code,
    cancelled,
  };
}

/** The verdict where nothing but time tells: age, and for how long the lock has been seen to stand still. */

import { countOf } from "../../words/columns.ts";
import { showDuration } from "../../words/durations.ts";
import { showForeign } from "../../words/slugs.ts";
import { isSameBoot } from "../state/record.ts";
import { heartbeatMs } from "../../lock/times.ts";
import type { Evidence, HolderEvidence, Verdict } from "./findings.ts";

/** An mtime in the future says nothing about age; that it stands still on our own clock does. */
function ageOf(evidence: Evidence): number {
  return evidence.mtimeInFuture ? evidence.mtimeStillForMs : evidence.ageMs;
}

/** A hundred days: whoever asks with no limit at all is not told when it ends. */
export const NOT_SOON_MS = 100 * 86_400_000;

/**
 * The verdict where age decides: on a lock that nobody beats.
 * @param because why age decides
 */
export function byAge(evidence: Evidence, patienceMs: number, because: string): Verdict {
  const { ageMs, leftMs, isWatched } = timeLeft(evidence, patienceMs);
  if (leftMs < 0) return expired(ageMs, patienceMs, because);
  const isSoon = leftMs < NOT_SOON_MS;
  const soon = !isSoon
    ? ""
    : ageMs > patienceMs
    ? `, and it is stale once it is seen to stand still for ${showDuration(leftMs)}`
    : `, and it is stale in ${showDuration(leftMs)}`;
  return {
    verdict: "held",
    silent: false,
    orphan: false,
    stopped: [],
    why: `${because}; its last sign of life was ${showDuration(ageMs)} ago${soon}`,
    ...(isWatched && { isWatched }),
    ...(isSoon && { expiresInMs: leftMs, turnsInMs: leftMs }),
  };
}

/** As `byAge()`, for who is to beat. */
export function bySilence(evidence: Evidence, patienceMs: number, because: string): Verdict {
  const { ageMs, leftMs, isWatched } = timeLeft(evidence, patienceMs);
  if (leftMs < 0) return expired(ageMs, patienceMs, because);
  const silent = ageMs > patienceMs;
  const watched = silent
    ? `; silent for ${showDuration(ageMs)}, being watched for another ${showDuration(leftMs)}`
    : `; its last beat was ${showDuration(ageMs)} ago`;
  return {
    verdict: "held",
    silent,
    orphan: false,
    stopped: [],
    why: because + watched,
    ...(isWatched && { isWatched }),
    ...(leftMs < NOT_SOON_MS && { expiresInMs: leftMs }),
    turnsInMs: leftMs,
  };
}

/** As `bySilence()`, for a holder that this machine cannot see: where to look for it, once it has missed beats. */
export function byBeats(evidence: Evidence, holder: HolderEvidence, patienceMs: number): Verdict {
  const { where, look } = whereabouts(holder);
  const verdict = bySilence(evidence, patienceMs, where);
  const { ageMs, leftMs } = timeLeft(evidence, patienceMs);
  const lateMs = BEATS * beatMs(holder) + evidence.mount.cachesForMs;
  if (verdict.verdict === "stale" || ageMs <= lateMs) return verdict;
  const missed = countOf(Math.floor(ageMs / beatMs(holder)), "beat");
  const soon = ageMs > patienceMs
    ? `once it has been watched for another ${showDuration(leftMs)}`
    : `in ${showDuration(leftMs)}`;
  const end = leftMs < NOT_SOON_MS
    ? `; broken after ${showDuration(patienceMs)} of silence, ${soon}`
    : "";
  const why = `${where}; silent for ${showDuration(ageMs)}, ${missed} missed${end}; ${look}`;
  return { ...verdict, why, isMissed: true };
}

/** Anybody can write a record: what is no plain name must not get into a command that a person copies. */
const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;

/** Where a holder is that this machine cannot see, and what to do there. */
function whereabouts({ record, ours }: HolderEvidence): { where: string; look: string } {
  const { pid, machine } = record;
  const host = showForeign(machine.host);
  if (isSameBoot(machine, ours)) {
    return {
      where: `it is in another pid namespace of this machine, such as a container, called ${host}`,
      look: `to look: pid ${pid} in there`,
    };
  }
  if (machine.host !== ours.host) {
    return {
      where: `it is on ${host}, which this machine cannot see into`,
      look: HOST_NAME.test(machine.host)
        ? `to look: ssh ${machine.host}, pid ${pid}`
        : `to look: pid ${pid} there`,
    };
  }
  // Not every system tells its boot: Windows does not.
  if (machine.bootId === null || ours.bootId === null) {
    return {
      where: `it is on ${host}, where this machine cannot tell which processes live`,
      look: `to look: pid ${pid}`,
    };
  }
  return {
    where: `it is on ${host}, as this machine is called too, but of another boot`,
    look: "if this machine was restarted since, it is dead: release --slug YOU --force",
  };
}

/** Until both are over: our patience with its age, and our watching it. */
function timeLeft(
  evidence: Evidence,
  patienceMs: number,
): { ageMs: number; leftMs: number; isWatched: boolean } {
  const ageMs = ageOf(evidence);
  const watchMs = watchLeftMs(evidence, patienceMs);
  const leftMs = Math.max(patienceMs - ageMs, watchMs);
  return { ageMs, leftMs, isWatched: evidence.mtimeInFuture || watchMs === leftMs };
}

/** A holder that keeps to its heartbeat is seen to beat within two of them. */
const BEATS = 2;

/**
 * For how long a lock must have been seen to stand still before its age may end it. A clock that was set, and a
 * share that shows what is past, make a healthy hold look old; that it stands still while we watch they do not.
 * @param staleMs the judge's own `--stale`
 * @return how long it is still to be watched, in milliseconds; below zero if it has been for long enough
 */
function watchLeftMs(evidence: Evidence, staleMs: number): number {
  const { holder, mount } = evidence;
  return typeof holder === "object"
    ? BEATS * beatMs(holder) + mount.cachesForMs - holder.beatStillForMs
    : bareLeftMs(evidence, staleMs);
}

function beatMs({ record }: HolderEvidence): number {
  return record.heartbeatSeconds * 1000;
}

/**
 * No record speaks for it, and a peer that keeps to `mkdir` and `rmdir` expects its age to be believed. Not where a
 * share may show us lock and record of different times, nor where we saw the wall clock being set.
 */
function bareLeftMs(evidence: Evidence, staleMs: number): number {
  const { mount, beside, wallJumpedAgoMs, mtimeStillForMs } = evidence;
  const ownBeatMs = heartbeatMs(staleMs);
  if (!mount.isLocalDisk) {
    const longestBeatMs = Math.max(ownBeatMs, beside.heartbeatMs ?? 0);
    return BEATS * longestBeatMs + mount.cachesForMs - beside.stillForMs;
  }
  if (wallJumpedAgoMs === null) return -Infinity;
  return BEATS * ownBeatMs - Math.min(mtimeStillForMs, wallJumpedAgoMs);
}

function expired(ageMs: number, patienceMs: number, because: string): Verdict {
  return {
    verdict: "stale",
    reason: "expired",
    ageMs,
    why: `${because}; its last sign of life was ${showDuration(ageMs)} ago, longer than ${
      showDuration(patienceMs)
    }`,
  };
}

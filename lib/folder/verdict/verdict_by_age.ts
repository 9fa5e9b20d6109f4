/** The verdict where nothing but time tells: age, and for how long the lock has been seen to stand still. */

import { showDuration } from "../../words/durations.ts";
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

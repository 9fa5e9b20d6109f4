/**
 * For how long a lock must have been seen to stand still before its age may end it. A clock that was set, and a
 * share that shows what is past, make a healthy hold look old; that it stands still while we watch they do not.
 */

import { heartbeatMs } from "../../lock/heartbeat.ts";
import type { Evidence, HolderEvidence } from "./findings.ts";

/** Who keeps to its heartbeat is seen to beat within two of them. */
const BEATS = 2;

/**
 * @param staleMs the judge's own `--stale`
 * @return how long it is still to be watched, in milliseconds; below zero if it has been for long enough
 */
export function watchLeftMs(evidence: Evidence, staleMs: number): number {
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

/**
 * The verdict on a standing lock: held or stale, from evidence alone.
 *
 * Guarantee: no holder that this machine can see alive is ever called stale, and what could not be gathered
 * never counts as death. Not guaranteed: that a holder this machine cannot see (another machine or pid
 * namespace, a peer without a record) is dead when its lock is called expired; it was silent for longer than
 * `--stale`, no more. Assumed: process numbers with start times are true within one boot, pid
 * namespace and time namespace.
 */

import { showDuration } from "../../words/durations.ts";
import { BARE_PATIENCE_MS, NEVER_STALE_MS } from "../../lock/times.ts";
import { LOCAL_DISK } from "../place/mount_trust.ts";
import type { RecordTie } from "../state/record.ts";
import type { Evidence, HolderEvidence, Verdict } from "./findings.ts";
import { byAge, byBeats, bySilence, NOT_SOON_MS } from "./verdict_by_age.ts";

/**
 * Whether the hold that the record names is that of the lock which stands there. Where neither mtime nor birth
 * time says so, somebody may have touched the lock of a hold that cannot beat: one that is seen alive is believed;
 * to call it dead is not possible then.
 */
export function speaksForLock(holder: HolderEvidence, tie: RecordTie): boolean {
  switch (tie) {
    case "none":
      return false;
    case "unknown":
      return isSeenAlive(holder);
    case "birth":
      return holder.lifeline !== "missing";
    case "mtime":
      // Else it was given back, and the lock is a later one that happens to carry its mtime.
      return holder.lifeline !== "missing" ||
        (holder.record.mode === "run" && (!isGone(holder) || holder.removerDied));
  }
}

/**
 * A lifeline that is missing belongs to a hold that was given back. A process without a start time may be any: a
 * record that belongs is believed even then, one that does not must name a real one. A command is believed without:
 * it is named in the very step of its start, before its start time can be read.
 */
function isSeenAlive(holder: HolderEvidence): boolean {
  if (holder.lifeline === "locked") return true;
  if (!holder.sameMachine || holder.lifeline === "missing") return false;
  const process = holder.process === "alive" && holder.record.processStart !== null;
  return process || holder.child === "alive";
}

const NOTHING_BUT_A_HOLDER = {
  ageMs: 0,
  mtimeInFuture: false,
  mtimeStillForMs: 0,
  wallJumpedAgoMs: null,
  beside: { heartbeatMs: null, stillForMs: 0 },
  mount: LOCAL_DISK,
} as const;

/** Whether nobody of this hold lives any more, so that its lock is broken at once, whatever its age. */
export function isDead(holder: HolderEvidence): boolean {
  const evidence = { ...NOTHING_BUT_A_HOLDER, holder };
  return judge(evidence, NEVER_STALE_MS).verdict === "stale";
}

/**
 * @param staleMs the judge's own `--stale`; never taken below three heartbeats of the holder's, since that
 *   is how long an honest holder can be late
 */
export function judge(evidence: Evidence, staleMs: number): Verdict {
  const verdict = judgeLife(evidence, staleMs);
  if (verdict.verdict === "stale" || typeof evidence.holder === "string") return verdict;
  const { stopped } = evidence.holder;
  return { ...verdict, why: verdict.why + stoppedWords(evidence.holder), stopped };
}

/** A holder that is stopped lives, and is not broken: a person must let it go on, or end it. */
function stoppedWords({ record, stopped }: HolderEvidence): string {
  if (stopped.length === 0) return "";
  const both = stopped.length > 1;
  const who = both
    ? "it and its command are"
    : stopped[0] === record.pid
    ? "it is"
    : "its command is";
  return `; ${who} stopped: kill -CONT ${stopped.join(" ")} lets ${both ? "them" : "it"} go on`;
}

function judgeLife(evidence: Evidence, staleMs: number): Verdict {
  const { holder } = evidence;
  if (typeof holder === "string") {
    return byAge(evidence, Math.max(staleMs, BARE_PATIENCE_MS), `there is ${article(holder)}`);
  }
  const patienceMs = Math.max(staleMs, 3 * holder.record.heartbeatSeconds * 1000);
  if (holder.record.mode === "acquire") {
    // Nobody beats for it: how long it may be silent is its holder's to say.
    const ownMs = Math.max(patienceMs, holder.record.stale * 1000);
    return byAge(evidence, ownMs, "it was taken by `acquire`, which leaves no process behind");
  }
  const pid = holder.record.pid;
  if (holder.lifeline === "locked" && (evidence.mount.locksProveLife || isInSight(holder))) {
    return held(evidence, patienceMs, `its process ${pid} lives: its lifeline is locked`);
  }
  if (holder.namespaceEmptied && holder.lifeline === "free") return deadWithAll(holder);
  if (!holder.sameMachine) {
    return byBeats(evidence, holder, patienceMs);
  }
  if (holder.lifeline === "missing") return withoutLifeline(evidence, holder, patienceMs);
  if (holder.process === "alive") return held(evidence, patienceMs, `its process ${pid} lives`);
  if (holder.child === "alive") return orphaned(evidence, holder, patienceMs);
  if (isGone(holder)) return dead(holder);
  if (holder.process === "gone") return outOfSight(evidence, holder, patienceMs);
  const why = `whether its process ${pid} lives could not be found out`;
  return bySilence(evidence, patienceMs, why);
}

/** Killed before its command was named: nobody knows what runs, and nobody beats. */
function outOfSight(evidence: Evidence, holder: HolderEvidence, patienceMs: number): Verdict {
  const { pid } = holder.record;
  const why = `its process ${pid} is gone, and whether its command lives could not be found out`;
  const verdict = bySilence(evidence, patienceMs, why);
  if (verdict.verdict === "stale") return verdict;
  const { turnsInMs } = verdict;
  const isSoon = turnsInMs !== undefined && turnsInMs < NOT_SOON_MS;
  return { ...verdict, outOfSight: true, ...(isSoon && { expiresInMs: turnsInMs }) };
}

function orphaned(evidence: Evidence, { record }: HolderEvidence, patienceMs: number): Verdict {
  const command = record.childPid === null ? "its command" : `its command (pid ${record.childPid})`;
  const why = `its process ${record.pid} is gone but ${command} lives`;
  return { ...held(evidence, patienceMs, why), orphan: true };
}

/**
 * The lifeline of a dead hold goes only when its lock does: one that is missing was being given back, or somebody
 * deleted it. A process that lives makes it again at its next beat, unless it is stopped.
 */
function withoutLifeline(
  evidence: Evidence,
  holder: HolderEvidence,
  patienceMs: number,
): Verdict {
  if (holder.child === "alive") return orphaned(evidence, holder, patienceMs);
  if (holder.stopped.includes(holder.record.pid)) {
    return held(evidence, patienceMs, `its process ${holder.record.pid} lives`);
  }
  if (isGone(holder) && holder.removerDied) return dead(holder);
  return bySilence(evidence, patienceMs, `its process ${holder.record.pid} has no lifeline`);
}

/** A server may keep the file lock of a machine that is dead; of ours we know who lives. */
function isInSight({ sameMachine, process }: HolderEvidence): boolean {
  return sameMachine && process !== "unknown";
}

function isGone(holder: HolderEvidence): boolean {
  return holder.process === "gone" && holder.child === "gone";
}

function dead(holder: HolderEvidence): Verdict {
  const { pid, childPid } = holder.record;
  const who = childPid === null
    ? `its process ${pid} is gone`
    : `its process ${pid} and its command (pid ${childPid}) are gone`;
  return { verdict: "stale", reason: "dead", why: who };
}

/** A container that was ended ends all that ran in it, the command too. */
function deadWithAll({ record }: HolderEvidence): Verdict {
  const why = `no process is left in the pid namespace of its process ${record.pid}`;
  return { verdict: "stale", reason: "dead", why };
}

function held(evidence: Evidence, patienceMs: number, why: string): Verdict & { verdict: "held" } {
  const silent = evidence.ageMs > patienceMs;
  return {
    verdict: "held",
    why: silent ? `${why}, though it has been silent for ${showDuration(evidence.ageMs)}` : why,
    silent,
    orphan: false,
    stopped: [],
  };
}

function article(what: Exclude<Evidence["holder"], HolderEvidence>): string {
  switch (what) {
    case "no record":
      return "no holder record";
    case "unreadable record":
      return "no readable holder record";
    case "record of another hold":
      return "no holder record of this hold";
  }
}

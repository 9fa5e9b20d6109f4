/** Gathers the evidence on a standing lock, in one place. What cannot be gathered is `unknown`, never `gone`. */

import { faultCode } from "../core/faults.ts";
import { type HolderRecord, isSameMachine } from "../core/record.ts";
import { type LockLook, speakingRecord } from "../core/still_ours.ts";
import type { Evidence, HolderEvidence, Life } from "../core/verdict.ts";
import { seeProcess, type Sight, UNSEEN } from "./life.ts";
import type { Site } from "./site.ts";
import { readTakers, takerIsGone } from "./takers.ts";

export type StandingLock = Extract<LockLook, { standing: "lock" }>;

/** @param look what stands there, as `lookAtLock()` found it */
export async function gatherEvidence(site: Site, look: StandingLock): Promise<Evidence> {
  const nowMs = await site.clock.nowMs();
  const mtimeStillForMs = await site.sightings.stillForMs("lock", String(look.mtimeMs));
  return {
    ageMs: Math.max(0, nowMs - look.mtimeMs),
    mtimeInFuture: look.mtimeMs > nowMs,
    mtimeStillForMs,
    holder: await holderEvidence(site, look),
  };
}

async function holderEvidence(site: Site, look: StandingLock): Promise<Evidence["holder"]> {
  if (look.record === "none") return "no record";
  if (look.record === "unreadable") return "unreadable record";
  const record = speakingRecord(look);
  if (!record) return "record of another hold";
  const beatStillForMs = await site.sightings.stillForMs(
    "beat",
    `${record.token} ${record.beat} ${look.mtimeMs}`,
  );
  const sameMachine = isSameMachine(record.machine, (await site.sys.processes.self()).machine);
  const seen = sameMachine && record.mode === "run"
    ? await seeProcess(site, record.pid, record.processStart)
    : UNSEEN;
  const process = seen.life;
  const lifeline = await lifelineState(site, record, process);
  const found = { record, sameMachine, process, lifeline, beatStillForMs };
  if (record.mode === "acquire" && lifeline === "missing") return "record of another hold";
  if (process !== "gone" || lifeline === "locked") {
    // It decides nothing while the process lives, but a person must be told if it is stopped.
    const command = process === "alive" ? await seeCommand(site, record) : UNSEEN;
    const stopped = stoppedOf(record, seen, command);
    return { ...found, child: "unknown", removerDied: false, stopped };
  }
  const command = await seeCommand(site, record);
  const child = record.childPid === null ? await unnamedCommand(site, record) : command.life;
  const removed = lifeline === "missing" && child !== "alive" && child !== "unknown";
  const died = removed && await removerDied(site, record.token, look.mtimeMs);
  // The hold that the record names is over: the lock is a later one that happens to carry its mtime.
  if (removed && !died) return "record of another hold";
  return { ...found, child, removerDied: died, stopped: stoppedOf(record, seen, command) };
}

async function seeCommand(site: Site, { childPid, childStart }: HolderRecord): Promise<Sight> {
  return childPid === null ? UNSEEN : await seeProcess(site, childPid, childStart);
}

function stoppedOf({ pid, childPid }: HolderRecord, process: Sight, command: Sight): number[] {
  return [...process.stopped ? [pid] : [], ...command.stopped ? [childPid!] : []];
}

/**
 * A wrapper may be killed between starting its command and writing down which: then the command is looked
 * for by the token that it inherited.
 */
async function unnamedCommand(
  site: Site,
  record: HolderRecord,
): Promise<HolderEvidence["child"]> {
  switch (await site.sys.processes.inEnvironment(record.token, record.processStart)) {
    case "yes":
      return "alive";
    case "no":
      return "unstarted";
    case "unknown":
      return "unknown";
  }
}

/** Its file lock is asked for only where that can tell more than its process does. */
async function lifelineState(
  site: Site,
  record: HolderRecord,
  process: Life,
): Promise<HolderEvidence["lifeline"]> {
  const path = `${site.paths.alive}/${record.token}`;
  try {
    if (record.mode === "acquire" || process === "alive") {
      return await site.sys.files.entry(path) ? "unknown" : "missing";
    }
    const file = await site.sys.files.open(path);
    if (!file) return "missing";
    try {
      const answer = await file.tryLock("shared");
      return answer === "held" ? "locked" : answer === "granted" ? "free" : "unknown";
    } finally {
      await file.close();
    }
  } catch (fault) {
    if (faultCode(fault) === null) throw fault;
    return "unknown";
  }
}

/**
 * Any lock made after that taker wrote its `who.json` carries a later mtime; a margin keeps a clock that was
 * set back a little from deceiving us. On file systems that count whole seconds the difference is far larger.
 */
const STAMP_MARGIN_MS = 20;

async function removerDied(site: Site, token: string, lockMtimeMs: number): Promise<boolean> {
  for (const taker of await readTakers(site)) {
    const died = taker.who?.lockToken === token &&
      lockMtimeMs + STAMP_MARGIN_MS <= taker.whoMtimeMs &&
      await takerIsGone(site, taker);
    if (died) return true;
  }
  return false;
}

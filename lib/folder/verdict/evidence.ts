/** Gathers the evidence on a standing lock, in one place. What cannot be gathered is `unknown`, never `gone`. */

import { faultCode } from "../../sys/faults.ts";
import {
  type HolderRecord,
  isSameBoot,
  isSameMachine,
  isSameTime,
  type LockLook,
  recordOnDisk,
  recordTie,
} from "../state/record.ts";
import { speaksForLock } from "./judge.ts";
import { lifelinePath } from "../state/layout.ts";
import {
  fileLockState,
  lifelineStands,
  readLifeline,
  seeProcess,
  type Sight,
  UNSEEN,
} from "../state/lifeline.ts";
import type { Site } from "../site.ts";
import { readTakers, signedBy, takerState } from "../removal/takers.ts";
import type { Evidence, HolderEvidence, Life } from "./findings.ts";
import type { TakerWho } from "../removal/request.ts";

export type StandingLock = Extract<LockLook, { standing: "lock" }>;

/**
 * @param look what stands there, as `lookAtLock()` found it
 * @param folderMs the file system's clock, if it was read just before that look
 */
export async function gatherEvidence(
  site: Site,
  look: StandingLock,
  folderMs: number | null = null,
): Promise<Evidence> {
  const nowMs = folderMs ?? await site.clock.nowMs();
  const mtimeStillForMs = await site.sightings.stillForMs("lock", String(look.mtimeMs));
  return {
    ageMs: Math.max(0, nowMs - look.mtimeMs),
    mtimeInFuture: look.mtimeMs > nowMs,
    mtimeStillForMs,
    wallJumpedAgoMs: site.clock.jumpedAgoMs,
    beside: await lookBeside(site, look),
    mount: site.mount,
    holder: await holderEvidence(site, look),
  };
}

async function lookBeside(site: Site, look: StandingLock): Promise<Evidence["beside"]> {
  const record = recordOnDisk(look);
  const seen = `${look.mtimeMs} ${record?.token} ${record?.beat}`;
  return {
    heartbeatMs: record && record.heartbeatSeconds * 1000,
    stillForMs: await site.sightings.stillForMs("lock and record", seen),
  };
}

/** What can be seen of who holds, without asking for its age: nothing is written. */
export async function holderEvidence(
  site: Site,
  look: StandingLock,
): Promise<Evidence["holder"]> {
  if (look.record === "none") return "no record";
  if (look.record === "unreadable") return "unreadable record";
  const { record } = look.record;
  const tie = recordTie(look);
  if (tie === "none") return "record of another hold";
  const { machine: ours } = await site.sys.processes.self();
  const sameMachine = isSameMachine(record.machine, ours);
  const seen = sameMachine && record.mode === "run"
    ? await seeProcess(site, record.pid, record.processStart)
    : UNSEEN;
  const lifeline = await lifelineState(site, record, seen.life);
  if (tie !== "mtime" && lifeline === "missing") return "record of another hold";
  const beatStillForMs = await site.sightings.stillForMs(
    "beat",
    `${record.token} ${record.beat} ${look.mtimeMs}`,
  );
  const namespaceEmptied = !sameMachine && lifeline === "free" &&
    await isWhereNobodyIs(site, record);
  const process = seen.life;
  const found = { record, sameMachine, ours, namespaceEmptied, process, lifeline, beatStillForMs };
  const holder = seen.life === "gone" && lifeline !== "locked"
    ? await goneHolder(site, look, found)
    : await livingHolder(site, seen, found);
  return speaksForLock(holder, tie) ? holder : "record of another hold";
}

/**
 * Whether it ran in a container of this kernel that has been ended. The disk must be this machine's: a copy of a running
 * machine carries the same boot id elsewhere.
 */
async function isWhereNobodyIs(
  site: Site,
  { machine, processStart }: HolderRecord,
): Promise<boolean> {
  const { processes } = site.sys;
  const { machine: ours } = await processes.self();
  const isHere = site.mount.isLocalDisk && isSameBoot(machine, ours);
  if (!isHere || machine.pidNamespace === null) return false;
  const since = isSameTime(machine, ours) ? processStart : null;
  return await processes.hasEmptied(machine.pidNamespace, since) === "yes";
}

type Found = Omit<HolderEvidence, "child" | "removerDied" | "stopped">;

/** What its command does decides nothing while the process lives, but a person must be told if it is stopped. */
async function livingHolder(site: Site, seen: Sight, found: Found): Promise<HolderEvidence> {
  const { record } = found;
  const command = seen.life === "alive" ? await seeCommand(site, record) : UNSEEN;
  const stopped = stoppedOf(record, seen, command);
  return { ...found, child: "unknown", removerDied: false, stopped };
}

async function goneHolder(site: Site, look: StandingLock, found: Found): Promise<HolderEvidence> {
  const remover = found.lifeline === "missing"
    ? await deadRemover(site, found.record.token, look.mtimeMs)
    : null;
  const { record, command } = await commandOfGone(site, found.record, remover);
  const stopped = stoppedOf(record, UNSEEN, command);
  return { ...found, record, child: command.life, removerDied: remover !== null, stopped };
}

/**
 * A wrapper may be killed before its record names the command: its lifeline does so from the very start on. One that is
 * killed while it ends all that the command started leaves the lock to what is left of that.
 */
async function commandOfGone(
  site: Site,
  record: HolderRecord,
  remover: TakerWho | null,
): Promise<{ record: HolderRecord; command: Sight }> {
  const told = await readLifeline(site, record.token);
  const childPid = record.childPid ?? told?.childPid ?? null;
  const named = { ...record, childPid };
  if (childPid === null) {
    return { record: named, command: await seeUnnamedCommand(site, record, remover) };
  }
  const command = await seeCommand(site, named);
  if (command.life !== "gone" || !told?.endsAll || remover) return { record: named, command };
  const found = await site.sys.processes.inEnvironment(record.token, record.processStart);
  if (found === "no") return { record: named, command };
  const left: Sight = found === "yes" ? { life: "alive", stopped: false } : UNSEEN;
  return { record: { ...record, childPid: null, childStart: null }, command: left };
}

async function seeCommand(site: Site, { childPid, childStart }: HolderRecord): Promise<Sight> {
  return childPid === null ? UNSEEN : await seeProcess(site, childPid, childStart);
}

function stoppedOf({ pid, childPid }: HolderRecord, process: Sight, command: Sight): number[] {
  return [...process.stopped ? [pid] : [], ...command.stopped ? [childPid!] : []];
}

/**
 * Killed in the very moment of the start, a wrapper has named its command nowhere. Then there is the token that
 * the command inherited, in its environment. Not to find it there is no evidence of death: a command may have
 * cleaned its environment (`env -i`, `sudo`).
 */
async function seeUnnamedCommand(
  site: Site,
  record: HolderRecord,
  remover: TakerWho | null,
): Promise<Sight> {
  // A holder that gives its own lock back has seen its command end.
  const gaveBack = remover?.pid === record.pid && remover.processStart === record.processStart;
  // A program that uses the library starts no command of ours: its own end is the end.
  const hasCommand = record.command !== undefined;
  if (gaveBack || !hasCommand) return { life: "gone", stopped: false };
  const found = await site.sys.processes.inEnvironment(record.token, record.processStart);
  return found === "yes" ? { life: "alive", stopped: false } : UNSEEN;
}

/** Its file lock is asked for only where that can tell more than its process does. */
async function lifelineState(
  site: Site,
  record: HolderRecord,
  process: Life,
): Promise<HolderEvidence["lifeline"]> {
  const asksFileLock = record.mode === "run" && process !== "alive";
  const state = asksFileLock
    ? await fileLockState(site, lifelinePath(site.paths, record.token))
    : "missing";
  if (state !== "missing") return state;
  try {
    return await lifelineStands(site, record.token) ? "unknown" : "missing";
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

/** A taker of the right to remove that died over just this hold, before the lock was gone. */
async function deadRemover(
  site: Site,
  token: string,
  lockMtimeMs: number,
): Promise<TakerWho | null> {
  for (const taker of await readTakers(site)) {
    const who = signedBy(taker);
    const died = who?.lockToken === token &&
      lockMtimeMs + STAMP_MARGIN_MS <= taker.whoMtimeMs &&
      await takerState(site, taker) === "gone";
    if (died) return who;
  }
  return null;
}

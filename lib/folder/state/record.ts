/**
 * The holder record: the file that says who holds, its form, and what ties it to the lock that stands there. It is
 * advisory and anybody can write it, so it is read with suspicion: what is not exactly of this form says nothing.
 */

import { LONGEST_HEARTBEAT_MS } from "../../lock/times.ts";
import { isNote, isSlug, normalSlug } from "../../words/slugs.ts";

export interface WhoAndWhere {
  /** Random name of one hold (or of one taking of the right to remove). */
  readonly token: string;
  readonly slug: string;
  readonly pid: number;
  readonly processStart: string | null;
  readonly machine: {
    readonly host: string;
    readonly bootId: string | null;
    readonly pidNamespace: string | null;
    /** Missing or null where the kernel has none. */
    readonly timeNamespace?: string | null;
  };
}

export interface HolderRecord extends WhoAndWhere {
  /** `run`: a process stays with the hold and beats. `acquire`: nobody does; only age tells. */
  readonly mode: "run" | "acquire";
  /** The command under a `run` hold, once it is started. */
  readonly childPid: number | null;
  readonly childStart: string | null;
  /** Milliseconds since 1970 by the holder's clock, for people. */
  readonly acquiredAt: number;
  /** Counts the beats. It moves even where an mtime is seen late. */
  readonly beat: number;
  readonly heartbeatSeconds: number;
  /** The holder's own `--stale`, in seconds. */
  readonly stale: number;
  readonly fence: number;
  /** The lock's mtime, as the holder last read it, in milliseconds. */
  readonly lockMtime: number;
  /** The lock's birth time, in milliseconds; missing or null where the file system keeps none. */
  readonly lockBirthtime?: number | null;
  /**
   * There for a hold that starts a command, and empty: the words are in the lifeline, which goes with the hold.
   * Without it nothing was to be started.
   */
  readonly command?: readonly string[];
  /** Why the holder wants the lock. */
  readonly note?: string;
}

/** A record has a few hundred bytes. What is larger is not ours. */
export const RECORD_LARGEST_BYTES = 64 * 1024;

/** @return the record, or null if the text is not one */
export function parseRecord(text: string): HolderRecord | null {
  const value = parseObject(text);
  if (!value || !isWhoAndWhere(value)) return null;
  const whole = (value.mode === "run" || value.mode === "acquire") &&
    (value.childPid === null || isPid(value.childPid)) && isTextOrNull(value.childStart) &&
    isMoment(value.acquiredAt) && isCount(value.beat) && isHeartbeat(value.heartbeatSeconds) &&
    isPositive(value.stale) && isCount(value.fence) && isMoment(value.lockMtime) &&
    (value.lockBirthtime == null || isMoment(value.lockBirthtime)) &&
    (value.note === undefined || (typeof value.note === "string" && isNote(value.note))) &&
    (value.command === undefined ||
      (Array.isArray(value.command) && value.command.every((word) => typeof word === "string")));
  return whole ? value as unknown as HolderRecord : null;
}

/** Reads who took the right to remove, or who waits; null if the text does not say. */
export function parseWhoAndWhere(text: string): WhoAndWhere | null {
  const value = parseObject(text);
  return value && isWhoAndWhere(value) ? value as unknown as WhoAndWhere : null;
}

/** @return null if the text is no object of JSON */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const object = value as Record<string, unknown>;
    return typeof object.slug === "string" ? { ...object, slug: normalSlug(object.slug) } : object;
  } catch {
    return null;
  }
}

function isWhoAndWhere(value: Record<string, unknown>): boolean {
  const machine = value.machine as Record<string, unknown> | null | undefined;
  return typeof value.token === "string" && /^[a-z0-9]{8,64}$/.test(value.token) &&
    typeof value.slug === "string" && isSlug(value.slug) && isPid(value.pid) &&
    isTextOrNull(value.processStart) &&
    typeof machine === "object" && machine !== null && typeof machine.host === "string" &&
    isTextOrNull(machine.bootId) && isTextOrNull(machine.pidNamespace) &&
    (machine.timeNamespace === undefined || isTextOrNull(machine.timeNamespace));
}

/** Zero and negative numbers mean whole groups of processes to the system: never ask about one. */
export function isPid(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 31;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.length <= 256);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Dates end there: what is later cannot be shown. */
const LATEST_MS = 8.64e15;

function isMoment(value: unknown): boolean {
  return isCount(value) && value as number <= LATEST_MS;
}

/** Nobody's `--stale` is taken below three of them: a longer one would keep a dead hold standing. */
function isHeartbeat(value: unknown): boolean {
  return isPositive(value) && value as number <= LONGEST_HEARTBEAT_MS / 1000;
}

function isPositive(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

/**
 * Whether process numbers and start times of one identity mean the same to the other: one boot, one pid namespace,
 * one time namespace (which moves start times). A boot or pid namespace that is not known is never equal. The
 * host name says nothing: it changes while the machine runs.
 */
export function isSameMachine(a: WhoAndWhere["machine"], b: WhoAndWhere["machine"]): boolean {
  return isSameBoot(a, b) && a.pidNamespace !== null && a.pidNamespace === b.pidNamespace &&
    isSameTime(a, b);
}

/** Whether start times of one boot are counted alike. */
export function isSameTime(a: WhoAndWhere["machine"], b: WhoAndWhere["machine"]): boolean {
  return (a.timeNamespace ?? null) === (b.timeNamespace ?? null);
}

/** Whether one running kernel is spoken of. */
export function isSameBoot(a: WhoAndWhere["machine"], b: WhoAndWhere["machine"]): boolean {
  return a.bootId !== null && a.bootId === b.bootId;
}

/**
 * A record belongs to the lock that stands there if the lock's mtime is the one that the holder read, or the
 * one that the record file itself carries (a beat gives both one stamp). Otherwise it says nothing.
 * @param recordFileMtimeMs the record file's own
 * @param lockMtimeMs the standing lock's mtime
 */
export function recordBelongs(
  record: HolderRecord,
  recordFileMtimeMs: number,
  lockMtimeMs: number,
): boolean {
  return lockMtimeMs === record.lockMtime || lockMtimeMs === recordFileMtimeMs;
}

/** What stands where the lock would, in one consistent look. */
export type LockLook =
  | { readonly standing: "nothing" }
  | { readonly standing: "other"; readonly found: string }
  | {
    readonly standing: "lock";
    readonly mtimeMs: number;
    readonly birthtimeMs: number | null;
    /** Who owns the folder; null where the system has no owners. For people. */
    readonly uid: number | null;
    /** Names found inside; a lock is always empty. */
    readonly entries: readonly string[];
    readonly record:
      | { readonly record: HolderRecord; readonly fileMtimeMs: number }
      | "none"
      | "unreadable";
  };

/** Two mounts of one folder may round differently. */
const BIRTH_MARGIN_MS = 20;

/**
 * Compares the birth time of the folder that somebody made with that of the one that stands there. `later` is a
 * proof: a folder never gets younger. `same` is as good as an equal mtime: only a mkdir in that very moment gives
 * the same one.
 */
export function compareBirths(
  madeMs: number | null | undefined,
  standingMs: number | null,
): "same" | "later" | "unknown" {
  if (!madeMs || !standingMs) return "unknown";
  if (standingMs > madeMs + BIRTH_MARGIN_MS) return "later";
  return standingMs === madeMs ? "same" : "unknown";
}

/**
 * What ties the record that lies there to the lock that stands there. `mtime`: it belongs. Else somebody may
 * have touched the lock, or put something into it: `birth` says that it is still the same folder; `none` that it
 * is another; `unknown` where birth times tell nothing.
 */
export type RecordTie = "mtime" | "birth" | "unknown" | "none";

export function recordTie(look: LockLook): RecordTie {
  if (look.standing !== "lock" || typeof look.record !== "object") return "none";
  if (recordByMtime(look)) return "mtime";
  const births = compareBirths(look.record.record.lockBirthtime, look.birthtimeMs);
  return births === "same" ? "birth" : births === "later" ? "none" : "unknown";
}

/**
 * The record that lies there, whether or not it speaks for the lock: of a hold that is over, or of one whose
 * lock was touched by hand. Its lifeline goes with the lock.
 */
export function recordOnDisk(look: LockLook): HolderRecord | null {
  return look.standing === "lock" && typeof look.record === "object" ? look.record.record : null;
}

/** The record that is tied to the standing lock by its mtime, or null. */
export function recordByMtime(look: LockLook): HolderRecord | null {
  if (look.standing !== "lock" || typeof look.record !== "object") return null;
  return recordBelongs(look.record.record, look.record.fileMtimeMs, look.mtimeMs)
    ? look.record.record
    : null;
}

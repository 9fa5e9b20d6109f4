/**
 * Whether the lock that stands is still the one a holder made.
 *
 * A folder has no identity to compare: inode numbers and birth times come back at once with the next mkdir.
 * What tells is the mtime that we left on it and the record beside it; and that it was born later, if it was.
 */

import { type HolderRecord, recordBelongs } from "./record.ts";

/** What stands where the lock would, in one consistent look. */
export type LockLook =
  | { readonly standing: "nothing" }
  | { readonly standing: "other"; readonly found: string }
  | {
    readonly standing: "lock";
    readonly mtimeMs: number;
    readonly birthtimeMs: number | null;
    /** Names found inside; a lock is always empty. */
    readonly entries: readonly string[];
    readonly record:
      | { readonly record: HolderRecord; readonly fileMtimeMs: number }
      | "none"
      | "unreadable";
  };

/** What a holder remembers of its hold. */
export interface HoldMemory {
  readonly token: string;
  /** The lock's mtime as we last left it. */
  readonly leftMtimeMs: number;
  /** The lock's birth time when we made it; null or 0 where the file system keeps none. */
  readonly birthtimeMs: number | null;
  /** When we last beat, on the monotonic clock. */
  readonly beatAtMs: number;
  readonly staleMs: number;
}

/**
 * @param nowMs the monotonic clock now
 */
export function isStillOurs(look: LockLook, memory: HoldMemory, nowMs: number): boolean {
  if (look.standing !== "lock") return false;
  const stranger = typeof look.record === "object" && look.record.record.token !== memory.token
    ? look.record
    : null;
  // On a file system that keeps whole seconds a successor's lock can carry our mtime; its record tells.
  if (stranger && recordBelongs(stranger.record, stranger.fileMtimeMs, look.mtimeMs)) return false;
  if (look.mtimeMs === memory.leftMtimeMs) return true;
  if (stranger) return false;
  if (compareBirths(memory.birthtimeMs, look.birthtimeMs) === "later") return false;
  // Somebody touched the lock. Within half of --stale nobody may have broken it and made another.
  const beatIsYoung = nowMs - memory.beatAtMs < memory.staleMs / 2;
  return beatIsYoung || compareBirths(memory.birthtimeMs, look.birthtimeMs) === "same";
}

/** Two mounts of one folder may round differently. */
const BIRTH_MARGIN_MS = 20;

/**
 * Compares the birth time of the folder that somebody made with that of the one that stands there. `later` is a
 * proof: a folder never gets younger. `same` is as good as an equal mtime: only a mkdir in that very moment gives
 * the same one.
 */
function compareBirths(
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

/** What ties the record that lies there to the lock that stands there: mtimes, and birth times. */

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

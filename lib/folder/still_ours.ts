/**
 * Whether the lock that stands is still the one a holder made.
 *
 * A folder has no identity to compare: inode numbers and birth times come back at once with the next mkdir.
 * What tells is the mtime that we left on it and the record beside it; and that it was born later, if it was.
 */

import { elapsedMs, type Moment } from "../sys/elapsed.ts";
import { compareBirths, type HolderRecord, type LockLook, recordBelongs } from "./state/record.ts";

/** What a holder remembers of its hold. */
export interface HoldMemory {
  readonly token: string;
  /** The lock's mtime as we last left it. */
  readonly leftMtimeMs: number;
  /** The lock's birth time when we made it; null or 0 where the file system keeps none. */
  readonly birthtimeMs: number | null;
  /** When we last beat. */
  readonly beatAt: Moment;
  readonly staleMs: number;
}

/** What a holder keeps between two beats. */
export interface HoldState {
  readonly record: HolderRecord;
  readonly memory: HoldMemory;
}

export type Beaten =
  | { readonly outcome: "ours"; readonly state: HoldState }
  | { readonly outcome: "lost" }
  /** We were held up between looking and writing: the look is too old to act on. Try again. */
  | { readonly outcome: "late" };

/**
 * @param mtimeMayBeOld a share may show us the mtime that we left although another has made the lock anew
 */
export function isStillOurs(
  look: LockLook,
  memory: HoldMemory,
  now: Moment,
  mtimeMayBeOld: boolean,
): boolean {
  if (look.standing !== "lock") return false;
  const stranger = typeof look.record === "object" && look.record.record.token !== memory.token
    ? look.record
    : null;
  // On a file system that keeps whole seconds a successor's lock can carry our mtime; its record tells.
  if (stranger && recordBelongs(stranger.record, stranger.fileMtimeMs, look.mtimeMs)) return false;
  if (look.mtimeMs === memory.leftMtimeMs) {
    return !(mtimeMayBeOld && stranger && isOfLaterHold(stranger, memory));
  }
  if (stranger) return false;
  if (compareBirths(memory.birthtimeMs, look.birthtimeMs) === "later") return false;
  // Somebody touched the lock. Within half of --stale nobody may have broken it and made another.
  const beatIsYoung = elapsedMs(memory.beatAt, now) < memory.staleMs / 2;
  return beatIsYoung || compareBirths(memory.birthtimeMs, look.birthtimeMs) === "same";
}

/** A late writer's record is from before our hold; what was written after our last beat is of another's. */
function isOfLaterHold(
  { record, fileMtimeMs }: { readonly record: HolderRecord; readonly fileMtimeMs: number },
  { leftMtimeMs }: HoldMemory,
): boolean {
  return Math.max(record.lockMtime, fileMtimeMs) > leftMtimeMs;
}

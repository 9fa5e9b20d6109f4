/**
 * The failures that callers tell apart. They carry data; the words for people are in `lib/cli/messages.ts`,
 * and the exit codes in `exit_codes.ts`.
 */

import type { HolderView, RemoverView } from "./views.ts";
import type { SignalName } from "../sys/signals.ts";

export { type Circle, type CircleLink, GaveUp } from "./gave_up.ts";

/** The command line is wrong. The message names the flag and the rule. */
export class UsageError extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "UsageError";
}

/** A hold that was asked for by its fence number, and the one that there is. */
export interface FenceMismatch {
  /** The number that the caller named. */
  readonly asked: number;
  /** That of the present hold; null where no record tells it. */
  readonly present: number | null;
}

/** Nothing is held, or somebody else holds it. */
export class NotHolder extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "NotHolder";
  /**
   * Says whose the lock is instead.
   * @param lock absolute path of the lock
   * @param problem why the caller is not the holder
   * @param holder who is; null if nobody is
   * @param fences if the caller named itself by a fence number: that, and the present one
   */
  constructor(
    readonly lock: string,
    readonly problem:
      | "not held"
      /** Nor is there a log that tells of any hold. */
      | "never held"
      | "held by another"
      | "command still running"
      | "beats by itself"
      | "no hold inherited"
      | "dead",
    readonly holder: HolderView | null,
    readonly fences: FenceMismatch | null = null,
  ) {
    super(`not the holder of ${lock}: ${problem}`);
  }
}

/** How a lock was lost: somebody else removed it, or the lock folder itself is gone (deleted, or moved away). */
export type LossKind = "removed" | "folder gone";

/** The hold is gone: somebody else removed the lock, or the folder that it was in. */
export class HoldLost extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "HoldLost";
  /**
   * Says who lost what.
   * @param lock absolute path of the lock
   * @param slug who lost it
   * @param how what became of the lock
   */
  constructor(
    readonly lock: string,
    readonly slug: string,
    readonly how: LossKind = "removed",
  ) {
    super(`${slug} lost ${lock}${how === "removed" ? "" : ", whose folder is gone"}`);
  }
}

/** A signal came during the wait, or between the grant of the lock and the start of what it was for. */
export class Interrupted extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "Interrupted";
  /**
   * Says which signal it was.
   * @param lock absolute path of the lock
   * @param signal which one
   */
  constructor(readonly lock: string, readonly signal: SignalName) {
    super(`${signal} while acquiring ${lock}`);
  }
}

/** The process that called is gone, and the wait with it: `--die-with-parent`. Nothing is held. */
export class CallerGone extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "CallerGone";
  /**
   * Says whose wait it was.
   * @param lock absolute path of the lock
   * @param pid the process that called
   */
  constructor(readonly lock: string, readonly pid: number) {
    super(`pid ${pid}, which called, is gone; ${lock} was not acquired`);
  }
}

/** What was to be read as a log is none: it is a folder, or not one line has its form. */
export class NoLog extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "NoLog";
  /**
   * Says which file it is.
   * @param path absolute path of the file, or in words what it is
   * @param found how many lines it has, where it is a file
   */
  constructor(readonly path: string, readonly found: number | "folder") {
    super(`${path} is no log of a lock`);
  }
}

/** What was to be read as a log cannot be read. */
export class NoInput extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "NoInput";
  /**
   * Says which file it is.
   * @param path absolute path of the file, or in words what it is
   * @param reason the system's own sentence
   */
  constructor(readonly path: string, readonly reason: string) {
    super(`${path} cannot be read: ${reason}`);
  }
}

/** A removal that another one was in the way of. */
export interface BlockedRemoval {
  /** That one; null where nobody knows who it is. */
  readonly blockedBy: RemoverView | null;
  /** An operator's, of another's lock. */
  readonly isForced: boolean;
  /** By a command that can be given again; else the lock is broken as stale in the end. */
  readonly mayTryAgain: boolean;
}

/** Stands for a folder. One that really has such a name is called `./@git`. */
export type SharedWord = "@git" | "@user";

/** What about the lock folder, or what is in it, is in the way. */
export type Obstacle =
  /** Missing, not a folder, or not writable. */
  | {
    readonly kind: "folder";
    readonly reason: string;
    readonly uid: number | null;
    readonly mode: number | null;
  }
  /** Something else than a folder stands where the lock would. */
  | { readonly kind: "not a lock"; readonly found: string }
  /** The lock folder holds something; it is never deleted with its contents. */
  | { readonly kind: "lock not empty"; readonly entries: readonly string[] }
  /** The lock is another user's, and the folder is sticky: it cannot be removed by us. */
  | {
    readonly kind: "kept from us";
    readonly uid: number | null;
    readonly folderUid: number | null;
    /** The holder, as in the log; null where nothing tells. */
    readonly holder: string | null;
  }
  /** A file of the lock is somebody else's, a link, or cannot be written. */
  | {
    readonly kind: "file";
    readonly reason: string;
    readonly uid: number | null;
    readonly mode: number | null;
  }
  /** A file of the user's own, named on the command line. */
  | { readonly kind: "document"; readonly operation: string; readonly reason: string }
  /** Disk full, I/O. */
  | { readonly kind: "io"; readonly operation: string; readonly reason: string }
  /** The lock could not be given back. */
  | {
    readonly kind: "not given back";
    readonly reason: string;
    /** The lock folder itself was not to be seen: what is in it nobody knows. */
    readonly folderIsGone?: boolean;
    /** The lock folder, where it may not be written any more: rmdir by hand is refused too. */
    readonly closedFolder?: string;
    /** Another has the right to remove it: nobody must remove it by hand then. */
    readonly removal?: BlockedRemoval;
  }
  /** mkdir on this mount is known not to exclude. */
  | { readonly kind: "mount"; readonly fileSystem: string }
  /** A folder named by a word (`@git`) cannot be found. */
  | { readonly kind: "no shared folder"; readonly word: SharedWord; readonly missing: string };

/** The lock folder cannot be used as it is. */
export class FolderUnusable extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "FolderUnusable";
  /**
   * Says what is wrong with what.
   * @param path what is in the way
   * @param obstacle why
   */
  constructor(readonly path: string, readonly obstacle: Obstacle) {
    super(`${path} cannot be used: ${inShort(obstacle)}`);
  }
}

/** For who catches the error; what to do about it is said by the command line alone. */
function inShort(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case "not a lock":
      return `it is ${obstacle.found}, not a folder`;
    case "lock not empty":
      return "the lock is not empty, and is never removed with its contents";
    case "mount":
      return `it is on a ${obstacle.fileSystem} mount, whose mkdir is known to let two in`;
    case "no shared folder":
      return obstacle.missing;
    case "io":
      return `${obstacle.operation} failed, ${obstacle.reason}`;
    case "kept from us":
      return `it is uid ${obstacle.uid}'s, in a sticky folder`;
    case "not given back":
      return `it could not be ${removalWord(obstacle.removal)}, ${obstacle.reason}`;
    default:
      return obstacle.reason;
  }
}

/** What was to become of the lock. */
export function removalWord(removal: BlockedRemoval | undefined): "given back" | "removed" {
  return removal?.isForced ? "removed" : "given back";
}

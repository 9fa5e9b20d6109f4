/**
 * The one seam between this program and the machine. Everything below `lib/cli` and `lib/lock` that
 * touches a file, a clock, a process or a terminal goes through these interfaces, so that a simulated
 * machine can stop any process between any two steps, and so that a frozen network share cannot freeze
 * a time limit: no method blocks.
 *
 * File operations fail with `FileFault` (see `core/faults.ts`), whose `code` is the system's name for
 * the cause. No method follows a symbolic link in the last part of a path.
 */

import type { Moment } from "./elapsed.ts";
import type { Commands } from "./commands.ts";
import type { Diagnosis } from "./diagnosis.ts";

/** What stands at a path. */
export interface Entry {
  readonly kind: "folder" | "file" | "link" | "other";
  /** Whole milliseconds since 1970 by the clock of the file system; many keep only 1 or 2 seconds of it. */
  readonly mtimeMs: number;
  /** As `mtimeMs`; null where the file system keeps none. Never an identity: it comes back at once. */
  readonly birthtimeMs: number | null;
  readonly sizeBytes: number;
  /** The user who owns it and its permission bits; null where the system has none. */
  readonly uid: number | null;
  readonly mode: number | null;
}

/** What a file held, and the mtime of just that content. */
export interface Content {
  readonly text: string;
  readonly mtimeMs: number;
}

export interface Files {
  /** What stands at `path`, or null if nothing does. */
  entry(path: string): Promise<Entry | null>;
  /** The names in a folder, in no order; null if there is no such folder. */
  list(path: string): Promise<string[] | null>;
  /**
   * Makes one folder. Fails with EEXIST if anything stands there, ENOENT if its parent is missing.
   * @param mode its permission bits where the system has any; without it whatever the user's mask leaves
   */
  makeFolder(path: string, mode?: number): Promise<void>;
  /** Removes one empty folder. Fails with ENOENT, ENOTEMPTY, ENOTDIR (a file or a link stands there). */
  removeFolder(path: string): Promise<void>;
  /** Removes one file or link; false if nothing stood there. */
  removeFile(path: string): Promise<boolean>;
  /** Reads a regular file of at most `maxBytes`; null if nothing stands there. ELOOP for a link, EFBIG for a larger one. */
  read(path: string, maxBytes: number): Promise<Content | null>;
  /** Reads the last `maxBytes` of a regular file, or all if it is shorter; null if nothing stands there. */
  readTail(path: string, maxBytes: number): Promise<string | null>;
  /** Makes a file that did not exist, with this content; EEXIST otherwise. Gives its mtime. */
  create(path: string, text: string): Promise<number>;
  /**
   * Writes over the beginning of a regular file by one write, in place; false if nothing stands there. For
   * content that is never shorter than what stands there; an empty one finds out whether it may be written.
   */
  overwrite(path: string, text: string): Promise<boolean>;
  /** Renames a file, replacing a file that stands at `to`. Never used on the lock. */
  rename(from: string, to: string): Promise<void>;
  /** Sets the mtime of a file or folder. */
  setMtime(path: string, mtimeMs: number): Promise<void>;
  /**
   * Appends one whole line (which ends in a newline) by one write to a file opened anew, made if missing,
   * under a file lock of it where one can be had in a moment. ELOOP if a link stands there.
   */
  append(path: string, line: string): Promise<void>;
  /** Makes a file that did not exist and keeps it open, so that it can be file-locked. */
  openNew(path: string, text: string): Promise<OpenFile>;
  /** Opens an existing regular file to ask for its file lock; null if nothing stands there. */
  open(path: string): Promise<OpenFile | null>;
  /**
   * Calls `onChange` after something in this folder (not below it) may have changed. A hint: it may be
   * late, doubled or missing. Fails where the system has no watch to give.
   */
  watch(path: string, onChange: (changedPaths: readonly string[]) => void): Promise<Closable>;
}

/** An open file with its file lock (flock, or what the share makes of it), freed when its process dies. */
export interface OpenFile extends Closable {
  /** Writes from the start of the file by one write, through this very handle: also while it has the file lock. */
  write(text: string): Promise<void>;
  /**
   * Asks for the file lock without waiting. `unknown`: this file system has none, or did not answer.
   */
  tryLock(kind: "shared" | "exclusive"): Promise<"granted" | "held" | "unknown">;
  /**
   * Waits for the file lock. It cannot be cancelled and may never answer, even after the file is closed.
   * Fails where file locks are not supported.
   */
  lock(kind: "shared" | "exclusive"): Promise<void>;
}

export interface Closable {
  /** Lets go, once; a second call does nothing. */
  close(): Promise<void>;
}

export interface Clock {
  /** Milliseconds that only grow, at the same pace for all; their zero means nothing. */
  monotonicMs(): Promise<number>;
  /** Both clocks in one step: for whoever must not act too late, see `core/elapsed.ts`. */
  moment(): Promise<Moment>;
  /** Milliseconds since 1970 by the machine's clock, which people and programs set. For the log only. */
  wallMs(): Promise<number>;
  /** Waits; ends early, without failing, when `wake` is aborted. Any length is allowed. */
  sleep(ms: number, wake?: AbortSignal): Promise<void>;
}

export interface Random {
  /** A name that nobody has used before: 24 characters of a to z and 0 to 9. */
  token(): Promise<string>;
  /** A number from 0 (included) to 1 (not included). */
  fraction(): Promise<number>;
}

/** What tells one machine's processes from another's. Any part that cannot be known is null. */
export interface Machine {
  readonly host: string;
  /** Another one after each start of the machine. */
  readonly bootId: string | null;
  /** Process numbers mean something only within one pid namespace. */
  readonly pidNamespace: string | null;
  /** Start times mean something only within one time namespace; null where the kernel has none. */
  readonly timeNamespace: string | null;
}

export interface Identity {
  readonly pid: number;
  /** When the process started, as the system counts it: tells it from a later one with the same number. */
  readonly processStart: string | null;
  readonly machine: Machine;
}

export type ProcessState =
  | {
    readonly state: "alive";
    readonly start: string | null;
    /** By SIGSTOP or Ctrl-Z: it does nothing until it is let go on. */
    readonly stopped: boolean;
  }
  | { readonly state: "gone" }
  | { readonly state: "unknown" };

export interface Processes {
  /** Random names of the rights to remove that this process has now, on whatever lock. */
  readonly takings: Set<string>;
  self(): Promise<Identity>;
  /**
   * Whether a process of this machine and pid namespace lives. A zombie is gone, but for one whose other threads go
   * on; what may not be asked lives.
   */
  look(pid: number): Promise<ProcessState>;
  /**
   * Whether a pid namespace of this very kernel has no process left: nobody can enter it after that. Only who sees
   * all processes knows.
   * @param since `processStart` of a process that was in it: a later namespace may have its number by now; null where
   *   ours means nothing to it, and then such a later one counts for it
   */
  hasEmptied(pidNamespace: string, since: string | null): Promise<"yes" | "no" | "unknown">;
  /**
   * Whether some process of this machine was started with `text` in its environment.
   * @param since a `processStart`: older processes are passed over; null looks at all
   */
  inEnvironment(text: string, since: string | null): Promise<"yes" | "no" | "unknown">;
  /** What the machine calls a user; null where it does not tell. */
  userName(uid: number): Promise<string | null>;
}

export interface Terminal {
  /** Writes to stdout. A reader who has gone is no failure; what cannot be written is a FileFault. */
  out(text: string): Promise<void>;
  /** Writes to stderr. Never fails: a hung-up terminal must not cost a lock. */
  err(text: string): Promise<void>;
  /** As `err()`, for what another program reads: what cannot be written is a FileFault, as with `out()`. */
  errForPrograms(text: string): Promise<void>;
  /** Width of the terminal behind stderr or stdout in characters; null where that is no terminal. */
  errColumns(): Promise<number | null>;
  outColumns(): Promise<number | null>;
}

/** Files that are the user's own, and no part of a lock. */
export interface Documents {
  /** Reads a whole file of any size, piece by piece. Fails with a FileFault. */
  read(path: string, onPiece: (text: string) => void): Promise<void>;
  /** The same of standard input, to its end. */
  readInput(onPiece: (text: string) => void): Promise<void>;
  /** Whether both paths lead to one file that is there: through links, and under two names. */
  isSame(path: string, other: string): Promise<boolean>;
  /**
   * Copies the bytes of a file from one on to our stdout or stderr. A file that is not there has none.
   * @return where it ended
   */
  copyFrom(path: string, fromByte: number, to: "out" | "err"): Promise<number>;
  /** Writes a whole file, over one that stands there. Fails with a FileFault. */
  write(path: string, text: string): Promise<void>;
}

export interface Mount {
  /** In the system's words (`ext4`, `nfs4`, `fuse.rclone`); null where it cannot be found out. */
  readonly type: string | null;
  /** Served by this machine's own kernel: no call hangs, file locks and watches can be trusted. */
  readonly isLocalDisk: boolean;
  /** As the system lists them: `ro`, `acdirmax=5`. What is as usual may be left out. */
  readonly options: readonly string[];
}

export interface Mounts {
  /** The file system that a folder is on. */
  typeOf(folder: string): Promise<Mount>;
}

export interface Environment {
  get(name: string): string | undefined;
  /** The absolute working folder at start; null if it has been removed. */
  readonly workingFolder: string | null;
  readonly os: "linux" | "darwin" | "windows" | "other";
  /** Of the run-time, for `--version --verbose`. */
  readonly runtimeVersion: string;
}

export type { Child, CommandLine, Commands, Ended, SignalNet } from "./commands.ts";
export type { Copy, Diagnosis } from "./diagnosis.ts";
export type { SignalName } from "./signals.ts";

/** All that the life of a hold needs. */
export interface Sys {
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly processes: Processes;
}

/** All that the command line needs besides. */
export interface Host extends Sys {
  readonly commands: Commands;
  readonly terminal: Terminal;
  readonly documents: Documents;
  readonly mounts: Mounts;
  readonly environment: Environment;
  readonly diagnosis: Diagnosis;
}

/**
 * The run-time's file calls, in two ways of the same shape: off the thread, where a frozen share leaves our
 * timers running; and on the thread, at a tenth of the cost, where no call can hang.
 */

import { faultCode } from "../../faults.ts";
import { faulting } from "../os_faults.ts";

type Soon<T> = T | Promise<T>;

export interface FileCalls {
  lstat(path: string): Soon<Deno.FileInfo>;
  names(path: string): Soon<string[]>;
  mkdir(path: string, mode?: number): Soon<void>;
  remove(path: string): Soon<void>;
  rename(from: string, to: string): Soon<void>;
  utime(path: string, time: Date): Soon<void>;
  open(path: string, options: Deno.OpenOptions): Soon<Deno.FsFile>;
  stat(file: Deno.FsFile): Soon<Deno.FileInfo>;
  read(file: Deno.FsFile, into: Uint8Array): Soon<number | null>;
  write(file: Deno.FsFile, bytes: Uint8Array): Soon<number>;
  seek(file: Deno.FsFile, offset: number, from: Deno.SeekMode): Soon<number>;
  /** Undefined where the run-time has none (before Deno 2.7). */
  tryLock(file: Deno.FsFile, exclusive: boolean): Soon<boolean> | undefined;
}

type MayTryLock = Deno.FsFile & {
  tryLock?(exclusive: boolean): Promise<boolean>;
  tryLockSync?(exclusive: boolean): boolean;
};

/** Any file system may be behind these. */
export const OFF_THREAD: FileCalls = {
  lstat: (path) => Deno.lstat(path),
  async names(path) {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(path)) names.push(name);
    return names;
  },
  mkdir: (path, mode) => Deno.mkdir(path, mode === undefined ? {} : { mode }),
  remove: (path) => Deno.remove(path),
  rename: (from, to) => Deno.rename(from, to),
  utime: (path, time) => Deno.utime(path, time, time),
  open: (path, options) => Deno.open(path, options),
  stat: (file) => file.stat(),
  read: (file, into) => file.read(into),
  write: (file, bytes) => file.write(bytes),
  seek: (file, offset, from) => file.seek(offset, from),
  tryLock: (file: MayTryLock, exclusive) => file.tryLock?.(exclusive),
};

/**
 * As `OFF_THREAD`, for shares that may never grant a file lock that is waited for. Before Deno 2.7 none is asked for
 * there: all later calls to that file would wait with the request.
 */
export const WITHOUT_WAITING: FileCalls = {
  ...OFF_THREAD,
  tryLock(file: MayTryLock, exclusive) {
    if (!file.tryLock) {
      throw new Deno.errors.NotSupported("this run-time cannot ask without waiting");
    }
    return file.tryLock(exclusive);
  },
};

/** For disks of this machine only. */
export const ON_THREAD: FileCalls = {
  lstat: (path) => Deno.lstatSync(path),
  names: (path) => Array.from(Deno.readDirSync(path), ({ name }) => name),
  mkdir: (path, mode) => Deno.mkdirSync(path, mode === undefined ? {} : { mode }),
  remove: (path) => Deno.removeSync(path),
  rename: (from, to) => Deno.renameSync(from, to),
  utime: (path, time) => Deno.utimeSync(path, time, time),
  open: (path, options) => Deno.openSync(path, options),
  stat: (file) => file.statSync(),
  read: (file, into) => file.readSync(into),
  write: (file, bytes) => file.writeSync(bytes),
  seek: (file, offset, from) => file.seekSync(offset, from),
  tryLock: (file: MayTryLock, exclusive) => file.tryLockSync?.(exclusive),
};

/** Reads until the buffer is full or the file is at its end. */
export async function readUpTo(
  calls: FileCalls,
  file: Deno.FsFile,
  maxBytes: number,
): Promise<Uint8Array> {
  const buffer = new Uint8Array(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const count = await calls.read(file, buffer.subarray(length));
    if (count === null) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

export async function writeAll(calls: FileCalls, file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += await calls.write(file, bytes.subarray(written));
  }
}

// Renaming on any file system.
//
// An SMB server answers EACCES for a moment where another has the file open, and so does Wine. The answer is
// believed only once it has stayed the same for longer than anybody of ours has a file open.

/** A reader has a record open for milliseconds; a slow share makes a second of that. */
export const REFUSED_FOR_UP_TO_MS = 1500;

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

const MAY_BE_OPEN: ReadonlySet<string | null> = new Set(["EACCES", "EPERM", "EBUSY"]);

/**
 * @param patienceMs how long a refusal is not believed; 0 where the first answer is the truth
 * @throws FileFault
 */
export async function renameFile(
  calls: Pick<FileCalls, "rename">,
  from: string,
  to: string,
  patienceMs: number,
): Promise<void> {
  let untilMs: number | null = null;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await faulting("rename", from, async () => await calls.rename(from, to));
    } catch (fault) {
      // From the first answer on: a process that was held up before it has waited for nothing yet.
      untilMs ??= performance.now() + patienceMs;
      if (!MAY_BE_OPEN.has(faultCode(fault)) || performance.now() >= untilMs) throw fault;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * Appending one whole line to the log.
 *
 * Guarantee: on a local file system lines of any number of writers stay whole and none is lost; so they do
 * on a network share whose file locks work. Not guaranteed: the latter where the file lock cannot be had in
 * time. The file is opened anew for each line, so that a log that was rotated or deleted is followed.
 */

import { FileFault } from "../../faults.ts";
import { openRegular } from "./open_file.ts";
import { tryLockFile } from "./open_file.ts";
import { type FileCalls, writeAll } from "./file_calls.ts";
import { asFault } from "../os_faults.ts";

const LOG_MODE = 0o666;

/**
 * A writer has the log for well under a millisecond. One that is frozen in that moment must not hold the
 * fleet up: on a local disk an append is whole without the lock.
 */
const LOCK_PATIENCE_MS = 250;
const LOCK_PAUSE_MS = 5;
const LONGEST_LOCK_PAUSE_MS = 100;

/**
 * Where file locks are mandatory (SMB, Windows) nobody else can write meanwhile. A writer that is frozen there
 * must not keep a release from its end.
 */
const MANDATORY_PATIENCE_MS = 5000;

/** A log that is deleted again and again between our two calls. */
const TRIES = 5;

/** @throws FileFault; ELOOP if a link stands there, EBUSY if another keeps its file lock and that is mandatory */
export async function appendLine(calls: FileCalls, path: string, line: string): Promise<void> {
  const file = await openForAppend(calls, path);
  try {
    await staysHeld(calls, file, path, LOCK_PATIENCE_MS);
    if (line === "") return;
    await writeLine(calls, file, line).catch(async (refused) => {
      // A share may leave even the question for the file lock without an answer: so it is asked once more.
      if (!isRefusal(refused, path)) throw refused;
      if (await staysHeld(calls, file, path, MANDATORY_PATIENCE_MS)) throw heldByAnother(path);
      await writeLine(calls, file, line);
    });
  } catch (thrown) {
    throw asFault(thrown, "append", path);
  } finally {
    file.close();
  }
}

async function writeLine(calls: FileCalls, file: Deno.FsFile, line: string): Promise<void> {
  await writeAll(calls, file, await endsInMidLine(calls, file) ? `\n${line}` : line);
}

/** What SMB answers where another has the file lock, and Windows. */
function isRefusal(thrown: unknown, path: string): boolean {
  const { code } = asFault(thrown, "append", path);
  return code === "EACCES" || code === "EPERM" || code === "EBUSY";
}

function heldByAnother(path: string): FileFault {
  const reason = "another process keeps its file lock, and here nobody else can write to it then";
  return new FileFault("EBUSY", "append", path, reason);
}

/**
 * A link is never followed: it is looked at before the file is opened, and a file that does not exist is
 * made exclusively.
 */
async function openForAppend(calls: FileCalls, path: string): Promise<Deno.FsFile> {
  for (let tries = 0; tries < TRIES; tries++) {
    const file = await openRegular(calls, path, { read: true, append: true });
    if (file) return file;
    try {
      const options = { read: true, append: true, createNew: true, mode: LOG_MODE };
      return await calls.open(path, options);
    } catch (thrown) {
      const fault = asFault(thrown, "append", path);
      if (fault.code !== "EEXIST") throw fault;
    }
  }
  throw new FileFault("EEXIST", "append", path, "made and deleted by others again and again");
}

/**
 * Takes the file lock, if that can be had in time.
 * @return true if another kept it. Where there are no file locks, the append alone must do
 */
async function staysHeld(
  calls: FileCalls,
  file: Deno.FsFile,
  path: string,
  patienceMs: number,
): Promise<boolean> {
  const startMs = performance.now();
  while (await tryLockFile(calls, file, path, true) === "held") {
    const heldForMs = performance.now() - startMs;
    if (heldForMs >= patienceMs) return true;
    const pauseMs = Math.min(Math.max(LOCK_PAUSE_MS, heldForMs / 10), LONGEST_LOCK_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return false;
}

/** A disk that filled up, or an editor, left a line without its end: ours must not be glued to it. */
async function endsInMidLine(calls: FileCalls, file: Deno.FsFile): Promise<boolean> {
  const { size } = await calls.stat(file);
  if (size === 0) return false;
  await calls.seek(file, -1, Deno.SeekMode.End);
  const last = new Uint8Array(1);
  return await calls.read(file, last) === 1 && last[0] !== 10;
}

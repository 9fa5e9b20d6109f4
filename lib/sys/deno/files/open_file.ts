/** An open file and its file lock on a real machine. */

import { type FileCalls, writeAll } from "./file_calls.ts";
import { FileFault } from "../../faults.ts";
import { asFault, orNull } from "../os_faults.ts";
import type { OpenFile } from "../../sys.ts";

/**
 * Deno before 2.7 has no `tryLock`. There we ask for the lock and see whether it comes at once: an
 * uncontended file lock takes microseconds, so one that takes this long is held.
 */
const AT_ONCE_MS = 20;

/** A share may leave even an uncontended request without an answer; nothing may hang on it. */
const ANSWER_WITHIN_MS = 2000;

/**
 * Without `tryLock` a request for a held lock cannot be taken back, and blocks a thread until it is granted:
 * one for each file is enough. While it is out, the file is held.
 */
const requestsOut = new Set<string>();

export class DenoOpenFile implements OpenFile {
  readonly #calls: FileCalls;
  readonly #file: Deno.FsFile;
  readonly #path: string;
  #open = true;

  constructor(calls: FileCalls, file: Deno.FsFile, path: string) {
    this.#calls = calls;
    this.#file = file;
    this.#path = path;
  }

  async write(text: string): Promise<void> {
    try {
      await this.#calls.seek(this.#file, 0, Deno.SeekMode.Start);
      await writeAll(this.#calls, this.#file, text);
    } catch (thrown) {
      throw asFault(thrown, "write", this.#path);
    }
  }

  async tryLock(kind: "shared" | "exclusive"): Promise<"granted" | "held" | "unknown"> {
    return await tryLockFile(this.#calls, this.#file, this.#path, kind === "exclusive");
  }

  async lock(kind: "shared" | "exclusive"): Promise<void> {
    try {
      await this.#file.lock(kind === "exclusive");
    } catch (thrown) {
      throw asFault(thrown, "lock", this.#path);
    }
  }

  close(): Promise<void> {
    if (this.#open) this.#file.close();
    this.#open = false;
    return Promise.resolve();
  }
}

/**
 * Asks for a file lock, and takes no longer than a moment about it.
 * @return `unknown` if no answer came at all, or there are no file locks
 */
export async function tryLockFile(
  calls: FileCalls,
  file: Deno.FsFile,
  path: string,
  exclusive: boolean,
): Promise<"granted" | "held" | "unknown"> {
  try {
    return await askForLock(calls, file, path, exclusive);
  } catch (thrown) {
    // SMB answers 'permission denied' where it means 'held'.
    return asFault(thrown, "lock", path).code === "EACCES" ? "held" : "unknown";
  }
}

async function askForLock(
  calls: FileCalls,
  file: Deno.FsFile,
  path: string,
  exclusive: boolean,
): Promise<"granted" | "held" | "unknown"> {
  const answer = calls.tryLock(file, exclusive);
  if (typeof answer === "boolean") return answer ? "granted" : "held";
  if (answer) {
    const told = answer.then((granted) => granted ? "granted" as const : "held" as const);
    return await within<"granted" | "held" | "unknown">(told, ANSWER_WITHIN_MS, "unknown");
  }
  const { dev, ino } = await calls.stat(file);
  const name = `${path} ${dev} ${ino}`;
  if (requestsOut.has(name)) return "held";
  requestsOut.add(name);
  const asked = file.lock(exclusive).finally(() => requestsOut.delete(name));
  return await within<"granted" | "held">(asked.then(() => "granted"), AT_ONCE_MS, "held");
}

/** The answer, or `late` if it does not come in time. A failure that comes too late is nobody's. */
async function within<T>(answer: Promise<T>, ms: number, late: T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  answer.catch(() => {});
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens what is a regular file, and no link to one: links in a folder that others write are traps. */
export async function openRegular(
  calls: FileCalls,
  path: string,
  options: Deno.OpenOptions,
): Promise<Deno.FsFile | null> {
  return await orNull("open", path, async () => {
    for (;;) {
      const named = await calls.lstat(path);
      if (named.isSymlink) throw new FileFault("ELOOP", "open", path, "is a symbolic link");
      if (!named.isFile) throw new FileFault("EISDIR", "open", path, "is not a regular file");
      const file = await calls.open(path, options);
      const opened = await calls.stat(file);
      if (named.ino === opened.ino || named.ino === null) return file;
      // Replaced between the two calls, perhaps by a rename of ours: take the new one on its own merits.
      file.close();
    }
  });
}

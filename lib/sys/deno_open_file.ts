/** An open file and its file lock on a real machine. */

import { asFault } from "./os_faults.ts";
import type { OpenFile } from "./sys.ts";

/**
 * Deno before 2.7 has no `tryLock`. There we ask for the lock and see whether it comes at once: an
 * uncontended file lock takes microseconds, so one that takes this long is held.
 */
const AT_ONCE_MS = 20;

/** A share may leave even an uncontended request without an answer; nothing may hang on it. */
const ANSWER_WITHIN_MS = 2000;

type MaybeTryLock = { tryLock?: (exclusive?: boolean) => Promise<boolean> };

export class DenoOpenFile implements OpenFile {
  readonly #file: Deno.FsFile;
  readonly #path: string;
  #open = true;

  constructor(file: Deno.FsFile, path: string) {
    this.#file = file;
    this.#path = path;
  }

  async tryLock(kind: "shared" | "exclusive"): Promise<"granted" | "held" | "unknown"> {
    try {
      return await tryLockFile(this.#file, kind === "exclusive");
    } catch (thrown) {
      const { code } = asFault(thrown, "lock", this.#path);
      // SMB answers 'permission denied' where it means 'held'.
      return code === "EACCES" ? "held" : "unknown";
    }
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
 * @return `unknown` if no answer came at all
 */
export async function tryLockFile(
  file: Deno.FsFile,
  exclusive: boolean,
): Promise<"granted" | "held" | "unknown"> {
  const tryLock = (file as MaybeTryLock).tryLock?.bind(file);
  const asked: Promise<"granted" | "held"> = tryLock
    ? tryLock(exclusive).then((granted) => granted ? "granted" : "held")
    : file.lock(exclusive).then(() => "granted");
  const late = tryLock ? "unknown" : "held";
  return await within(asked, tryLock ? ANSWER_WITHIN_MS : AT_ONCE_MS, late);
}

/** The answer, or `late` if it does not come in time. A failure that comes too late is nobody's. */
async function within<T>(
  answer: Promise<T>,
  ms: number,
  late: T | "unknown",
): Promise<T | "unknown"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<T | "unknown">((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  answer.catch(() => {});
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The clock of the file system: the mtime of a file just written there, carried on by our monotonic clock.
 * Ages are taken by it alone, since the clock of a server, of this machine and of another one may differ by
 * hours.
 */

import { FileFault } from "../core/faults.ts";
import type { LockPaths } from "../core/paths.ts";
import { scratchPath } from "../core/paths.ts";
import type { Sys } from "../sys/sys.ts";
import { inState } from "./state_files.ts";

/**
 * The monotonic clock stands still while a machine sleeps, and servers correct theirs: what was read longer
 * ago than this is read anew.
 */
const READING_HOLDS_MS = 10_000;

export class FolderClock {
  readonly #sys: Sys;
  readonly #paths: LockPaths;
  #reading: { folderMs: number; atMs: number } | null = null;

  constructor(sys: Sys, paths: LockPaths) {
    this.#sys = sys;
    this.#paths = paths;
  }

  /**
   * Takes the mtime of a file written just now as a reading.
   * @param folderMs that mtime
   * @param atMs the monotonic clock before the file was written, so that no age comes out too high
   */
  learn(folderMs: number, atMs: number): void {
    this.#reading = { folderMs, atMs };
  }

  /** Milliseconds since 1970 by the file system's clock. */
  async nowMs(): Promise<number> {
    const nowMs = await this.#sys.clock.monotonicMs();
    if (!this.#reading || nowMs - this.#reading.atMs > READING_HOLDS_MS) {
      try {
        this.learn(await this.#read(), nowMs);
      } catch (fault) {
        if (!(fault instanceof FileFault)) throw fault;
        // Who cannot write there can only look, and breaks nothing by what it sees.
        return await this.#sys.clock.wallMs();
      }
      return this.#reading!.folderMs;
    }
    return this.carriedMs(nowMs)!;
  }

  /**
   * The last reading carried on, however old; null if there is none. For when nothing can be written.
   * @param nowMs the monotonic clock now
   */
  carriedMs(nowMs: number): number | null {
    return this.#reading && Math.floor(this.#reading.folderMs + nowMs - this.#reading.atMs);
  }

  async #read(): Promise<number> {
    const path = scratchPath(this.#paths, "now", await this.#sys.random.token());
    const mtimeMs = await inState(
      this.#sys.files,
      this.#paths.state,
      null,
      () => this.#sys.files.create(path, ""),
    );
    await this.#sys.files.removeFile(path);
    return mtimeMs;
  }
}

/**
 * The clock of the file system: the mtime of a file just written there, carried on by our monotonic clock.
 * Ages are taken by it alone, since the clock of a server, of this machine and of another one may differ by
 * hours.
 */

import { elapsedMs, type Moment } from "../../sys/elapsed.ts";
import { FileFault } from "../../sys/faults.ts";
import type { LockPaths } from "../state/layout.ts";
import { scratchPath } from "../state/layout.ts";
import type { Sys } from "../../sys/sys.ts";
import { inState } from "../state/state_files.ts";

/** Servers correct their clocks: what was read longer ago than this is read anew. */
const READING_HOLDS_MS = 10_000;

/** Between two looks at our own clocks; far more than a clock that is kept in step is moved by. */
const JUMP_MS = 1000;

export class FolderClock {
  readonly #sys: Sys;
  readonly #paths: LockPaths;
  #reading: { folderMs: number; at: Moment } | null = null;
  /** Both our clocks as we last saw them. */
  #latest: Moment | null = null;
  /** Monotonic; when we last saw that the wall clock was set. */
  #jumpedAtMs: number | null = null;
  /** The clock of a local disk is the wall clock: a reading from before a jump says nothing. */
  #isFromBeforeJump = false;

  constructor(sys: Sys, paths: LockPaths) {
    this.#sys = sys;
    this.#paths = paths;
  }

  /**
   * Takes the mtime of a file written just now as a reading.
   * @param folderMs that mtime
   * @param after a moment after the file was written, so that no age comes out too high
   */
  learn(folderMs: number, after: Moment): void {
    this.sees(after);
    this.#reading = { folderMs, at: after };
    this.#isFromBeforeJump = false;
  }

  /** Milliseconds since 1970 by the file system's clock. */
  async nowMs(): Promise<number> {
    const now = await this.#sys.clock.moment();
    this.sees(now);
    const reading = this.#isFromBeforeJump ? null : this.#reading;
    if (reading && now.monotonicMs - reading.at.monotonicMs <= READING_HOLDS_MS) {
      return Math.floor(reading.folderMs + now.monotonicMs - reading.at.monotonicMs);
    }
    // One that cannot write there can only look, and breaks nothing by what it sees.
    return await this.readMs() ?? await this.#sys.clock.wallMs();
  }

  /** As `nowMs()`, read just now, whatever was read before; null if nothing can be written there. */
  async readMs(): Promise<number | null> {
    try {
      return await this.#read();
    } catch (fault) {
      if (!(fault instanceof FileFault)) throw fault;
      return null;
    }
  }

  /**
   * The last reading carried on, however old, and not too low; null if there is none. For when nothing can be
   * written.
   */
  carriedMs(now: Moment): number | null {
    return this.#reading && Math.floor(this.#reading.folderMs + elapsedMs(this.#reading.at, now));
  }

  /**
   * How long before our latest look at it the wall clock was seen to have been set, on the monotonic one; null if it
   * never was. That our machine slept looks the same.
   */
  get jumpedAgoMs(): number | null {
    if (this.#jumpedAtMs === null || this.#latest === null) return null;
    return this.#latest.monotonicMs - this.#jumpedAtMs;
  }

  /**
   * Takes up what our clocks show: that the wall clock was set is told from two looks at them. One who waits calls
   * this when the wait begins, so that it sees all that happens to the clock from then on.
   */
  sees(now: Moment): void {
    const latest = this.#latest ?? now;
    const aheadMs = (now.wallMs - latest.wallMs) - (now.monotonicMs - latest.monotonicMs);
    if (Math.abs(aheadMs) > JUMP_MS) {
      this.#jumpedAtMs = now.monotonicMs;
      this.#isFromBeforeJump = true;
    }
    this.#latest = now;
  }

  async #read(): Promise<number> {
    const path = scratchPath(this.#paths, "now", await this.#sys.random.token());
    const mtimeMs = await inState(
      this.#sys.files,
      this.#paths.state,
      null,
      () => this.#sys.files.create(path, ""),
    );
    this.learn(mtimeMs, await this.#sys.clock.moment());
    await this.#sys.files.removeFile(path);
    return mtimeMs;
  }
}

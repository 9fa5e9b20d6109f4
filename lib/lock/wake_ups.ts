/**
 * What wakes a waiter early: the file lock of the ticket (or lifeline) ahead is let go, or the lock vanishes.
 *
 * Hints only. Where they fail (no inotify instance left, a network share, FUSE, a `lock()` that never
 * answers) the timer alone must do, and everything still works.
 */

import type { Closable, OpenFile } from "../sys/sys.ts";
import type { Site } from "./site.ts";

/** It is over at once; should the ring be missed, the wait has lost no more than this. */
const REHEARSED_SLEEP_MS = 10;

export class WakeUps {
  readonly #site: Site;
  readonly #enabled: boolean;
  #ring = new AbortController();
  #chain: { path: string; state: "waiting" | "let go" } | null = null;
  /** Files whose lock was granted though nobody had died: they are of another mount, or locks mean nothing here. */
  readonly #unreliable = new Set<string>();
  #watch: Closable | "none" | null = null;
  #closed = false;

  /** @param enabled false never wakes early */
  constructor(site: Site, enabled: boolean) {
    this.#site = site;
    this.#enabled = enabled;
  }

  /** Ends the sleep, the present one or the next. */
  ring(): void {
    if (!this.#closed) this.#ring.abort();
  }

  /** Waits, until rung or for `ms` milliseconds. */
  async sleep(ms: number): Promise<void> {
    if (!this.#ring.signal.aborted) await this.#site.sys.clock.sleep(ms, this.#ring.signal);
    if (this.#ring.signal.aborted) this.#ring = new AbortController();
  }

  /** Is rung out of a sleep once: what happens then has run when it counts. See `rehearsal.ts`. */
  async rehearse(): Promise<void> {
    const asleep = this.sleep(REHEARSED_SLEEP_MS);
    this.ring();
    await asleep;
  }

  /** Whether what is ahead will wake us by letting its file lock go. */
  isChained(): boolean {
    return this.#chain?.state === "waiting";
  }

  /** Whether the file lock of this file is being waited for, so that its process is known to live. */
  waitsOn(path: string): boolean {
    return this.#chain?.path === path && this.#chain.state === "waiting";
  }

  /**
   * Waits on the file lock of what is ahead, from now on.
   * @return true if it was not waited on before: what it guards may have changed meanwhile, look again
   */
  async waitOn(path: string | null): Promise<boolean> {
    if (!this.#enabled || path === null || this.#unreliable.has(path)) return false;
    if (this.#chain?.path === path) {
      // Let go, yet still there, and nobody found it dead: this file's lock tells nothing.
      if (this.#chain.state === "let go") this.#unreliable.add(path);
      return false;
    }
    const file = await this.#site.sys.files.open(path).catch(() => null);
    if (!file) return false;
    const chain = { path, state: "waiting" as "waiting" | "let go" };
    this.#chain = chain;
    void this.#follow(file, chain);
    return true;
  }

  async #follow(file: OpenFile, chain: { state: "waiting" | "let go" }): Promise<void> {
    try {
      await file.lock("shared");
      chain.state = "let go";
      if (this.#chain === chain) this.ring();
    } catch {
      // No file locks here: the timer does.
    } finally {
      await file.close().catch(() => {});
    }
  }

  /**
   * Watches for the lock to vanish, from now on.
   * @return true if it was not watched before: look again
   */
  async watchLock(): Promise<boolean> {
    if (!this.#enabled || this.#watch) return false;
    try {
      this.#watch = await this.#site.sys.files.watch(this.#site.paths.dir, (changed) => {
        if (changed.some((path) => path.endsWith(this.#lockName))) this.ring();
      });
      return true;
    } catch {
      this.#watch = "none";
      return false;
    }
  }

  /** The watch may name the folder by another spelling of its path. */
  get #lockName(): string {
    return this.#site.paths.lock.slice(this.#site.paths.dir.replace(/\/$/, "").length);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#watch && this.#watch !== "none") await this.#watch.close();
  }
}

/**
 * What wakes a waiter early: the file lock of the ticket (or lifeline) ahead is let go, or the lock vanishes.
 * A program that goes on after the wait has no use for the former, for a request for a file lock cannot be taken
 * back: it would keep a thread, an open file and the program itself until the holder lets go. It watches the line
 * instead.
 *
 * Hints only. Where they fail (no inotify instance left, a network share, FUSE, a `lock()` that never
 * answers) the timer alone must do, and everything still works.
 */

import { lastName } from "../core/paths.ts";
import type { Closable, OpenFile } from "../sys/sys.ts";
import type { Site } from "./site.ts";

/** It is over at once; should the ring be missed, the wait has lost no more than this. */
const REHEARSED_SLEEP_MS = 10;

/** `file locks`: the kernel wakes us, also when a process dies. `watch`: only changes in folders do. */
export type WakeUpKind = "file locks" | "watch" | "none";

export class WakeUps {
  readonly #site: Site;
  readonly #kind: WakeUpKind;
  #ring = new AbortController();
  #chain: { path: string; state: "waiting" | "let go" } | null = null;
  /** Files whose lock was granted though nobody had died: they are of another mount, or locks mean nothing here. */
  readonly #unreliable = new Set<string>();
  #watch: Closable | "none" | null = null;
  #queueWatch: Closable | "none" | null = null;
  /** The ticket or lifeline ahead, where the line is watched. */
  #ahead: string | null = null;
  #closed = false;

  constructor(site: Site, kind: WakeUpKind) {
    this.#site = site;
    this.#kind = kind;
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
   * Waits on what is ahead, from now on.
   * @return true if it was not waited on before: what it guards may have changed meanwhile, look again
   */
  async waitOn(path: string | null): Promise<boolean> {
    if (this.#kind === "none" || path === null || this.#unreliable.has(path)) return false;
    if (this.#kind === "watch") return await this.#watchLineFor(path);
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

  /** A line that was deleted and made anew is not watched: then the timer alone must do. */
  async #watchLineFor(path: string): Promise<boolean> {
    if (this.#ahead === path) return false;
    this.#ahead = path;
    const isTicket = path.startsWith(`${this.#site.paths.queue}/`);
    if (isTicket) {
      this.#queueWatch ??= await this.#watchFolder(this.#site.paths.queue, () => this.#ahead);
    }
    return true;
  }

  /**
   * Watches for the lock to vanish, from now on.
   * @return true if it was not watched before: look again
   */
  async watchLock(): Promise<boolean> {
    if (this.#kind === "none" || this.#watch) return false;
    this.#watch = await this.#watchFolder(this.#site.paths.dir, () => this.#site.paths.lock);
    return this.#watch !== "none";
  }

  /**
   * Rings when that changes in the folder, or the folder goes. The watch may name it by another spelling of its
   * path.
   */
  async #watchFolder(folder: string, what: () => string | null): Promise<Closable | "none"> {
    try {
      return await this.#site.sys.files.watch(folder, (changed) => {
        const sought = what();
        const names = [lastName(folder), ...sought === null ? [] : [lastName(sought)]];
        if (changed.some((path) => names.includes(lastName(path)))) this.ring();
      });
    } catch {
      return "none";
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const watch of [this.#watch, this.#queueWatch]) {
      if (watch && watch !== "none") await watch.close();
    }
  }
}

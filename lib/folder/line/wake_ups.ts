/**
 * What wakes a waiter early: the file lock of the lifeline ahead is let go, or the lock vanishes.
 * A program that goes on after the wait has no use for the former, for a request for a file lock cannot be taken
 * back: it would keep a thread, an open file and the program itself until the holder lets go. It watches the line
 * instead. So does everybody on CIFS, where a request may stay without an answer after the lock was let go: its thread
 * cannot be ended, and its open file keeps the name of the removed lifeline.
 *
 * Hints only. Where they fail (no inotify instance left, a network share, FUSE, a `lock()` that never
 * answers) the timer alone must do, and everything still works.
 */

import { lastName } from "../state/layout.ts";
import type { Closable, OpenFile } from "../../sys/sys.ts";
import type { Site } from "../site.ts";

/** It is over at once; should the ring be missed, the wait has lost no more than this. */
const REHEARSED_SLEEP_MS = 10;

/** `file locks`: the kernel wakes us, also when a process dies. `watch`: only changes in folders do. */
export type WakeUpKind = "file locks" | "watch" | "none";

/** A file lock that nobody holds is granted in microseconds. */
const HELD_FOR_MS = 1000;

interface Chain {
  readonly path: string;
  state: "waiting" | "let go";
  readonly sinceMs: number;
  /** Whether it was waited for, so that file locks mean something there. */
  wasHeld: boolean;
}

/** The run-time forgets a folder that went a moment after it has told of that, by its path. */
const FORGOTTEN_AFTER_MS = 200;

export class WakeUps {
  readonly #site: Site;
  readonly #kind: WakeUpKind;
  #ring = new AbortController();
  /** What is ahead, by its path: one file, or those of all slots for the first in line. */
  #chains: ReadonlyMap<string, Chain> = new Map();
  /** Files whose lock was granted though nobody had died: they are of another mount, or locks mean nothing here. */
  readonly #unreliable = new Set<string>();
  #watch: Closable | "none" | null = null;
  #queueWatch: Closable | "none" | null = null;
  /** When the line may be watched again, after it was deleted. */
  #watchableAtMs = 0;
  /** The ticket ahead, where the line is watched; null for the first in line. */
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
    return [...this.#chains.values()].some(({ state }) => state === "waiting");
  }

  /** Whether the file lock of this file is being waited for, so that its process is known to live. */
  waitsOn(path: string): boolean {
    return this.#chains.get(path)?.state === "waiting";
  }

  /**
   * Waits on what is ahead, from now on.
   * @param paths lifeline of the waiter ahead, or those of the holders
   * @param ticket the ticket ahead; null for the first in line
   * @return true if it was not waited on before: what it guards may have changed meanwhile, look again
   */
  async waitOn(paths: readonly string[], ticket: string | null): Promise<boolean> {
    if (this.#kind === "watch") return await this.#watchLineFor(ticket);
    if (this.#kind === "none" || paths.length === 0) return false;
    const before = this.#chains;
    this.#chains = new Map(paths.flatMap((path) => {
      const chain = before.get(path);
      return chain ? [[path, chain] as const] : [];
    }));
    let isNew = false;
    for (const path of paths) isNew = await this.#chainTo(path) || isNew;
    return isNew;
  }

  /** @return true if it was not waited on before */
  async #chainTo(path: string): Promise<boolean> {
    if (this.#unreliable.has(path)) return false;
    const before = this.#chains.get(path);
    if (before) {
      if (before.state === "waiting") return false;
      // Let go at once, yet still there, and nobody found it dead: this file's lock tells nothing. After a while:
      // the line was deleted, and this is a new file of the same name.
      if (!before.wasHeld) {
        this.#unreliable.add(path);
        return false;
      }
    }
    const file = await this.#site.sys.files.open(path).catch(() => null);
    if (!file) return false;
    const sinceMs = await this.#site.sys.clock.monotonicMs();
    const chain: Chain = { path, state: "waiting", sinceMs, wasHeld: false };
    this.#chains = new Map([...this.#chains, [path, chain]]);
    void this.#follow(file, chain);
    return true;
  }

  async #follow(file: OpenFile, chain: Chain): Promise<void> {
    try {
      await file.lock("shared");
      chain.wasHeld = await this.#site.sys.clock.monotonicMs() - chain.sinceMs >= HELD_FOR_MS;
      chain.state = "let go";
      if (this.#chains.get(chain.path) === chain) this.ring();
    } catch {
      // No file locks here: the timer does.
    } finally {
      await file.close().catch(() => {});
    }
  }

  async #watchLineFor(ticket: string | null): Promise<boolean> {
    const { queue } = this.#site.paths;
    const nowMs = await this.#site.sys.clock.monotonicMs();
    const arms = ticket !== null && this.#queueWatch === null && nowMs >= this.#watchableAtMs;
    const isNew = this.#ahead !== ticket;
    this.#ahead = ticket;
    if (arms) {
      this.#queueWatch = await this.#watchFolder(
        queue,
        () => this.#ahead === null ? [] : [this.#ahead],
        () => this.#lineWent(),
      );
    }
    return isNew || arms;
  }

  /** It is made anew by who waits, and watched again. */
  async #lineWent(): Promise<void> {
    const gone = this.#queueWatch;
    this.#queueWatch = null;
    this.#watchableAtMs = await this.#site.sys.clock.monotonicMs() + FORGOTTEN_AFTER_MS;
    if (gone && gone !== "none") await gone.close();
  }

  /**
   * Watches for the lock to vanish, from now on.
   * @return true if it was not watched before: look again
   */
  async watchLock(): Promise<boolean> {
    if (this.#kind === "none" || this.#watch) return false;
    const { paths, slots } = this.#site;
    const locks = slots ? slots.map((slot) => slot.paths.lock) : [paths.lock];
    this.#watch = await this.#watchFolder(paths.dir, () => locks);
    return this.#watch !== "none";
  }

  /**
   * Rings when that changes in the folder, or the folder goes. The watch may name it by another spelling of its
   * path.
   */
  async #watchFolder(
    folder: string,
    what: () => readonly string[],
    onGone: () => Promise<void> = async () => {},
  ): Promise<Closable | "none"> {
    try {
      return await this.#site.sys.files.watch(folder, (changed) => {
        const isAbout = (path: string) => changed.some((one) => lastName(one) === lastName(path));
        if (isAbout(folder)) void onGone();
        if (isAbout(folder) || what().some(isAbout)) this.ring();
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

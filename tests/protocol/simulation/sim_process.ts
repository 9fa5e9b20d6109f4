/**
 * One simulated process: the calls it waits for, what it holds open, and what a script may say to the
 * world beside the system seam.
 *
 * Guarantee: once killed, none of its calls ever continues, and all that the kernel would take from it is
 * taken at that moment. A script that has ended exits in a step of its own.
 * Non-guarantee: its JavaScript objects are not isolated from those of other scripts.
 * Assumption: a script depends on nothing but its arguments and the answers of the seam.
 */

import type { Sys } from "../../../lib/sys/sys.ts";
import type { Inode } from "./inode.ts";
import { letGo } from "./file_locks.ts";
import type { Machine } from "./machine.ts";
import { hash } from "./numbers.ts";
import type { World } from "./world.ts";

/** What a process does: it ends by returning; the text it returns is its outcome. */
export type Script = (sys: Sys, me: SimProcess) => Promise<string | void>;

/** Gives an answer or throws a fault. */
export type Effect = () => unknown;

/** A call of the seam that has not taken effect yet. */
export interface Call {
  readonly number: number;
  readonly operation: string;
  /** What it is about: paths, or the names of other things that processes share. */
  readonly paths: readonly string[];
  /** For a person only. */
  readonly detail: string;
  /** The effect; gives the answer or throws a fault. */
  readonly run: () => unknown;
  /** Whether it could take effect now; null if always. */
  readonly ready: (() => boolean) | null;
  /** Of a sleep: when it is over. Timers stand still with their machine. */
  dueMs: number | null;
  /** When its process asked for it. */
  readonly madeAtMs: number;
  /** What the clocks told its process last, before it made this call. */
  readonly asked: Asked | null;
  /**
   * Finds another effect that would be allowed just now, as the answer that a mount remembers; undefined if
   * there is none. Finding it changes nothing.
   */
  readonly otherwise: (() => Effect | undefined) | null;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** What the clocks of a machine told a process, and when. */
export interface Asked {
  readonly trueMs: number;
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export interface Handle {
  readonly number: number;
  readonly inode: Inode;
  open: boolean;
  /** Requests that wait for the file lock: they keep the file open in the kernel. */
  waiting: number;
}

export class SimProcess {
  state: "running" | "finished" | "failed" | "killed" = "running";
  /** What the script returned. */
  outcome = "";
  readonly pending: Call[] = [];
  readonly handles: Handle[] = [];
  /** See `Processes.takings`. */
  readonly takings = new Set<string>();
  /** It makes no step before this moment. */
  frozenUntilMs = 0;
  /** The last answer of its clocks. */
  asked: Asked | null = null;
  /** When it last made a step; its silence is counted from here. */
  lastStepMs = 0;
  /** Since when a call of its has been without an answer that will never come; null: none is. */
  unansweredSinceMs: number | null = null;
  /** It has done all that it does, and lives on for as long as others do. */
  isIdle = false;
  /** A hash of all calls and answers so far: stands for all that its code can know. */
  history = 0;
  #calls = 0;
  #handles = 0;
  /** Process numbers come again on each machine: these do not. */
  readonly #ordinal: number;

  constructor(
    readonly world: World,
    readonly name: string,
    readonly machine: Machine,
    readonly pid: number,
    readonly start: string,
  ) {
    this.#ordinal = 101 + world.processes.length;
  }

  get alive(): boolean {
    return this.state === "running";
  }

  /** It makes no step before this moment, by itself or with its machine. */
  get standsUntilMs(): number {
    return Math.max(this.frozenUntilMs, this.machine.clocks.standsUntilMs);
  }

  get frozen(): boolean {
    return this.standsUntilMs > this.world.nowMs;
  }

  /** Takes down that the clocks are asked just now. */
  asks(): void {
    const { clocks } = this.machine;
    const { nowMs: trueMs } = this.world;
    this.asked = {
      trueMs,
      monotonicMs: clocks.monotonicMs(trueMs),
      wallMs: clocks.wall.nowMs(trueMs),
    };
  }

  /** Parks a call until the scheduler picks it. */
  call<T>(
    operation: string,
    paths: readonly string[],
    run: () => T,
    more: {
      readonly detail?: string;
      readonly ready?: () => boolean;
      readonly dueMs?: number;
      readonly otherwise?: () => Effect | undefined;
    } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.alive) return;
      this.pending.push({
        number: ++this.#calls,
        operation,
        paths,
        detail: more.detail ?? "",
        run,
        ready: more.ready ?? null,
        dueMs: more.dueMs ?? null,
        madeAtMs: this.world.nowMs,
        asked: this.asked,
        otherwise: more.otherwise ?? null,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
    });
  }

  /** Takes up into its history what its code has learned. */
  remember(text: string): void {
    this.history = hash(`${this.history} ${text}`);
  }

  /** A number that no other open file has, the same whatever other processes do meanwhile. */
  nextHandle(): number {
    return 1000 * this.#ordinal + ++this.#handles;
  }

  /** One step without effect: a moment of work, so that others may come in between. */
  pause(label: string): Promise<void> {
    return this.call("pause", [], () => {}, { detail: label });
  }

  /** From now on this process (or the command of that number) believes that it has the lock to itself. */
  enter(kind = "hold", commandPid: number | null = null, slot?: string): void {
    this.world.enter(this, kind, commandPid, slot);
  }

  /** No longer. As its code may be held up before this, it counts as inside until its next step. */
  leave(): void {
    this.world.leave(this);
  }

  /** Starts a command that lives on its own. See `World.startCommand`. */
  startCommand(environment: string, runsMs: number | null = null): Promise<number> {
    const start = () => this.world.startCommand(this, environment, runsMs);
    return this.call("startCommand", [], start, { detail: environment });
  }

  /** Does nothing more, but lives until all have ended that still do something: as a server does. */
  livesOn(): Promise<void> {
    const { processes } = this.world;
    const ready = () => processes.every((one) => one.isIdle || !one.alive);
    this.isIdle = true;
    return this.call("live on", [], () => {}, { ready });
  }

  /** Waits until a command has ended. */
  commandEnded(pid: number): Promise<void> {
    const ready = () => !this.world.commandRuns(this, pid);
    return this.call("commandEnded", [], () => {}, { ready, detail: `${pid}` });
  }

  /**
   * All that the kernel takes from a process that is no more.
   * @param keepsLocks the server was not told, and keeps its file locks
   */
  release(keepsLocks = false): void {
    this.pending.length = 0;
    for (const handle of this.handles) {
      if (!keepsLocks) letGo(handle.inode, handle.number);
      this.world.dropHandle(handle);
    }
    this.handles.length = 0;
    this.machine.processes.end(this.pid);
  }

  describe(): string {
    let text = `${this.name}:${this.state}:`;
    if (!this.alive) return text + this.outcome;
    if (this.isIdle) text += "idle:";
    text += `${this.history}:${this.frozen ? this.standsUntilMs : ""}:`;
    if (this.unansweredSinceMs !== null) text += `unanswered ${this.unansweredSinceMs}:`;
    for (const call of this.pending) {
      if (call.dueMs !== null) text += `${call.number}@${call.dueMs},`;
    }
    for (const handle of this.handles) {
      const lock = handle.inode.locks.find((one) => one.handle === handle.number);
      text += `h${handle.number}=${handle.inode.label}${handle.open ? "o" : "c"}${
        lock?.kind ?? ""
      },`;
    }
    return text;
  }
}

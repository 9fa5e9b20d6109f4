/**
 * Machines of the simulated world: what a process there can see of others, and which faults of its
 * mount it lives with.
 *
 * Guarantee: a process looked for by number is looked for among its own machine's and pid namespace's
 * only; there, another machine's number means nobody or a stranger.
 * Non-guarantee: process numbers are not used again unless a scenario asks for it by `pid`.
 * Assumption: two mounts of one machine are two machines with equal bootId and pidNamespace.
 */

import { LOCAL_DISK, type MountTrust } from "../../../lib/folder/place/mount_trust.ts";
import type { SiteMount } from "../../../lib/folder/site.ts";
import type { Machine as MachineName, ProcessState } from "../../../lib/sys/sys.ts";
import { AttributeCache, type Lags } from "./attribute_cache.ts";
import type { HostClocks } from "./clocks.ts";

export interface MachineSetup {
  readonly host: string;
  /** Default: one of its own for each host. */
  readonly bootId?: string | null;
  readonly pidNamespace?: string | null;
  readonly timeNamespace?: string | null;
  /** File locks exclude only between machines with the same word here. Default: the host. */
  readonly lockDomain?: string;
  /**
   * `none`: tryLock answers `unknown`, lock fails. `silent`: lock never answers either. `mandatory`: they work, and
   * what is locked is out of reach by path and for every other open file. Default: work.
   */
  readonly fileLocks?: "work" | "none" | "silent" | "mandatory";
  /** How a mandatory file lock shows. Default: EACCES. */
  readonly lockedFault?: "EACCES" | "EBUSY";
  /** The server keeps the file locks of this machine for ever if it dies as a whole. Default: false. */
  readonly deadLocksStay?: boolean;
  /** For so long a rename of an open file, or over a file that stands, may be refused (EACCES). Default: 0. */
  readonly renamesRefusedMs?: number;
  /**
   * `all`: every change is told in time. `own`: only changes made on this machine. `lossy`: any hint may be
   * missing. `silent`: none comes. `fails`: there is no watch to be had. Default: all.
   */
  readonly watch?: "all" | "own" | "lossy" | "silent" | "fails";
  /** How old the attributes may be that `entry` gives, as on NFS. Default: 0. */
  readonly attributesMayLagMs?: number;
  /** Whether listing a folder corrects its own attributes, as on NFS; sshfs goes on showing the old ones. Default: true. */
  readonly listingRefreshes?: boolean;
  /** What this machine knows of the mount. Default: a disk of its own, unless attributes may lag. */
  readonly mount?: MountTrust;
  /** How long a file or folder may be said not to be there, after it was not. Default: 0. */
  readonly absenceMayLagMs?: number;
  /** How old the content may be that `read` gives. Default: 0. */
  readonly contentsMayLagMs?: number;
  /** How old a listing may be. With such a mount, listing a folder makes nothing true. Default: 0. */
  readonly listingsMayLagMs?: number;
  /** Whatever this mount may remember, it tells; whatever it may refuse, it does. Default: false, either may be. */
  readonly isAtItsWorst?: boolean;
  /** What its wall clock is ahead of true time at the start; one for all mounts of a host. Default: 0. */
  readonly wallOffsetMs?: number;
  /**
   * `unknown`: this machine cannot tell whether a process lives. `main threads`: it takes a process for gone whose
   * main thread has ended, though others work on. Default: sees.
   */
  readonly looks?: "sees" | "main threads" | "unknown";
  /** `some`: there is always a process whose environment may not be read. Default: all. */
  readonly environments?: "all" | "some";
  /** Whether it can tell that another pid namespace has no process left. Default: false. */
  readonly seesNamespaces?: boolean;
  /** Process numbers taken by programs that have nothing to do with the lock. */
  readonly strangers?: readonly number[];
}

interface Listed {
  readonly start: string;
  readonly environment: string;
  alive: boolean;
  /** Its main thread works; other threads may work on without it. */
  hasMainThread: boolean;
}

/** The processes of one machine and pid namespace. */
export class ProcessTable {
  readonly #listed = new Map<number, Listed>();
  #next = 101;
  #starts = 0;

  add(environment: string, pid?: number): { pid: number; start: string } {
    while (this.#listed.get(this.#next)?.alive) this.#next++;
    const number = pid ?? this.#next++;
    if (this.#listed.get(number)?.alive) throw new Error(`process ${number} lives already`);
    const start = `${1000 + ++this.#starts}`;
    this.#listed.set(number, { start, environment, alive: true, hasMainThread: true });
    return { pid: number, start };
  }

  /** The main thread ends, the others work on: a zombie that lives. */
  endMainThread(pid: number): void {
    const listed = this.#listed.get(pid);
    if (listed) listed.hasMainThread = false;
  }

  end(pid: number): void {
    const listed = this.#listed.get(pid);
    if (listed) listed.alive = false;
  }

  get isEmpty(): boolean {
    return [...this.#listed.values()].every(({ alive }) => !alive);
  }

  /**
   * Nobody is ever called stopped, not even who is frozen: no rule may go by it, and it is words alone.
   * @param needsMainThread takes a process for gone that works on without its main thread
   */
  look(pid: number, needsMainThread = false): ProcessState {
    const listed = this.#listed.get(pid);
    if (!listed?.alive || (needsMainThread && !listed.hasMainThread)) return { state: "gone" };
    return { state: "alive", start: listed.start, stopped: false };
  }

  /** @param since older processes are passed over */
  inEnvironment(text: string, since: string | null): "yes" | "no" {
    for (const listed of this.#listed.values()) {
      if (Number(listed.start) < Number(since ?? 0)) continue;
      // The environment is read through the main thread.
      if (listed.alive && listed.hasMainThread && listed.environment.includes(text)) return "yes";
    }
    return "no";
  }
}

export function nameOf(setup: MachineSetup): MachineName {
  return {
    host: setup.host,
    bootId: setup.bootId === undefined ? `boot-of-${setup.host}` : setup.bootId,
    pidNamespace: setup.pidNamespace === undefined ? "4026531836" : setup.pidNamespace,
    timeNamespace: setup.timeNamespace ?? null,
  };
}

/** A server that is slow to close files refuses to rename over them: each who wishes to, for a while. */
export class RenameRefusals {
  readonly #sinceMs = new Map<string, number>();
  readonly #mostMs: number;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  get areRefused(): boolean {
    return this.#mostMs > 0;
  }

  /** Whether a rename, which meets an open file or one that stands, may be refused now. */
  mayRefuse(wish: string, nowMs: number): boolean {
    const sinceMs = this.#sinceMs.get(wish) ?? nowMs;
    return this.#mostMs > 0 && nowMs - sinceMs < this.#mostMs;
  }

  refused(wish: string, nowMs: number): void {
    if (!this.#sinceMs.has(wish)) this.#sinceMs.set(wish, nowMs);
  }

  granted(wish: string): void {
    this.#sinceMs.delete(wish);
  }

  describe(): string {
    return [...this.#sinceMs].map(([wish, ms]) => `!${wish}@${ms};`).join("");
  }
}

export class Machine {
  readonly name: MachineName;
  readonly lockDomain: string;
  readonly fileLocks: "work" | "none" | "silent" | "mandatory";
  readonly lockedFault: "EACCES" | "EBUSY";
  readonly deadLocksStay: boolean;
  readonly renames: RenameRefusals;
  readonly isAtItsWorst: boolean;
  readonly watch: "all" | "own" | "lossy" | "silent" | "fails";
  readonly looks: "sees" | "main threads" | "unknown";
  readonly environments: "all" | "some";
  readonly seesNamespaces: boolean;
  readonly listingRefreshes: boolean;
  readonly mount: SiteMount;
  /** Null where attributes are always true. */
  readonly attributes: AttributeCache | null;

  constructor(
    setup: MachineSetup,
    readonly processes: ProcessTable,
    /** Those of its host. */
    readonly clocks: HostClocks,
  ) {
    this.name = nameOf(setup);
    this.lockDomain = setup.lockDomain ?? setup.host;
    this.fileLocks = setup.fileLocks ?? "work";
    this.lockedFault = setup.lockedFault ?? "EACCES";
    this.deadLocksStay = setup.deadLocksStay ?? false;
    this.renames = new RenameRefusals(setup.renamesRefusedMs ?? 0);
    this.isAtItsWorst = setup.isAtItsWorst ?? false;
    this.environments = setup.environments ?? "all";
    this.watch = setup.watch ?? "all";
    this.looks = setup.looks ?? "sees";
    this.seesNamespaces = setup.seesNamespaces ?? false;
    const lags: Lags = {
      attributesMs: setup.attributesMayLagMs ?? 0,
      absenceMs: setup.absenceMayLagMs ?? 0,
      contentsMs: setup.contentsMayLagMs ?? 0,
      listingsMs: setup.listingsMayLagMs ?? 0,
    };
    const lagMs = Math.max(...Object.values(lags));
    this.listingRefreshes = setup.listingRefreshes ?? lags.listingsMs === 0;
    const share = {
      isLocalDisk: false,
      locksProveLife: false,
      cachesForMs: lagMs,
      listingsLagMs: lags.listingsMs,
    };
    const trust = setup.mount ?? (lagMs > 0 ? share : LOCAL_DISK);
    this.mount = { type: null, options: [], ...trust };
    this.attributes = lagMs > 0 ? new AttributeCache(lags) : null;
    for (const pid of setup.strangers ?? []) {
      if (processes.look(pid).state === "gone") processes.add("", pid);
    }
  }
}

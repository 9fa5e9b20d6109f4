/**
 * Machines of the simulated world: what a process there can see of others, and which faults of its
 * mount it lives with.
 *
 * Guarantee: a process looked for by number is looked for among its own machine's and pid namespace's
 * only; there, another machine's number means nobody or a stranger.
 * Non-guarantee: process numbers are not used again unless a scenario asks for it by `pid`.
 * Assumption: two mounts of one machine are two machines with equal bootId and pidNamespace.
 */

import { LOCAL_DISK, type MountTrust } from "../../../lib/core/mount_trust.ts";
import type { SiteMount } from "../../../lib/lock/site.ts";
import type { Machine as MachineName, ProcessState } from "../../../lib/sys/sys.ts";
import { AttributeCache } from "./attribute_cache.ts";
import type { HostClocks } from "./clocks.ts";

export interface MachineSetup {
  readonly host: string;
  /** Default: one of its own for each host. */
  readonly bootId?: string | null;
  readonly pidNamespace?: string | null;
  readonly timeNamespace?: string | null;
  /** File locks exclude only between machines with the same word here. Default: the host. */
  readonly lockDomain?: string;
  /** `none`: tryLock answers `unknown`, lock fails. `silent`: lock never answers either. Default: work. */
  readonly fileLocks?: "work" | "none" | "silent";
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
  /** What its wall clock is ahead of true time at the start; one for all mounts of a host. Default: 0. */
  readonly wallOffsetMs?: number;
  /** `unknown`: this machine cannot tell whether a process lives. Default: sees. */
  readonly looks?: "sees" | "unknown";
  /** Whether it can tell that another pid namespace has no process left. Default: false. */
  readonly seesNamespaces?: boolean;
  /** Process numbers taken by programs that have nothing to do with the lock. */
  readonly strangers?: readonly number[];
}

interface Listed {
  readonly start: string;
  readonly environment: string;
  alive: boolean;
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
    this.#listed.set(number, { start, environment, alive: true });
    return { pid: number, start };
  }

  end(pid: number): void {
    const listed = this.#listed.get(pid);
    if (listed) listed.alive = false;
  }

  get isEmpty(): boolean {
    return [...this.#listed.values()].every(({ alive }) => !alive);
  }

  /** Nobody is ever called stopped, not even who is frozen: no rule may go by it, and it is words alone. */
  look(pid: number): ProcessState {
    const listed = this.#listed.get(pid);
    if (!listed?.alive) return { state: "gone" };
    return { state: "alive", start: listed.start, stopped: false };
  }

  /** @param since older processes are passed over */
  inEnvironment(text: string, since: string | null): "yes" | "no" {
    for (const listed of this.#listed.values()) {
      if (Number(listed.start) < Number(since ?? 0)) continue;
      if (listed.alive && listed.environment.includes(text)) return "yes";
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

export class Machine {
  readonly name: MachineName;
  readonly lockDomain: string;
  readonly fileLocks: "work" | "none" | "silent";
  readonly watch: "all" | "own" | "lossy" | "silent" | "fails";
  readonly looks: "sees" | "unknown";
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
    this.watch = setup.watch ?? "all";
    this.looks = setup.looks ?? "sees";
    this.seesNamespaces = setup.seesNamespaces ?? false;
    const lagMs = setup.attributesMayLagMs ?? 0;
    this.listingRefreshes = setup.listingRefreshes ?? true;
    const share = { isLocalDisk: false, locksProveLife: false, cachesForMs: lagMs };
    const trust = setup.mount ?? (lagMs > 0 ? share : LOCAL_DISK);
    this.mount = { type: null, options: [], ...trust };
    this.attributes = lagMs > 0 ? new AttributeCache(lagMs) : null;
    for (const pid of setup.strangers ?? []) {
      if (processes.look(pid).state === "gone") processes.add("", pid);
    }
  }
}

/**
 * The simulated world: one folder tree shared by processes on one or more machines, under a clock that
 * moves only when the scheduler says so.
 *
 * Guarantee: nothing in it depends on the real time, on real randomness or on anything outside; equal
 * choices give equal runs. What a killed process held is free in the same moment.
 * Non-guarantee: it is not an operating system: see the non-guarantees of the folder tree, the file locks
 * and the seam.
 * Assumption: between two events everybody's code has come to rest (see `quiescence.ts`).
 */

import { FILE_EPOCH_MS, HostClocks, type StandKind, WallClock } from "./clocks.ts";
import { fault, FolderTree } from "./folder_tree.ts";
import type { Inode } from "./inode.ts";
import { Machine, type MachineSetup, nameOf, ProcessTable } from "./machine.ts";
import { generator } from "./numbers.ts";
import { type Occupant, Occupants } from "./occupants.ts";
import { seamFor } from "./seam.ts";
import { type Call, type Handle, type Script, SimProcess } from "./sim_process.ts";

export { FILE_EPOCH_MS };
export type { Occupant };

export interface WorldSetup {
  /** To what the file system cuts its times: 1, 1000 or 2000. Default: 1. */
  readonly granularityMs?: number;
  /** The host whose local disk this is: its wall clock stamps the files. Default: a share with a clock of its own. */
  readonly diskOf?: string;
  /** Whether it keeps birthtimes. Default: true. */
  readonly birthtimes?: boolean;
  /** Whether `entry` gives the inode's number too, for code that believes in it. Default: false. */
  readonly showsInodes?: boolean;
  /** The code of the fault that an operation of a process is to meet, or null. Default: none. */
  readonly refuse?: (process: SimProcess, operation: string, path: string) => string | null;
}

export interface Watcher {
  /** Its number among those of its process. */
  readonly number: number;
  readonly process: SimProcess;
  readonly inode: Inode;
  readonly path: string;
  readonly onChange: (changedPaths: readonly string[]) => void;
  readonly changed: Set<string>;
}

/** A command that a process started; it lives on when that process dies. */
export interface Command {
  readonly pid: number;
  readonly starter: SimProcess;
  /** When it ends by itself; null: only when it is ended. */
  dueMs: number | null;
}

export class World {
  nowMs = 0;
  readonly tree: FolderTree;
  readonly machines: Machine[] = [];
  readonly hosts: HostClocks[] = [];
  /** The clock that stamps the files. */
  readonly fileClock: WallClock;
  readonly processes: SimProcess[] = [];
  readonly watchers = new Set<Watcher>();
  readonly commands: Command[] = [];
  readonly #occupants = new Occupants();
  /** What scripts want to be remembered of the run; part of its state. */
  readonly notes: string[] = [];
  /** What the check let pass, and how often. */
  readonly excuses = new Map<string, number>();
  /** The first thing found wrong. */
  failure: string | null = null;
  /** Readable lines of what happened; null while nobody reads them. */
  trace: string[] | null = null;
  /** Whether calls and answers are hashed, as the exhaustive search needs. */
  hashing = false;
  /** Whether reading a clock is a step of its own. */
  clockIsStep: () => boolean = () => true;
  /** Asked after each event and at each entering. */
  check: (world: World) => string | null = () => null;
  /** Who makes the changes just now. */
  actor: SimProcess | null = null;
  /** The call that took effect in the event just now; null: it was another kind of event. */
  act: Call | null = null;
  readonly showsInodes: boolean;
  readonly granularityMs: number;
  readonly #setup: WorldSetup;
  readonly #listing: () => number;
  readonly #tables = new Map<string, ProcessTable>();
  #described = { version: -1, text: "" };

  /** @param seed of random names and fractions; 0 makes them plain and the fractions a half */
  constructor(setup: WorldSetup = {}, readonly seed = 0) {
    this.#setup = setup;
    this.showsInodes = setup.showsInodes ?? false;
    this.#listing = generator(seed, "listing");
    this.fileClock = setup.diskOf === undefined
      ? new WallClock("the clock of the share")
      : this.#host(setup.diskOf).wall;
    this.granularityMs = setup.granularityMs ?? 1;
    this.tree = new FolderTree({
      nowMs: () => this.fileClock.nowMs(this.nowMs),
      granularityMs: this.granularityMs,
      birthtimes: setup.birthtimes ?? true,
      onChange: (folder, name) => this.#hint(folder, name),
    });
  }

  get inside(): readonly Occupant[] {
    return this.#occupants.all;
  }

  /** The file system's now. */
  fileMs(): number {
    return this.fileClock.nowMs(this.nowMs);
  }

  /** All clocks that can be set. */
  get wallClocks(): readonly WallClock[] {
    return [...new Set([...this.hosts.map(({ wall }) => wall), this.fileClock])];
  }

  #host(host: string, wallAheadMs = 0): HostClocks {
    const known = this.hosts.find((one) => one.host === host);
    if (known) return known;
    const clocks = new HostClocks(host, 1_000_000 * (this.hosts.length + 1), wallAheadMs);
    this.hosts.push(clocks);
    return clocks;
  }

  /** The names of a folder in an order that nobody may rely on: sorted with seed 0, else by chance. */
  inSomeOrder(names: string[]): string[] {
    names.sort();
    return this.seed !== 0 && this.#listing() < 0.5 ? names.reverse() : names;
  }

  machine(setup: MachineSetup): Machine {
    const { host, bootId, pidNamespace } = nameOf(setup);
    const table = tableName(bootId ?? host, pidNamespace);
    const processes = this.#tables.get(table) ?? new ProcessTable();
    this.#tables.set(table, processes);
    const machine = new Machine(setup, processes, this.#host(setup.host, setup.wallOffsetMs));
    this.machines.push(machine);
    return machine;
  }

  /** Whether no process is left in a pid namespace of this machine's kernel. */
  hasEmptied({ name }: Machine, pidNamespace: string): "yes" | "no" {
    const processes = this.#tables.get(tableName(name.bootId ?? name.host, pidNamespace));
    return processes?.isEmpty ?? true ? "yes" : "no";
  }

  /** Sets a folder there, with its parents; `ageMs` is how long ago its mtime was. */
  placeFolder(path: string, ageMs = 0): void {
    const names = path.split("/").slice(1);
    for (let count = 1; count <= names.length; count++) {
      const upTo = `/${names.slice(0, count).join("/")}`;
      if (!this.tree.find(upTo, "stat")) this.tree.makeFolder(upTo);
    }
    this.tree.setMtime(path, this.fileMs() - ageMs);
  }

  placeFile(path: string, text: string, ageMs = 0): void {
    this.placeFolder(path.slice(0, path.lastIndexOf("/")));
    this.tree.makeFile(path, text);
    this.tree.setMtime(path, this.fileMs() - ageMs);
  }

  /** The text of a file; empty if there is none. */
  textOf(path: string): string {
    return this.tree.file(path)?.text ?? "";
  }

  stands(path: string): boolean {
    return this.tree.find(path, "stat") !== undefined;
  }

  /** Starts a process. Its script runs up to its first call at once. */
  start(machine: Machine, name: string, script: Script, pid?: number): SimProcess {
    if (this.processes.some((one) => one.name === name)) throw new Error(`two processes ${name}`);
    const listed = machine.processes.add("", pid);
    const process = new SimProcess(this, name, machine, listed.pid, listed.start);
    this.processes.push(process);
    script(seamFor(process), process).then(
      (outcome) => this.#exit(process, "finished", outcome ?? ""),
      (thrown) => this.#exit(process, "failed", String(thrown?.stack ?? thrown)),
    );
    return process;
  }

  #exit(process: SimProcess, state: "finished" | "failed", outcome: string): void {
    process.call("exit", [`process ${process.pid}`], () => {
      process.release();
      process.state = state;
      process.outcome = outcome;
      this.#forget(process);
      if (state === "failed") this.fail(`${process.name} failed: ${outcome}`);
      else if (this.#occupants.holdsOn(process)) this.fail(`${process.name} ended inside`);
    });
  }

  #forget(process: SimProcess): void {
    for (const watcher of this.watchers) {
      if (watcher.process === process) this.watchers.delete(watcher);
    }
  }

  /** Ends a process as SIGKILL does. A command that it started lives on. */
  kill(process: SimProcess): void {
    if (!process.alive) return;
    process.state = "killed";
    process.release();
    this.#forget(process);
    this.#occupants.died(process);
  }

  /** Ends a whole machine, with all its commands. What the server keeps of it is the mount's affair. */
  killMachine({ name, deadLocksStay }: Machine): void {
    const isThere = ({ machine }: SimProcess) => machine.name.host === name.host;
    for (const { starter, pid } of [...this.commands]) {
      if (isThere(starter)) this.endCommand(starter, pid);
    }
    for (const process of this.processes) {
      if (!process.alive || !isThere(process)) continue;
      process.state = "killed";
      process.release(deadLocksStay);
      this.#forget(process);
      this.#occupants.died(process);
    }
  }

  freeze(process: SimProcess, forMs: number): void {
    process.frozenUntilMs = this.nowMs + forMs;
  }

  /** A whole machine stands still; where its monotonic clock does, its timers do, and the work of its commands. */
  stand(host: HostClocks, kind: StandKind, forMs: number): void {
    host.stand(kind, forMs, this.nowMs);
    if (kind === "stop") return;
    const isThere = (process: SimProcess) => process.machine.clocks === host;
    const timers = this.processes.filter(isThere).flatMap(({ pending }) => pending);
    const commands = this.commands.filter(({ starter }) => isThere(starter));
    for (const one of [...timers, ...commands]) {
      if (one.dueMs !== null && one.dueMs > this.nowMs) one.dueMs += forMs;
    }
  }

  /**
   * Starts a command as a child of the process.
   * @param environment the text in which `inEnvironment` looks
   * @param runsMs how long it runs; null: until `endCommand` or a kill
   */
  startCommand(process: SimProcess, environment: string, runsMs: number | null = null): number {
    const { pid } = process.machine.processes.add(environment);
    const dueMs = runsMs === null ? null : this.nowMs + runsMs;
    this.commands.push({ pid, starter: process, dueMs });
    return pid;
  }

  /** The command's main thread ends, its others work on. */
  endMainThread(starter: SimProcess, pid: number): void {
    starter.machine.processes.endMainThread(pid);
  }

  /** Whether the command that this process started still runs. */
  commandRuns(starter: SimProcess, pid: number): boolean {
    return this.commands.some((one) => one.starter === starter && one.pid === pid);
  }

  endCommand(starter: SimProcess, pid: number): void {
    const at = this.commands.findIndex((one) => one.starter === starter && one.pid === pid);
    if (at < 0) return;
    this.commands.splice(at, 1);
    starter.machine.processes.end(pid);
    this.#occupants.commandEnded(starter, pid);
  }

  enter(
    process: SimProcess,
    kind: string,
    commandPid: number | null = null,
    slot?: string,
  ): void {
    if (!process.alive) return;
    const leaving = false;
    const inSlot = slot === undefined ? {} : { slot };
    this.#occupants.add({ process, kind, commandPid, sinceMs: this.nowMs, leaving, ...inSlot });
    this.trace?.push(`          ${process.name} is inside (${kind})`);
    this.runCheck();
  }

  leave(process: SimProcess): void {
    this.#occupants.leave(process);
  }

  /** A process makes a step: those of its occupants that were leaving have left. */
  moves(process: SimProcess): void {
    this.actor = process;
    process.lastStepMs = this.nowMs;
    if (!this.#occupants.isLeaving(process)) return;
    this.#occupants.moved(process);
    this.trace?.push(`          ${process.name} is outside`);
  }

  note(text: string): void {
    this.notes.push(text);
    this.trace?.push(`          note: ${text}`);
  }

  excuse(reason: string): void {
    this.excuses.set(reason, (this.excuses.get(reason) ?? 0) + 1);
    this.trace?.push(`          excused: ${reason}`);
  }

  fail(reason: string): void {
    this.failure ??= reason;
  }

  runCheck(): void {
    if (this.failure === null) this.failure = this.check(this);
  }

  /** Lets an operation fail if the scenario wants it to. */
  refuseIfAsked(process: SimProcess, operation: string, path: string): void {
    const code = this.#setup.refuse?.(process, operation, path);
    if (code) throw fault(code, operation, path);
  }

  openHandle(process: SimProcess, inode: Inode): Handle {
    const handle = { number: process.nextHandle(), inode, open: true, waiting: 0 };
    inode.openHandles++;
    process.handles.push(handle);
    return handle;
  }

  /** After a close, or the end of a request on a closed file: the kernel lets go with the last of them. */
  closeHandle(process: SimProcess, handle: Handle): void {
    if (handle.open || handle.waiting > 0) return;
    const at = process.handles.indexOf(handle);
    if (at < 0) return;
    process.handles.splice(at, 1);
    this.dropHandle(handle);
  }

  dropHandle(handle: Handle): void {
    handle.open = false;
    handle.inode.openHandles--;
    this.tree.numbers.letGo(handle.inode);
  }

  #hint(folder: Inode, name: string): void {
    for (const watcher of this.watchers) {
      if (watcher.inode !== folder) continue;
      const { machine } = watcher.process;
      if (machine.watch === "silent") continue;
      if (machine.watch === "own" && this.actor?.machine !== machine) continue;
      watcher.changed.add(`${watcher.path}/${name}`);
    }
  }

  /** All that decides what can happen from here on, as one line of text. */
  describe(): string {
    if (this.#described.version !== this.tree.version) {
      this.#described = { version: this.tree.version, text: this.tree.describe(this.showsInodes) };
    }
    let text = `${this.nowMs}|${this.#described.text}|${this.#occupants.describe()}|`;
    for (const process of this.processes) text += `${process.describe()}|`;
    for (const watcher of [...this.watchers].sort(byProcess)) {
      text += `${watcher.process.name}:${watcher.inode.label}:${[...watcher.changed]},`;
    }
    for (const { pid, dueMs } of this.commands) text += `c${pid}@${dueMs},`;
    text += this.wallClocks.map((clock) => clock.describe()).join();
    for (const host of this.hosts) text += `;${host.describe(this.nowMs)}`;
    for (const { attributes, renames } of this.machines) {
      text += (attributes?.describe(this.nowMs) ?? "") + renames.describe();
    }
    return `${text}|${this.notes.join(";")}`;
  }
}

/** One table of processes for each pid namespace of each kernel. */
function tableName(kernel: string, pidNamespace: string | null): string {
  return JSON.stringify([kernel, pidNamespace]);
}

function byProcess(one: { process: SimProcess }, other: { process: SimProcess }): number {
  return one.process.name < other.process.name ? -1 : 1;
}

/**
 * What can happen next in a world, and making it happen.
 *
 * Guarantee: every call that could take effect is offered, those of the process that ran last first, each
 * on its own; frozen and dead processes are offered nothing. An event changes the world before it returns;
 * the code that waited for it goes on afterwards.
 * Non-guarantee: nothing is chosen here, and no fault is made unasked.
 * Assumption: the caller lets everything come to rest between two events.
 */

import { FileFault } from "../../../lib/sys/faults.ts";
import { FILE_EPOCH_MS, type HostClocks, type StandKind, type WallClock } from "./clocks.ts";
import type { Cost } from "./possible.ts";
import { faultsOf, PATIENCE_MS } from "./faults.ts";
import { fault } from "./folder_tree.ts";
import type { Machine } from "./machine.ts";
import type { Call, Effect, SimProcess } from "./sim_process.ts";
import type { Command, Watcher, World } from "./world.ts";

export type Event =
  | {
    readonly kind: "step";
    readonly process: SimProcess;
    readonly call: Call;
    /** Take the call's other allowed answer. */
    readonly otherwise: boolean;
  }
  | { readonly kind: "hint" | "lose hint"; readonly process: SimProcess; readonly watcher: Watcher }
  | { readonly kind: "command ends"; readonly command: Command }
  | { readonly kind: "kill"; readonly process: SimProcess }
  /** The call has no effect but this fault, once. */
  | {
    readonly kind: "fail";
    readonly process: SimProcess;
    readonly call: Call;
    readonly code: string;
  }
  /** The call is never answered; whether it has an effect all the same, nobody learns. */
  | {
    readonly kind: "never answered";
    readonly process: SimProcess;
    readonly call: Call;
    readonly hasEffect: boolean;
  }
  /** All that runs there ends at once, and nobody is told. */
  | { readonly kind: "machine dies"; readonly machine: Machine }
  | { readonly kind: "freeze"; readonly process: SimProcess; readonly forMs: number }
  | { readonly kind: StandKind; readonly host: HostClocks; readonly forMs: number }
  | { readonly kind: "set clock"; readonly clock: WallClock; readonly byMs: number }
  | { readonly kind: "time"; readonly untilMs: number };

/** An event, in words that mean the same in another run along the same path. */
export interface Mark {
  readonly kind: Event["kind"];
  /** The process, the machine or the clock, by its place among all; -1: none. */
  readonly subject: number;
  /** Number of the call, place of the watcher or the command, or a time. */
  readonly detail: number;
  readonly otherwise: boolean;
  readonly costs: Cost;
}

export function markOf(world: World, event: Event, costs: Cost): Mark {
  const otherwise = (event.kind === "step" && event.otherwise) ||
    (event.kind === "never answered" && event.hasEffect);
  return {
    kind: event.kind,
    subject: subjectOf(world, event),
    detail: detailOf(world, event),
    otherwise,
    costs,
  };
}

function subjectOf(world: World, event: Event): number {
  if ("process" in event) return world.processes.indexOf(event.process);
  if ("host" in event) return world.hosts.indexOf(event.host);
  return "clock" in event ? world.wallClocks.indexOf(event.clock) : -1;
}

function detailOf(world: World, event: Event): number {
  switch (event.kind) {
    case "step":
    case "fail":
    case "never answered":
      return event.call.number;
    case "machine dies":
      return world.machines.indexOf(event.machine);
    case "hint":
    case "lose hint":
      return [...world.watchers].indexOf(event.watcher);
    case "command ends":
      return world.commands.indexOf(event.command);
    case "freeze":
    case "sleep":
    case "stop":
    case "pause":
      return event.forMs;
    case "set clock":
      return event.byMs;
    case "time":
      return event.untilMs;
    case "kill":
      return 0;
  }
}

/** The event of a mark, if it could happen in this world. */
export function findEvent(world: World, mark: Mark): Event | null {
  const { kind, detail, otherwise } = mark;
  if (kind === "sleep" || kind === "stop" || kind === "pause") {
    const host = world.hosts[mark.subject];
    return host ? { kind, host, forMs: detail } : null;
  }
  if (kind === "set clock") {
    const clock = world.wallClocks[mark.subject];
    return clock ? { kind, clock, byMs: detail } : null;
  }
  const process = world.processes[mark.subject];
  if (kind === "time") return { kind, untilMs: detail };
  if (kind === "command ends") {
    const command = world.commands[detail];
    return command ? { kind, command } : null;
  }
  if (kind === "machine dies") {
    const machine = world.machines[detail];
    return machine ? { kind, machine } : null;
  }
  if (!process) return null;
  if (kind === "kill") return { kind, process };
  if (kind === "freeze") return { kind, process, forMs: detail };
  if (kind === "step" || kind === "fail" || kind === "never answered") {
    const call = process.pending.find((one) => one.number === detail);
    if (!call) return null;
    if (kind === "step") return { kind, process, call, otherwise };
    if (kind === "fail") return { kind, process, call, code: faultsOf(call)[0] ?? "EIO" };
    return { kind, process, call, hasEffect: otherwise };
  }
  const watcher = [...world.watchers][detail];
  return watcher ? { kind, process, watcher } : null;
}

/** The calls, hints and ends of commands that are due. */
export function dueEvents(world: World, last: SimProcess | null): Event[] {
  const events: Event[] = [];
  if (last) addDueOf(last, events);
  for (const process of world.processes) if (process !== last) addDueOf(process, events);
  for (const command of world.commands) {
    if (endsAtMs(command) <= world.nowMs) events.push({ kind: "command ends", command });
  }
  return events;
}

function addDueOf(process: SimProcess, events: Event[]): void {
  if (!process.alive || process.frozen) return;
  const { world } = process;
  if (process.unansweredSinceMs !== null) {
    if (process.unansweredSinceMs + PATIENCE_MS <= world.nowMs) {
      events.push({ kind: "kill", process });
    }
  }
  for (const call of process.pending) {
    if (call.dueMs !== null && call.dueMs > world.nowMs) continue;
    if (call.ready && !call.ready()) continue;
    events.push({ kind: "step", process, call, otherwise: false });
    if (call.otherwise?.()) {
      events.push({ kind: "step", process, call, otherwise: true });
    }
  }
  for (const watcher of world.watchers) {
    if (watcher.process !== process || watcher.changed.size === 0) continue;
    events.push({ kind: "hint", process, watcher });
    if (process.machine.watch === "lossy") events.push({ kind: "lose hint", process, watcher });
  }
}

/** When a command ends by itself: on a machine that stands still, nothing does. */
function endsAtMs({ dueMs, starter }: Command): number {
  return dueMs === null ? Infinity : Math.max(dueMs, starter.machine.clocks.standsUntilMs);
}

/** The earliest moment at which something becomes due by time alone; null if nothing ever will. */
export function nextTimerMs(world: World): number | null {
  let next = Infinity;
  for (const process of world.processes) {
    if (!process.alive) continue;
    const { unansweredSinceMs } = process;
    if (unansweredSinceMs !== null && unansweredSinceMs + PATIENCE_MS > world.nowMs) {
      next = Math.min(next, unansweredSinceMs + PATIENCE_MS);
    }
    if (process.frozen) next = Math.min(next, process.standsUntilMs);
    else {for (const { dueMs } of process.pending) {
        if (dueMs !== null && dueMs > world.nowMs) next = Math.min(next, dueMs);
      }}
  }
  for (const command of world.commands) {
    const dueMs = endsAtMs(command);
    if (dueMs > world.nowMs) next = Math.min(next, dueMs);
  }
  return next === Infinity ? null : next;
}

export function perform(world: World, event: Event): void {
  world.act = event.kind === "step" ? event.call : null;
  if (event.kind === "step") {
    const { process, call } = event;
    const effect = event.otherwise ? call.otherwise!()! : call.run;
    return performStep(world, process, call, effect, event);
  }
  if (event.kind === "fail") {
    const { process, call, code } = event;
    const effect = () => {
      if (call.operation.startsWith("tryLock")) return "unknown";
      throw fault(code, call.operation, call.paths[0] ?? "");
    };
    return performStep(world, process, call, effect, event);
  }
  if (event.kind === "time") {
    world.trace?.push(`          time passes: ${event.untilMs - world.nowMs} ms`);
    world.nowMs = event.untilMs;
  } else if (event.kind === "kill") {
    tell(world, event.process, "KILLED");
    world.kill(event.process);
  } else if (event.kind === "machine dies") {
    world.trace?.push(`${stamp(world)} the machine ${event.machine.name.host} DIES`);
    world.killMachine(event.machine);
  } else if (event.kind === "never answered") {
    leaveUnanswered(world, event.process, event.call, event.hasEffect);
  } else if (event.kind === "freeze") {
    tell(world, event.process, `FROZEN for ${event.forMs} ms`);
    world.freeze(event.process, event.forMs);
  } else if ("host" in event) {
    const { kind, host, forMs } = event;
    world.trace?.push(`${stamp(world)} ${host.host}: ${STANDS[kind]} for ${forMs} ms`);
    world.stand(host, kind, forMs);
  } else if (event.kind === "set clock") {
    const { clock, byMs } = event;
    const way = byMs < 0 ? "back" : "forward";
    world.trace?.push(`${stamp(world)} ${clock.name} is set ${way} by ${Math.abs(byMs)} ms`);
    clock.set(byMs, world.nowMs);
  } else if (event.kind === "command ends") {
    world.trace?.push(`${stamp(world)} command ${event.command.pid} ends`);
    world.endCommand(event.command.starter, event.command.pid);
  } else if (event.kind === "hint") {
    const changed = [...event.watcher.changed];
    event.watcher.changed.clear();
    tell(world, event.process, `hint ${changed.join(" ")}`);
    world.moves(event.process);
    if (world.hashing) event.process.remember(`hint ${changed.join(" ")}`);
    event.watcher.onChange(changed);
  } else {
    event.watcher.changed.clear();
    tell(world, event.process, "hint lost");
  }
}

const STANDS: Readonly<Record<StandKind, string>> = {
  sleep: "SLEEPS",
  stop: "STANDS STILL",
  pause: "IS PAUSED, clocks and all,",
};

/** It is as if the call had only just been made, for ever: the process lives, and may go on with others. */
function leaveUnanswered(world: World, process: SimProcess, call: Call, hasEffect: boolean): void {
  process.pending.splice(process.pending.indexOf(call), 1);
  world.moves(process);
  process.unansweredSinceMs ??= world.nowMs;
  tell(world, process, `${nameOf(call)} is NEVER ANSWERED${hasEffect ? ", but takes effect" : ""}`);
  if (!hasEffect) return;
  try {
    call.run();
  } catch (caught) {
    if (!(caught instanceof FileFault)) throw caught;
  }
}

function performStep(
  world: World,
  process: SimProcess,
  call: Call,
  effect: Effect,
  event: Event,
): void {
  process.pending.splice(process.pending.indexOf(call), 1);
  world.moves(process);
  let answer: unknown;
  let thrown: unknown;
  try {
    answer = effect();
  } catch (caught) {
    if (!(caught instanceof FileFault)) throw caught;
    thrown = caught;
  }
  if (world.hashing) {
    const learned = thrown ? (thrown as FileFault).code : JSON.stringify(answer);
    process.remember(`${call.number} ${call.operation} ${learned}`);
  }
  if (world.trace) {
    const shown = thrown ? (thrown as FileFault).code : show(answer);
    const mark = event.kind === "fail"
      ? " (ONCE)"
      : event.kind === "step" && event.otherwise
      ? " (old)"
      : "";
    const arrow = shown === "" ? "" : ` → ${shown}${mark}`;
    tell(world, process, `${nameOf(call)}${arrow}`);
  }
  if (thrown) call.reject(thrown);
  else call.resolve(answer);
}

/** A call for a person. */
export function nameOf(call: Call): string {
  const paths = call.detail.startsWith("#") ? [] : call.paths;
  return [call.operation, ...paths, shortened(call.detail)].filter((word) => word !== "").join(" ");
}

function shortened(text: string): string {
  const line = text.replaceAll("\n", "\\n");
  return line.length > 150 ? `${line.slice(0, 150)}…` : line;
}

/** An answer for a person, with times as milliseconds since the run began. */
function show(answer: unknown): string {
  if (answer === undefined) return "";
  const { kind, text, mtimeMs, handle } = (answer ?? {}) as Record<string, unknown>;
  if (typeof handle === "number") return `#${handle}`;
  if (typeof mtimeMs !== "number") return JSON.stringify(answer);
  const mtime = `mtime ${mtimeMs - FILE_EPOCH_MS}`;
  return typeof text === "string" ? `${shortened(text)}, ${mtime}` : `${kind}, ${mtime}`;
}

function stamp(world: World): string {
  return `${(world.nowMs / 1000).toFixed(3)}s`.padStart(9);
}

function tell(world: World, process: SimProcess, text: string): void {
  world.trace?.push(`${stamp(world)} ${process.name}: ${text}`);
}

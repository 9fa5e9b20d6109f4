/** A command under a hold: started once the record is on disk, waited for, then the lock goes back once. */

import {
  FENCE_VARIABLE,
  FENCES_VARIABLE,
  HELD_VARIABLE,
  SLOT_VARIABLE,
  SLUG_VARIABLE,
  withHold,
} from "./variables.ts";
import type {
  Child,
  Clock,
  CommandLine,
  Commands,
  Ended,
  Processes,
  SignalName,
} from "../sys/sys.ts";
import type { RunnableHold } from "./service.ts";

export interface Limits {
  /** End the command when the hold has lasted this long; null for no limit. Milliseconds. */
  readonly maxHoldMs: number | null;
  /** End the command when the lock turns out to be lost. */
  readonly endOnLoss: boolean;
  /** End the command when this is aborted: the process that called is gone. */
  readonly callerGone?: AbortSignal;
}

export interface EndedBy {
  /** Why we ended the command; null if it ended by itself. */
  readonly endedFor: "lost" | "max_hold" | "caller gone" | null;
  /** What TERM was not enough for: the command itself, or only something that it had started. */
  readonly killed: Killed | null;
}

export type Killed = "command" | "what it started";

const BY_ITSELF: EndedBy = { endedFor: null, killed: null };

/** Time for a command to clean up between TERM and KILL: as long as service managers give, and no more. */
const CLEAN_UP_MS = 10_000;

/** What the command finds in its environment. */
export function holdVariables(
  hold: RunnableHold,
  inherited: string | undefined,
): Record<string, string> {
  const held = hold.named ?? [hold];
  return {
    [HELD_VARIABLE]: held.reduceRight<string | undefined>(
      (around, { lock, token }) => withHold(around, lock, token),
      inherited,
    )!,
    [SLUG_VARIABLE]: hold.slug,
    [FENCE_VARIABLE]: String(hold.fence),
    [FENCES_VARIABLE]: (hold.named ?? []).map(({ name, fence }) => `${name}=${fence}`).join(),
    // Where there is none, that of a hold around it would be another lock's. So with the line above.
    [SLOT_VARIABLE]: hold.slot ?? "",
  };
}

/** What it takes to run a command. */
export type Starter = Pick<Commands, "start" | "terminalSignalsCommand">;

/** What it takes to end it with all that it started. */
type Ender = Pick<Commands, "carriersOf" | "signalProcess">;

/**
 * Starts the command and waits for its end. Signals that reach us go on to it.
 * @param onStart called once it runs
 * @throws FileFault if it cannot be started
 */
export async function runCommand(
  commands: Starter,
  command: CommandLine,
  onStart: (child: Child) => void = () => {},
): Promise<Ended> {
  let child: Child | null = null;
  const early: SignalName[] = [];
  child = await commands.start(command, (signal) => {
    if (child) void passOn(commands, child, signal);
    else early.push(signal);
  });
  for (const signal of early) void passOn(commands, child, signal);
  onStart(child);
  return await child.ended;
}

/** A terminal sends INT and QUIT to all that run in its foreground: the command has had its own already. */
async function passOn(commands: Starter, child: Child, signal: SignalName): Promise<void> {
  const mayBeTerminal = signal === "SIGINT" || signal === "SIGQUIT";
  if (!mayBeTerminal || !await commands.terminalSignalsCommand()) await child.signal(signal);
}

/**
 * Runs a command under a hold, and ends it if a limit says so. Releasing is the caller's.
 * @param told at once when the command has been started, and when it has ended
 */
export async function runUnderHold(
  sys: {
    readonly commands: Starter & Ender;
    readonly processes: Processes;
    readonly clock: Clock;
  },
  hold: RunnableHold,
  command: CommandLine,
  limits: Limits,
  told: { readonly onStart?: (pid: number) => void; readonly onEnd?: () => void } = {},
): Promise<Ended & EndedBy> {
  let guarding = Promise.resolve(BY_ITSELF);
  let naming: Promise<void> = Promise.resolve();
  const { code } = await runCommand(sys.commands, command, (child) => {
    // First of all: until it is named, a kill leaves a command that nobody knows.
    naming = nameIfItLasts(sys, hold, child);
    guarding = guard(sys, hold, child, limits);
    told.onStart?.(child.pid);
  });
  told.onEnd?.();
  const endedBy = await guarding;
  await naming;
  return { code, ...endedBy };
}

/** A command that is over sooner is not worth a beat: until then, the lifeline alone names it. */
const NAMED_AFTER_MS = 20;

async function nameIfItLasts(
  sys: { readonly processes: Processes; readonly clock: Clock },
  hold: RunnableHold,
  child: Child,
): Promise<void> {
  const named = hold.startedCommand(child.pid);
  const over = new AbortController();
  void child.ended.then(() => over.abort());
  await named;
  await sys.clock.sleep(NAMED_AFTER_MS, over.signal);
  if (over.signal.aborted) return;
  const found = await sys.processes.look(child.pid);
  await hold.nameCommand(child.pid, found.state === "alive" ? found.start : null);
}

/** Waits for a limit to be reached, and then ends the command and all that it started. */
async function guard(
  sys: { readonly commands: Ender; readonly clock: Clock },
  hold: RunnableHold,
  child: Child,
  limits: Limits,
): Promise<EndedBy> {
  const over = new AbortController();
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
    over.abort();
  });
  for (const end of [limits.endOnLoss ? hold.lost : null, limits.callerGone]) {
    end?.addEventListener("abort", () => over.abort(), { once: true });
    if (end?.aborted) over.abort();
  }
  await sys.clock.sleep(limits.maxHoldMs ?? Number.MAX_SAFE_INTEGER, over.signal);
  if (hasEnded) return BY_ITSELF;
  const endedFor = limits.endOnLoss && hold.lost.aborted
    ? "lost"
    : limits.callerGone?.aborted
    ? "caller gone"
    : "max_hold";
  // Not awaited before the signals: a share that does not answer must not keep the command.
  const told = hold.endsAll();
  const logged = endedFor === "max_hold" ? hold.logMaxHold() : null;
  const killed = await heed(sys, "SIGTERM", hold.token, child);
  if (killed) await heed(sys, "SIGKILL", hold.token, child);
  await Promise.all([told, logged]);
  return { endedFor, killed };
}

/** Between two looks for what a command has started. */
const LOOK_EVERY_MS = 100;

/**
 * Sends a signal to the command, and to all that it started: they carry the hold's token in their environment. What
 * has cleaned its environment is not seen, nor is anything but the command itself on other systems than Linux.
 * @return what has not ended within the time to clean up; null if all has
 */
async function heed(
  { commands, clock }: { readonly commands: Ender; readonly clock: Clock },
  signal: "SIGTERM" | "SIGKILL",
  token: string,
  child: Child,
): Promise<Killed | null> {
  let hasEnded = false;
  const ended = new AbortController();
  void child.ended.then(() => {
    hasEnded = true;
    ended.abort();
  });
  const present = await commands.carriersOf(token);
  await child.signal(signal);
  for (const pid of present) if (pid !== child.pid) await commands.signalProcess(pid, signal);
  const sinceMs = await clock.monotonicMs();
  for (;;) {
    const carriers = await commands.carriersOf(token);
    // What is born after TERM cleans up: it is left alone. Nothing outlives KILL.
    for (const pid of signal === "SIGKILL" ? carriers : []) {
      await commands.signalProcess(pid, signal);
    }
    if (hasEnded && carriers.every((pid) => pid === child.pid)) return null;
    if (await clock.monotonicMs() - sinceMs >= CLEAN_UP_MS) {
      return hasEnded ? "what it started" : "command";
    }
    await clock.sleep(LOOK_EVERY_MS, hasEnded ? undefined : ended.signal);
  }
}

/**
 * So much of a command line is kept: enough for a person to know it again. A character takes at most six
 * bytes in JSON, and a word three besides: less than what is read.
 */
const COMMAND_KEPT_CHARACTERS = 4096;

/** The last word of a command line that was cut. */
const CUT_MARK = "…";

/**
 * What is kept of a command line, for a person to know it again. The system takes command lines of two megabytes, and what is too long to
 * be read would not name the command.
 */
export function keptOfCommand(command: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let roomLeft = COMMAND_KEPT_CHARACTERS;
  for (const word of command) {
    // Each word takes one more, for the space after it: else there would be no end to empty ones.
    if (word.length >= roomLeft) {
      const begun = withoutHalfCharacter(word.slice(0, Math.max(0, roomLeft - 1)));
      return [...kept, ...begun === "" ? [] : [begun], CUT_MARK];
    }
    kept.push(word);
    roomLeft -= word.length + 1;
  }
  return kept;
}

function withoutHalfCharacter(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}

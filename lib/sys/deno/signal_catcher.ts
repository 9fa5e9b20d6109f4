/**
 * The signals that reach us, on a real machine.
 *
 * The run-time's first listener, of any kind, takes over HUP, INT and TERM for good. What `nohup`, or a shell's
 * `&`, told us to ignore is then no longer ignored by us, nor by a command that we start: it would be ended
 * when the terminal hangs up. So a command that is started after the first listener is started while just
 * those signals are ignored again; where that cannot be done, the command is started first and the listeners
 * come after it. A TERM in the moment between ends us alone, and leaves the command to itself.
 */

import { SIGNAL_NUMBER, type SignalName } from "../signals.ts";
import { ignoredSignals } from "./linux/proc.ts";

/**
 * What is passed on. ALRM is how `perl -e 'alarm 60; exec @ARGV'` sets a time limit where there is no timeout(1).
 * The others cannot be caught, are the terminal's business, or a defect's.
 */
const PASSED_ON: readonly SignalName[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM"];

export type OnSignal = (name: SignalName) => void;

/**
 * If SIGCHLD is ignored, we never learn how the command ended: so it is left to the system, for us and for the command,
 * which may be over before anything could be put back. Its number is from signal(7).
 */
const SIGCHLD = 17;

/** How a command that is started after our listeners keeps what it is to ignore. */
type Inheritance =
  /** There is nothing to keep. */
  | { readonly kind: "nothing ignored" }
  /** These can be ignored again for the moment of the start. */
  | {
    readonly kind: "ignored again";
    readonly numbers: readonly number[];
    readonly libc: LibcSignals;
  }
  /** It cannot be known or done: the command must be started first. */
  | { readonly kind: "command first" };

export class SignalCatcher {
  /** With the numbers that each does not want to hear of. */
  readonly #listeners = new Map<OnSignal, ReadonlySet<number>>();
  #armed = false;
  #inheritance: Inheritance | null = null;

  /** Asked for before the first listener: later, what was ignored can no longer be seen. */
  #inherited(): Inheritance {
    return this.#inheritance ??= inheritanceHere();
  }

  /** Whether a command may be started after the first listener. */
  get mayListenFirst(): boolean {
    return this.#inherited().kind !== "command first";
  }

  /** Hands over all signals but those that we were told to ignore. Only where `mayListenFirst`. */
  listenToNew(onSignal: OnSignal): void {
    const inheritance = this.#inherited();
    const ignored = inheritance.kind === "ignored again" ? inheritance.numbers : [];
    this.#listen(onSignal, new Set(ignored));
  }

  forget(onSignal: OnSignal): void {
    this.#listeners.delete(onSignal);
  }

  /**
   * Listens, for as long as the program lasts. A signal that ends the command reaches us through another
   * thread, often after we have learnt of the command's end: without a listener it would then end us too,
   * before the lock has been given back.
   */
  #listen(onSignal: OnSignal, but: ReadonlySet<number> = new Set()): void {
    this.#listeners.set(onSignal, but);
    if (this.#armed) return;
    this.#armed = true;
    armListeners((name) => {
      for (const [hear, but] of this.#listeners) if (!but.has(SIGNAL_NUMBER[name])) hear(name);
    });
  }

  /** Starts something that ignores what we were told to ignore. Nothing is awaited in here. */
  start<T>(onSignal: OnSignal, spawn: () => T): T {
    if (!this.mayListenFirst) {
      const started = spawn();
      this.#listen(onSignal);
      return started;
    }
    this.#listen(onSignal);
    const inheritance = this.#inherited();
    if (inheritance.kind !== "ignored again") return spawn();
    return inheritance.libc.whileIgnored(inheritance.numbers, spawn);
  }
}

/** A signal that does nothing to who does not listen to it. */
const LAST_IN_LINE = "SIGWINCH";
/** It comes within a fraction of a millisecond, unless whoever started us has blocked it. */
const LAST_WITHIN_MS = 100;

/**
 * Waits until the signals that have reached us by now have been handed over. Until we wait for something outside
 * of JavaScript no listener is called, and on a local disk we do not from mkdir to the start of the command;
 * nor is one turn of the event loop enough, since signals come through a thread of their own, in order. So we
 * send one to ourselves and wait for that.
 */
export async function handOver(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LAST_WITHIN_MS);
  addListener(LAST_IN_LINE, resolve);
  try {
    Deno.kill(Deno.pid, LAST_IN_LINE);
  } catch {
    // A filter on calls may refuse even this: then time alone must do.
  }
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    removeListener(LAST_IN_LINE, resolve);
  }
}

function inheritanceHere(): Inheritance {
  const ignored = ignoredSignals();
  if (ignored === null) return { kind: "command first" };
  if (ignored.has(SIGCHLD)) LibcSignals.open()?.setDefault(SIGCHLD);
  const numbers = PASSED_ON.map((name) => SIGNAL_NUMBER[name]).filter((number) =>
    ignored.has(number)
  );
  if (numbers.length === 0) return { kind: "nothing ignored" };
  const libc = LibcSignals.open();
  return libc ? { kind: "ignored again", numbers, libc } : { kind: "command first" };
}

/** Listens for all that can be passed on. */
export function armListeners(onSignal: OnSignal): void {
  for (const name of PASSED_ON) addListener(name, () => onSignal(name));
  // A program that listens to it learns from the write that a file may grow no further (`ulimit -f`), and is not ended by it.
  addListener("SIGXFSZ", () => {});
}

function addListener(name: Deno.Signal, onSignal: () => void): void {
  try {
    Deno.addSignalListener(name, onSignal);
  } catch {
    // This system does not have it.
  }
}

function removeListener(name: Deno.Signal, onSignal: () => void): void {
  try {
    Deno.removeSignalListener(name, onSignal);
  } catch {
    // This system does not have it.
  }
}

// Ignoring a signal for a moment, and leaving one to the system again, which the run-time has no call for: sigaction(2) of the C library.

const SIGACTION = {
  sigaction: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
} as const;

/**
 * `struct sigaction` takes 152 bytes with glibc on x86_64 and on aarch64; the handler comes first. A kernel or
 * library that writes more finds room.
 */
const STRUCT_BYTES = 256;
/** The handler `SIG_IGN`, from signal.h. */
const SIG_IGN = 1n;

export class LibcSignals {
  readonly #libc: Deno.DynamicLibrary<typeof SIGACTION>;
  readonly #ignore = new Uint8Array(STRUCT_BYTES);

  private constructor(libc: Deno.DynamicLibrary<typeof SIGACTION>) {
    this.#libc = libc;
    new BigUint64Array(this.#ignore.buffer)[0] = SIG_IGN;
  }

  /** @return null where there is no such library: another system than Linux, or no glibc */
  static open(): LibcSignals | null {
    if (Deno.build.os !== "linux") return null;
    try {
      return new LibcSignals(Deno.dlopen("libc.so.6", SIGACTION));
    } catch {
      return null;
    }
  }

  /** What the system does with a signal that nobody has said anything about: it ends most programs. */
  setDefault(number: number): void {
    this.#libc.symbols.sigaction(number, new Uint8Array(STRUCT_BYTES), null);
  }

  /**
   * Does something while these signals are ignored, then puts back what was to be done with each.
   * @param run is over when it returns: nothing is awaited
   */
  whileIgnored<T>(numbers: readonly number[], run: () => T): T {
    const { sigaction } = this.#libc.symbols;
    const before = numbers.map((number) => {
      const action = new Uint8Array(STRUCT_BYTES);
      return { number, action, done: sigaction(number, this.#ignore, action) === 0 };
    });
    try {
      return run();
    } finally {
      for (const { number, action, done } of before) if (done) sigaction(number, action, null);
    }
  }
}

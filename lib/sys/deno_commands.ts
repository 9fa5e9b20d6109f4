/** Starting a command on a real machine, and the signals that reach us while it runs. */

import { ignoredSignals, readProcStat } from "./linux_proc.ts";
import { asFault } from "./os_faults.ts";
import type { Child, CommandLine, Commands, Ended, SignalName } from "./sys.ts";

/** What is passed on. The others either cannot be caught or are the terminal's business. */
const PASSED_ON: readonly SignalName[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/** For a real-time signal the run-time only says its number, in the text of an error. */
const SIGNAL_BASE = 128;

export class DenoCommands implements Commands {
  // deno-lint-ignore require-await -- what it throws must come out as a rejection
  async start(command: CommandLine, onSignal: (name: SignalName) => void): Promise<Child> {
    const commandFirst = someSignalIsIgnored();
    // Nothing may be awaited in here: see `someSignalIsIgnored()`.
    if (!commandFirst) armListeners(onSignal);
    try {
      const process = new Deno.Command(command.program, {
        args: [...command.args],
        env: { ...command.env },
        stdin: "inherit",
        stdout: "inherit",
        stderr: "inherit",
      }).spawn();
      if (commandFirst) armListeners(onSignal);
      return new DenoChild(process);
    } catch (thrown) {
      throw asFault(thrown, "exec", command.program);
    }
  }

  ownProgram(): Promise<Pick<CommandLine, "program" | "args">> {
    const args = Deno.build.standalone ? [] : ["run", "--allow-all", Deno.mainModule];
    return Promise.resolve({ program: Deno.execPath(), args });
  }

  terminalSignalsCommand(): Promise<boolean> {
    return Promise.resolve(isInForeground());
  }
}

function isInForeground(): boolean {
  try {
    const stat = readProcStat("self");
    if (stat) return stat.terminal !== 0 && stat.foregroundGroup === stat.processGroup;
  } catch {
    // Not Linux: whether we talk to a terminal at all must do.
  }
  return Deno.stdin.isTerminal() || Deno.stderr.isTerminal();
}

/**
 * The run-time's first listener, of any kind, takes over HUP, INT and TERM for good: a command started after
 * it would no longer ignore the HUP that `nohup` told it to. So there, and where we cannot know: first the
 * command, then the listeners. A TERM in the milliseconds between ends us alone and leaves the command to
 * itself; so wherever nothing is ignored the listeners come first.
 */
function someSignalIsIgnored(): boolean {
  try {
    const ignored = ignoredSignals();
    return ignored === null || PASSED_ON.some((name) => ignored.has(SIGNAL_NUMBER[name]));
  } catch {
    return true;
  }
}

/** From signal(7); the same on every kind of machine that Deno runs on under Linux. */
const SIGNAL_NUMBER: Readonly<Record<SignalName, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGTERM: 15,
};

/**
 * They stay for as long as the program does. A signal that ends the command reaches us through another
 * thread, often after we have learnt of the command's end: without a listener it would then end us too,
 * before the lock has been given back.
 */
export function armListeners(onSignal: (name: SignalName) => void): void {
  for (const name of PASSED_ON) {
    try {
      Deno.addSignalListener(name as Deno.Signal, () => onSignal(name));
    } catch {
      // This system does not have it.
    }
  }
}

class DenoChild implements Child {
  readonly #process: Deno.ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;

  constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.pid = process.pid;
    this.ended = endOf(process);
  }

  signal(name: SignalName): Promise<void> {
    try {
      this.#process.kill(name as Deno.Signal);
    } catch {
      // It has ended.
    }
    return Promise.resolve();
  }
}

async function endOf(process: Deno.ChildProcess): Promise<Ended> {
  try {
    return { code: (await process.status).code };
  } catch (thrown) {
    const number = /Invalid signal: (\d+)/.exec(String((thrown as Error)?.message))?.[1];
    return { code: SIGNAL_BASE + Number(number ?? 0) };
  }
}

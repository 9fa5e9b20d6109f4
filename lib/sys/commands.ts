/** Other programs, and the signals that concern them; part of the seam, see `sys.ts`. */

import type { SignalName } from "./signals.ts";

export interface CommandLine {
  readonly program: string;
  readonly args: readonly string[];
  /** Set on top of our own environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Ended {
  /** The command's own status; 128 + n if signal n ended it. */
  readonly code: number;
}

export interface Child {
  readonly pid: number;
  /** Never fails. */
  readonly ended: Promise<Ended>;
  /** Sends a signal; nothing happens if it has ended. */
  signal(name: SignalName): Promise<void>;
}

export interface SignalNet {
  /** Waits until the signals that have reached us by now have gone to `onSignal`. */
  flush(): Promise<void>;
  /** No more of them go there. They do not end us either: a command must be started at once. */
  close(): void;
}

export interface Commands {
  /**
   * Numbers of the processes, ourselves left out, that were started with this text in their environment. None where
   * the system does not tell (it does on Linux), and none of another user's.
   */
  carriersOf(text: string): Promise<readonly number[]>;
  /** Sends a signal to any process. Nothing happens if it has ended, or may not be told. */
  signalProcess(pid: number, name: SignalName): Promise<void>;
  /**
   * From now on signals go to `onSignal` instead of ending us, but for those that we were told to ignore. Only
   * where that takes nothing from a command that is started later: elsewhere they end us as before.
   */
  catchSignals(onSignal: (name: SignalName) => void): Promise<SignalNet>;
  /** Ends this program by a signal, as one that nobody caught. Comes back where that cannot be done. */
  endBy(signal: SignalName): Promise<void>;
  /**
   * Starts a command with our stdin, stdout, stderr and working folder, and from the same moment on hands
   * the signals that reach us to `onSignal` instead of being ended by them. Fails with a FileFault: ENOENT
   * (no such program), EACCES, ENOEXEC, E2BIG and their like.
   */
  start(command: CommandLine, onSignal: (name: SignalName) => void): Promise<Child>;
  /** Number of the process that started us, or of the one that has taken us in since. */
  parentPid(): Promise<number>;
  /**
   * Whether such a program can be found, as `start()` would look for it. True where the system looks elsewhere than in
   * PATH.
   */
  isFound(program: string): Promise<boolean>;
  /**
   * Starts a command that has nothing of ours but working folder and environment: in a session of its own, with nothing
   * to read, and with these files to write to. It outlives us. Fails with a FileFault.
   */
  startDetached(
    command: CommandLine,
    files: { readonly out: string; readonly err: string },
  ): Promise<Child>;
  /** How to start this very program: what its own arguments are added to. */
  ownProgram(): Promise<Pick<CommandLine, "program" | "args">>;
  /** True if a terminal has already sent INT and QUIT to our command too: both are in its foreground. */
  terminalSignalsCommand(): Promise<boolean>;
}

/** Starting a command on a real machine, and the signals that reach us while it runs. */

import { SIGNAL_NUMBER } from "../signals.ts";
import { FileFault } from "../faults.ts";
import { handOver, LibcSignals, type OnSignal, SignalCatcher } from "./signal_catcher.ts";
import { processesWith, readProcStat } from "./linux/proc.ts";
import { asFault } from "./os_faults.ts";
import type { Child, CommandLine, Commands, Ended, SignalName, SignalNet } from "../sys.ts";

/** For a real-time signal the run-time only says its number, in the text of an error. */
const SIGNAL_BASE = 128;

/** A signal to oneself is there at once, unless whoever started us has blocked it. */
const ENDED_WITHIN_MS = 100;

export class DenoCommands implements Commands {
  readonly #signals = new SignalCatcher();

  catchSignals(onSignal: OnSignal): Promise<SignalNet> {
    const early = this.#signals.mayListenFirst;
    if (early) this.#signals.listenToNew(onSignal);
    return Promise.resolve({
      flush: async () => {
        if (early) await handOver();
      },
      close: () => this.#signals.forget(onSignal),
    });
  }

  async endBy(signal: SignalName): Promise<void> {
    const libc = LibcSignals.open();
    if (!libc) return;
    libc.setDefault(SIGNAL_NUMBER[signal]);
    try {
      Deno.kill(Deno.pid, signal as Deno.Signal);
    } catch {
      // A filter on calls refuses it.
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, ENDED_WITHIN_MS));
  }

  async start(command: CommandLine, onSignal: OnSignal): Promise<Child> {
    const start = (spawn: (command: CommandLine) => Child) =>
      this.#signals.start(onSignal, () => spawn(command));
    try {
      return start((command) => new DenoChild(spawn(command)));
    } catch (thrown) {
      if (mayBeForTheFolder(thrown) && !canEnterOwnFolder()) {
        return await this.#startInPlace(command, start);
      }
      throw asFault(thrown, "exec", command.program);
    }
  }

  /** In our working folder, although the run-time cannot change into that. */
  async #startInPlace(
    command: CommandLine,
    start: (spawn: (command: CommandLine) => Child) => Child,
  ): Promise<Child> {
    // Loaded only here: hardly anybody needs it.
    const { spawnInPlace } = await import("./linux/libc_spawn.ts");
    try {
      return start((command) => spawnInPlace(command) ?? refuseFolder(command));
    } catch (thrown) {
      throw asFault(thrown, "exec", command.program);
    }
  }

  async carriersOf(text: string): Promise<readonly number[]> {
    return Deno.build.os === "linux" ? await processesWith(text) : [];
  }

  signalProcess(pid: number, name: SignalName): Promise<void> {
    try {
      Deno.kill(pid, name as Deno.Signal);
    } catch {
      // It has ended, or is another user's.
    }
    return Promise.resolve();
  }

  parentPid(): Promise<number> {
    return Promise.resolve(Deno.ppid);
  }

  isFound(program: string): Promise<boolean> {
    return Promise.resolve(Deno.build.os === "windows" || stands(program));
  }

  startDetached(
    { program, args, env }: CommandLine,
    { out, err }: { readonly out: string; readonly err: string },
  ): Promise<Child> {
    try {
      // The run-time opens no files for a command: a shell does, and becomes it.
      const script = 'out=$1 err=$2; shift 2; exec "$@" </dev/null >>"$out" 2>>"$err"';
      const child = new Deno.Command("sh", {
        args: ["-c", script, "sh", out, err, program, ...args],
        env: { ...env },
        stdin: "null",
        stdout: "null",
        stderr: "null",
        detached: true,
      }).spawn();
      child.unref();
      return Promise.resolve({
        pid: child.pid,
        ended: child.status.then(({ code }) => ({ code })),
        signal: (name) => this.signalProcess(child.pid, name),
      });
    } catch (thrown) {
      return Promise.reject(asFault(thrown, "exec", program));
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

/** As execvp(3) looks: a name with a slash is a path, any other is looked for in each folder of PATH. */
function stands(program: string): boolean {
  if (program.includes("/")) return isThere(program);
  const path = Deno.env.get("PATH");
  if (path === undefined) return true;
  return path.split(":").some((folder) => isThere(`${folder || "."}/${program}`));
}

/** What may not be looked at may be there. */
function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (thrown) {
    return !(thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory);
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

/** The run-time changes into the working folder, by its name, for each program that it starts. */
function mayBeForTheFolder(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.PermissionDenied;
}

/** Not if it has been removed, or this user may not enter it. It is tried as the run-time does: it leads to where we are. */
export function canEnterOwnFolder(): boolean {
  try {
    Deno.chdir(Deno.cwd());
    return true;
  } catch {
    return false;
  }
}

function refuseFolder({ program }: CommandLine): never {
  const reason = "the working folder has been removed, or this user may not enter it";
  throw new FileFault("EACCES", "exec", program, reason);
}

/** Where `execvp()` looks for who has no PATH: the run-time would look nowhere. */
const DEFAULT_PATH = ["/bin", "/usr/bin"];

function spawn(command: CommandLine): Deno.ChildProcess {
  const { program } = command;
  const isSought = !program.includes("/") && Deno.build.os !== "windows" && !Deno.env.has("PATH");
  if (!isSought) return spawnFile(program, command);
  let refused: unknown = new Deno.errors.NotFound(`${program}: not in ${DEFAULT_PATH.join(", ")}`);
  for (const folder of DEFAULT_PATH) {
    try {
      return spawnFile(`${folder}/${program}`, command);
    } catch (thrown) {
      if (thrown instanceof Deno.errors.PermissionDenied) refused = thrown;
      else if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
  }
  throw refused;
}

function spawnFile(file: string, command: CommandLine): Deno.ChildProcess {
  return new Deno.Command(file, {
    args: [...command.args],
    env: { ...command.env },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
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

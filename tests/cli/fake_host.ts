/** A host whose terminal is recorded and whose environment is given; the rest is out of bounds, or real. */

import { cli } from "../../lib/cli/cli.ts";
import type { LockService } from "../../lib/lock/service.ts";
import { denoSys } from "../../lib/sys/deno/sys.ts";
import type { Commands, Host } from "../../lib/sys/sys.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface FakeSetup {
  readonly env?: Readonly<Record<string, string>>;
  readonly workingFolder?: string | null;
  /** Of the terminal that is standard output; without it that is none. */
  readonly columns?: number;
  /** Parts of the host to use as they are; those not named here must not be touched. */
  readonly parts?: Partial<Host>;
  /** The lock that is meant, whatever the line names; without it that is a folder. */
  readonly lock?: LockService;
}

/** Any use of it is a failure: a wrong command line must be found before anything is done. */
function outOfBounds<T extends object>(name: string): T {
  return new Proxy({} as T, {
    get: (_, property) => {
      throw new Error(`${name}.${String(property)} was used`);
    },
  });
}

/** Runs a command line in this process. */
export async function say(args: readonly string[], setup: FakeSetup = {}): Promise<Said> {
  let out = "";
  let err = "";
  const { env = {}, workingFolder = "/work folder" } = setup;
  const host: Host = {
    files: outOfBounds("files"),
    random: outOfBounds("random"),
    processes: outOfBounds("processes"),
    commands: outOfBounds("commands"),
    mounts: outOfBounds("mounts"),
    diagnosis: outOfBounds("diagnosis"),
    documents: outOfBounds("documents"),
    clock: denoSys().clock,
    terminal: {
      out: (text) => Promise.resolve(void (out += text)),
      err: (text) => Promise.resolve(void (err += text)),
      errForPrograms: (text) => Promise.resolve(void (err += text)),
      errColumns: () => Promise.resolve(null),
      outColumns: () => Promise.resolve(setup.columns ?? null),
    },
    environment: {
      get: (name) => env[name],
      workingFolder,
      os: "linux",
      runtimeVersion: "9.8.7",
    },
    ...setup.parts,
  };
  const { lock } = setup;
  const code = await cli(args, host, ...(lock ? [() => Promise.resolve(lock)] as const : []));
  return { code, out, err };
}

/** Starts no command, and catches no signal: those that reach this process are for who tests. */
export function deafCommands(): Commands {
  const refuse = () => Promise.reject(new Error("a command was to be started"));
  const net = { flush: () => Promise.resolve(), close: () => {} };
  return {
    catchSignals: () => Promise.resolve(net),
    endBy: refuse,
    start: refuse,
    parentPid: () => Promise.resolve(1),
    isFound: () => Promise.resolve(true),
    startDetached: refuse,
    ownProgram: refuse,
    terminalSignalsCommand: refuse,
    carriersOf: () => Promise.resolve([]),
    signalProcess: refuse,
  };
}

/** As `say()`, on a lock in memory: nothing but the terminal and the clock is touched. */
export async function sayOn(
  lock: LockService,
  args: readonly string[],
  parts: Partial<Host> = {},
): Promise<Said> {
  return await say(args, { lock, parts: { commands: deafCommands(), ...parts } });
}

/**
 * As `say()`, on this machine's real files and processes.
 * @param instead parts of the host to use in place of the real ones
 */
export async function sayFor(
  folder: string,
  args: readonly string[],
  instead: Partial<Host> = {},
): Promise<Said> {
  const { files, random, processes, mounts, documents } = denoSys();
  return await say(args, {
    workingFolder: folder,
    parts: { files, random, processes, commands: deafCommands(), mounts, documents, ...instead },
  });
}

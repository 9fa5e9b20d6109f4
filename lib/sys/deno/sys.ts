/** The real machine. */

import { ENVIRONMENT, FileFault } from "../faults.ts";
import { DenoCommands } from "./commands.ts";
import { DenoFiles } from "./files/files.ts";
import { DenoMounts, LocalDisks } from "./files/mounts.ts";
import { DenoProcesses } from "./processes.ts";
import type { Clock, Diagnosis, Documents, Environment, Host, Random, Terminal } from "../sys.ts";
import { asFault } from "./os_faults.ts";

/** Timers count in 31 bits of milliseconds; a longer wait is made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const TOKEN_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
/** 36^24 is more than 2^124: never drawn twice. */
const TOKEN_LENGTH = 24;

export function denoSys(): Host {
  const disks = new LocalDisks();
  return {
    files: new DenoFiles(disks),
    clock: denoClock,
    random: denoRandom,
    processes: new DenoProcesses(),
    commands: new DenoCommands(),
    terminal: new DenoTerminal(),
    documents,
    mounts: new DenoMounts(disks),
    environment: denoEnvironment(),
    diagnosis,
  };
}

// What `run` does not need is loaded when it is first called, so that `run` does not start later for it.
const documentsHere = async () => (await import("./documents.ts")).denoDocuments;
const diagnosisHere = async () => (await import("./diagnosis.ts")).denoDiagnosis;

const documents: Documents = {
  read: async (path, onPiece) => await (await documentsHere()).read(path, onPiece),
  copyFrom: async (path, fromByte, to) =>
    await (await documentsHere()).copyFrom(path, fromByte, to),
  readInput: async (onPiece) => await (await documentsHere()).readInput(onPiece),
  isSame: async (path, other) => await (await documentsHere()).isSame(path, other),
  write: async (path, text) => await (await documentsHere()).write(path, text),
};

const diagnosis: Diagnosis = {
  startCopy: async (command) => await (await diagnosisHere()).startCopy(command),
  orders: async function* () {
    yield* (await diagnosisHere()).orders();
  },
  catchSignals: async (onSignal) => await (await diagnosisHere()).catchSignals(onSignal),
  realPath: async (path) => await (await diagnosisHere()).realPath(path),
  mounted: async (folder) => await (await diagnosisHere()).mounted(folder),
  space: async (folder) => await (await diagnosisHere()).space(folder),
  inotifyLimit: async () => await (await diagnosisHere()).inotifyLimit(),
  hasSystemd: async () => await (await diagnosisHere()).hasSystemd(),
  gitIgnores: async (folder, paths) => await (await diagnosisHere()).gitIgnores(folder, paths),
};

const denoClock: Clock = {
  monotonicMs: () => Promise.resolve(performance.now()),
  wallMs: () => Promise.resolve(Date.now()),
  moment: () => Promise.resolve({ monotonicMs: performance.now(), wallMs: Date.now() }),
  async sleep(ms, wake) {
    const endMs = performance.now() + ms;
    do {
      await sleepOnce(Math.min(endMs - performance.now(), LONGEST_TIMER_MS), wake);
    } while (performance.now() < endMs && !wake?.aborted);
  },
};

function sleepOnce(ms: number, wake?: AbortSignal): Promise<void> {
  if (wake?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      wake?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(ms, 0));
    wake?.addEventListener("abort", done);
  });
}

const denoRandom: Random = {
  token() {
    const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_LENGTH));
    return Promise.resolve(
      Array.from(bytes, (byte) => TOKEN_CHARACTERS[byte % TOKEN_CHARACTERS.length]).join(""),
    );
  },
  fraction: () => Promise.resolve(Math.random()),
};

function denoEnvironment(): Environment {
  const { os } = Deno.build;
  return {
    get: getVariable,
    workingFolder: workingFolder(),
    os: os === "linux" || os === "darwin" || os === "windows" ? os : "other",
    runtimeVersion: Deno.version.deno,
  };
}

/** To take one that is not UTF-8 for none would be to use another lock than the one that was meant. */
function getVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    throw new FileFault("EILSEQ", ENVIRONMENT, name, "it is not UTF-8");
  }
}

/** A shell's own spelling is kept where it is right: people know their folder by it. */
function workingFolder(): string | null {
  try {
    return Deno.cwd();
  } catch {
    return null;
  }
}

// Standard output and standard error of a real process.

type Stream = typeof Deno.stdout;

export class DenoTerminal implements Terminal {
  async out(text: string): Promise<void> {
    await writeOrFail(Deno.stdout, "standard output", text);
  }

  async errForPrograms(text: string): Promise<void> {
    await writeOrFail(Deno.stderr, "standard error", text);
  }

  async err(text: string): Promise<void> {
    try {
      await write(Deno.stderr, text);
    } catch {
      // A terminal that hung up, a log on a full disk: nobody is left to be told.
    }
  }

  errColumns(): Promise<number | null> {
    return Promise.resolve(columnsOf(Deno.stderr));
  }

  outColumns(): Promise<number | null> {
    return Promise.resolve(columnsOf(Deno.stdout));
  }
}

async function writeOrFail(stream: Stream, name: string, text: string): Promise<void> {
  try {
    await write(stream, text);
  } catch (thrown) {
    const fault = asFault(thrown, "write", name);
    if (fault.code !== "EPIPE") throw fault;
  }
}

async function write(stream: Stream, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += await stream.write(bytes.subarray(written));
  }
}

/** For a terminal that does not tell its size, as some that programs make do not. */
const COLUMNS_UNTOLD = 80;

function columnsOf(stream: Stream): number | null {
  try {
    // A dumb terminal cannot rewrite a line.
    if (Deno.env.get("TERM") === "dumb") return null;
    return stream.isTerminal() ? Deno.consoleSize().columns || COLUMNS_UNTOLD : null;
  } catch {
    return null;
  }
}

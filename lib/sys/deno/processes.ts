/** Our own identity, and which processes live, on a real machine. */

import {
  bootId,
  emptyPidNamespace,
  ENDED_STATES,
  inAnyEnvironment,
  livingThreadStates,
  pidNamespace,
  readProcStat,
  timeNamespace,
} from "./linux/proc.ts";
import type { Identity, Processes, ProcessState } from "../sys.ts";

/** By a signal. A `t` is a tracer's: it comes and goes under `strace`, and CONT is not what ends it. */
const STOPPED_STATE = "T";

/** Of the process, and not of one use of it: a program may open the same lock more than once. */
const takings = new Set<string>();

export class DenoProcesses implements Processes {
  readonly takings = takings;
  #self: Promise<Identity> | null = null;
  readonly #userNames = new Map<number, Promise<string | null>>();

  self(): Promise<Identity> {
    this.#self ??= readSelf();
    return this.#self;
  }

  async look(pid: number): Promise<ProcessState> {
    if (Deno.build.os === "linux") return await lookInProc(pid);
    if (Deno.build.os === "windows") return { state: "unknown" };
    return await lookByPs(pid);
  }

  async hasEmptied(
    pidNamespace: string,
    since: string | null,
  ): Promise<"yes" | "no" | "unknown"> {
    return Deno.build.os === "linux" ? await emptyPidNamespace(pidNamespace, since) : "unknown";
  }

  async inEnvironment(text: string, since: string | null): Promise<"yes" | "no" | "unknown"> {
    return Deno.build.os === "linux" ? await inAnyEnvironment(text, since) : "unknown";
  }

  userName(uid: number): Promise<string | null> {
    let name = this.#userNames.get(uid);
    if (name === undefined) this.#userNames.set(uid, name = readUserName(uid));
    return name;
  }
}

/** Users of a directory service are not in there, and those of macOS neither. */
async function readUserName(uid: number): Promise<string | null> {
  try {
    const users = await Deno.readTextFile("/etc/passwd");
    return users.split("\n").map((line) => line.split(":")).find(([, , id]) => id === String(uid))
      ?.[0] || null;
  } catch {
    return null;
  }
}

async function readSelf(): Promise<Identity> {
  const [boot, start] = await Promise.all([readBootId(), readOwnStart()]);
  return {
    pid: Deno.pid,
    processStart: start,
    machine: {
      host: Deno.hostname(),
      bootId: boot,
      pidNamespace: readNamespace(),
      timeNamespace: timeNamespace(),
    },
  };
}

async function readBootId(): Promise<string | null> {
  if (Deno.build.os === "darwin") return await outputOf("sysctl", ["-n", "kern.bootsessionuuid"]);
  return await bootId();
}

/** macOS has one pid namespace only. */
function readNamespace(): string | null {
  return Deno.build.os === "darwin" ? "one" : pidNamespace();
}

async function readOwnStart(): Promise<string | null> {
  try {
    if (Deno.build.os === "darwin") return await startByPs(Deno.pid);
    return readProcStat("self")?.start ?? null;
  } catch {
    return null;
  }
}

async function lookInProc(pid: number): Promise<ProcessState> {
  try {
    const stat = readProcStat(pid);
    if (!stat) return await isProcMounted() ? { state: "gone" } : { state: "unknown" };
    const states = ENDED_STATES.has(stat.state) ? livingThreadStates(pid) : [stat.state];
    if (states.length === 0) return { state: "gone" };
    return { state: "alive", start: stat.start, stopped: states.includes(STOPPED_STATE) };
  } catch {
    // Mounted so that only one's own processes show: it exists, and may not be asked.
    return { state: "alive", start: null, stopped: false };
  }
}

/**
 * Without a `/proc`, or with one that hides other users' processes (`hidepid`), a missing entry is no
 * evidence of death.
 */
async function isProcMounted(): Promise<boolean> {
  try {
    return (await Deno.stat("/proc/1/stat")).isFile;
  } catch {
    return false;
  }
}

async function startByPs(pid: number): Promise<string | null> {
  return await outputOf("ps", ["-o", "lstart=", "-p", String(pid)]);
}

/** macOS and the BSDs have no `/proc`; ps tells the same. */
async function lookByPs(pid: number): Promise<ProcessState> {
  const line = await outputOf("ps", ["-o", "state=,lstart=", "-p", String(pid)]);
  if (line === null) return { state: "unknown" };
  if (line === "") return { state: "gone" };
  const [state, ...start] = line.split(/\s+/);
  if (state!.startsWith("Z")) return { state: "gone" };
  return {
    state: "alive",
    start: start.join(" ") || null,
    stopped: state!.startsWith(STOPPED_STATE),
  };
}

/** What a system program prints, trimmed, with single spaces; null if it cannot be asked. */
async function outputOf(program: string, args: string[]): Promise<string | null> {
  try {
    const { stdout } = await new Deno.Command(program, {
      args,
      // It works from anywhere; our working folder may be one that nobody can change into.
      cwd: "/",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdin: "null",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout).trim().replace(/\s+/g, " ");
  } catch {
    return null;
  }
}

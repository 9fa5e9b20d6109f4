/**
 * What Linux tells of processes under `/proc`. Elsewhere nothing of it is there, and all is unknown.
 *
 * The kernel answers from memory and never hangs, so most is read on the thread, at a tenth of the cost. Not
 * so a process's environment: reading it can wait for that process.
 */

/** What stands under that name on another system is not the kernel's word. */
export const HAS_PROC = Deno.build.os === "linux";

/** Fields of `/proc/<pid>/stat` after the command name, which may hold spaces and brackets itself. */
export interface ProcStat {
  readonly state: string;
  readonly processGroup: number;
  /** A thread of the kernel itself: it never runs anybody's command. */
  readonly isKernelThread: boolean;
  /** 0 without a terminal. */
  readonly terminal: number;
  /** The process group in the terminal's foreground. */
  readonly foregroundGroup: number;
  /** Clock ticks since the machine started. */
  readonly start: string;
}

/** A zombie has ended; only its parent has not asked yet. */
export const ENDED_STATES: ReadonlySet<string> = new Set(["Z", "X", "x"]);

/** From the kernel's `include/linux/sched.h`. */
const PF_KTHREAD = 0x00200000;

/** @param text content of `/proc/<pid>/stat`; see proc(5) */
export function parseProcStat(text: string): ProcStat | null {
  const fields = text.slice(text.lastIndexOf(")") + 2).trim().split(" ");
  // Field 3 of proc(5) is our first.
  if (fields.length < 20) return null;
  return {
    state: fields[0]!,
    processGroup: Number(fields[2]),
    isKernelThread: (Number(fields[6]) & PF_KTHREAD) !== 0,
    terminal: Number(fields[4]),
    foregroundGroup: Number(fields[5]),
    start: fields[19]!,
  };
}

/** @return null if there is no such process; throws what reading it throws otherwise */
export function readProcStat(pid: number | "self"): ProcStat | null {
  return HAS_PROC ? readStat(`/proc/${pid}/stat`) : null;
}

/**
 * The state of those threads of a process that have not ended. Its first thread may end before the others: the
 * process is then shown as a zombie, and its work goes on.
 */
export function livingThreadStates(pid: number): string[] {
  const states: string[] = [];
  for (const name of threadsOf(pid)) {
    const stat = readStat(`/proc/${pid}/task/${name}/stat`);
    if (stat && !ENDED_STATES.has(stat.state)) states.push(stat.state);
  }
  return states;
}

function threadsOf(pid: number): string[] {
  try {
    return Array.from(Deno.readDirSync(`/proc/${pid}/task`), ({ name }) => name);
  } catch (thrown) {
    if (isNoSuchProcess(thrown)) return [];
    throw thrown;
  }
}

function readStat(path: string): ProcStat | null {
  try {
    return parseProcStat(Deno.readTextFileSync(path));
  } catch (thrown) {
    if (isNoSuchProcess(thrown)) return null;
    throw thrown;
  }
}

/**
 * ENOENT, or ESRCH: it ended between opening and reading, or is a zombie or a thread of the kernel's own, which
 * have no environment. For ESRCH the run-time has neither a class nor a code.
 */
export function isNoSuchProcess(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.NotFound ||
    /\(os error 3\)/.test(String((thrown as Error)?.message));
}

/** @param text content of `/proc/<pid>/status`; gives the numbers of the signals that it ignores */
export function parseIgnoredSignals(text: string): Set<number> | null {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(text)?.[1];
  if (mask === undefined) return null;
  const bits = BigInt(`0x${mask}`);
  const numbers = Array.from({ length: 64 }, (_, index) => index + 1);
  return new Set(numbers.filter((number) => (bits >> BigInt(number - 1)) & 1n));
}

/** The signals that we were started to ignore; null where that cannot be known. */
export function ignoredSignals(): Set<number> | null {
  const text = textOrNull("/proc/self/status");
  return text === null ? null : parseIgnoredSignals(text);
}

/**
 * The boot id; null where there is none. This one is read off the thread, on one that the first file lock will use:
 * where the system gives us no more threads (`pids.max`), the run-time ends here and not with a lock in its hand.
 */
export async function bootId(): Promise<string | null> {
  if (!HAS_PROC) return null;
  try {
    return (await Deno.readTextFile("/proc/sys/kernel/random/boot_id")).trim() || null;
  } catch {
    return null;
  }
}

function textOrNull(path: string): string | null {
  if (!HAS_PROC) return null;
  try {
    return Deno.readTextFileSync(path).trim() || null;
  } catch {
    return null;
  }
}

/**
 * Whether some process was started with `text` in its environment. What another user's process was started
 * with may not be read: then the answer is not known.
 * @param since start of the process that would have started it; older ones cannot be meant
 */
export async function inAnyEnvironment(
  text: string,
  since: string | null,
): Promise<"yes" | "no" | "unknown"> {
  let unread = false;
  try {
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
      const found = await environmentHolds(Number(name), text);
      if (found === "yes") return "yes";
      unread ||= found === "unknown" && mayBeMeant(Number(name), since);
    }
  } catch {
    return "unknown";
  }
  return unread ? "unknown" : "no";
}

/** All processes, ourselves left out, that were seen to be started with `text` in their environment. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  try {
    for await (const { name } of Deno.readDir("/proc")) {
      const pid = Number(name);
      if (!/^\d+$/.test(name) || pid === Deno.pid) continue;
      if (await environmentHolds(pid, text) === "yes") found.push(pid);
    }
  } catch {
    // No `/proc`: then nobody is seen.
  }
  return found;
}

async function environmentHolds(pid: number, text: string): Promise<"yes" | "no" | "unknown"> {
  try {
    const environment = await environmentAt(`/proc/${pid}`);
    if (environment !== "") return environment.includes(text) ? "yes" : "no";
    // Its first thread has ended, and has none any more; the others have.
    for (const thread of threadsOf(pid)) {
      if ((await environmentAt(`/proc/${pid}/task/${thread}`)).includes(text)) return "yes";
    }
    return "no";
  } catch {
    return "unknown";
  }
}

/** @return empty for what has ended */
async function environmentAt(folder: string): Promise<string> {
  try {
    return await Deno.readTextFile(`${folder}/environ`);
  } catch (thrown) {
    if (isNoSuchProcess(thrown)) return "";
    throw thrown;
  }
}

/** Anybody may read when a process started and whether it is the kernel's own. */
function mayBeMeant(pid: number, since: string | null): boolean {
  const stat = readProcStat(pid);
  if (!stat || stat.isKernelThread) return false;
  return since === null || Number(stat.start) >= Number(since);
}

// The namespaces of Linux that decide what process numbers and start times mean.

/** The first pid namespace of every kernel, which sees all processes: `PROC_PID_INIT_INO` in its `proc_ns.h`. */
const INITIAL_PID_NAMESPACE = "pid:[4026531836]";

/**
 * The number of our pid namespace; null where `/proc` shows another's processes, so that its numbers are
 * not ours.
 */
export function pidNamespace(): string | null {
  return linkOrNull("/proc/self") === String(Deno.pid) ? linkOrNull("/proc/self/ns/pid") : null;
}

/** The number of our time namespace, which moves the start times that we read; null where there are none. */
export function timeNamespace(): string | null {
  return linkOrNull("/proc/self/ns/time");
}

function linkOrNull(path: string): string | null {
  if (!HAS_PROC) return null;
  try {
    return Deno.readLinkSync(path);
  } catch {
    return null;
  }
}

/**
 * Whether no process is in a pid namespace any more. Only the first namespace sees all others. A namespace's first
 * process lives as long as any in it, and none can enter after that: so none is missed that comes while we look. And
 * if that one is younger than a process that was in there, the number has been given to a later namespace.
 * @param since start of a process that was in it; younger ones are passed over; null looks at all
 */
export async function emptyPidNamespace(
  namespace: string,
  since: string | null,
): Promise<"yes" | "no" | "unknown"> {
  if (pidNamespace() !== INITIAL_PID_NAMESPACE) return "unknown";
  // Mounted so that other users' processes do not show, `/proc` lacks this one too.
  if (namespaceOf("1") !== INITIAL_PID_NAMESPACE) return "unknown";
  try {
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name) || isYounger(name, since)) continue;
      const found = namespaceOf(name);
      if (found === namespace) return "no";
      if (found === "unknown") return "unknown";
    }
  } catch {
    return "unknown";
  }
  return "yes";
}

function isYounger(pid: string, since: string | null): boolean {
  if (since === null) return false;
  const stat = readProcStat(Number(pid));
  return stat !== null && Number(stat.start) > Number(since);
}

/**
 * As the first namespace sees it. Only who may trace a process is told its namespace; but everybody is told whether it
 * has more numbers than one, and who has just one is in the first.
 * @return null for a process that has ended meanwhile
 */
function namespaceOf(pid: string): string | null {
  try {
    return Deno.readLinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // The kernel refuses what it may not tell, and also what ends while it is asked.
  }
  try {
    return hasOneNumber(Deno.readTextFileSync(`/proc/${pid}/status`))
      ? INITIAL_PID_NAMESPACE
      : "unknown";
  } catch (thrown) {
    return isNoSuchProcess(thrown) ? null : "unknown";
  }
}

/** @param status content of `/proc/<pid>/status`; see proc(5) */
export function hasOneNumber(status: string): boolean {
  return /^NSpid:\s+\d+\s*$/m.test(status);
}

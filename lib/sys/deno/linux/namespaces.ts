/** The namespaces of Linux that decide what process numbers and start times mean. */

import { HAS_PROC, isNoSuchProcess, readProcStat } from "./proc.ts";

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

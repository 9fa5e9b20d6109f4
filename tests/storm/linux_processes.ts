/** What the storm asks Linux about processes that it did not start itself. */

/** A zombie has ended; only its parent has not asked yet. */
const ENDED_STATES = ["Z", "X", "x"];

export interface Found {
  readonly pid: number;
  /** Tells it from a later process of the same number. */
  readonly start: string;
}

async function textOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    // It has ended.
    return "";
  }
}

/** Children of all threads of a process. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
      const text = await textOf(`/proc/${pid}/task/${name}/children`);
      children.push(...text.split(" ").filter((child) => child !== "").map(Number));
    }
  } catch {
    // It has ended.
  }
  return children;
}

async function stateAndStart(pid: number): Promise<{ state: string; start: string } | null> {
  const stat = await textOf(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Fields 3 and 22 of proc(5).
  return fields.length < 20 ? null : { state: fields[0]!, start: fields[19]! };
}

/** A process as it is now; null if it has ended. */
export async function find(pid: number): Promise<Found | null> {
  const now = await stateAndStart(pid);
  return now && !ENDED_STATES.includes(now.state) ? { pid, start: now.start } : null;
}

export async function lives(found: Found): Promise<boolean> {
  return (await find(found.pid))?.start === found.start;
}

/** Whether a process has come to a stop after SIGSTOP, or has ended. */
export async function standsStill(pid: number): Promise<boolean> {
  const now = await stateAndStart(pid);
  return !now || now.state === "T" || ENDED_STATES.includes(now.state);
}

/** Under whose hold of the lock in this folder a process runs; null if it is no such command. */
export async function commandOf(pid: number, dir: string): Promise<string | null> {
  const variables = (await textOf(`/proc/${pid}/environ`)).split("\0");
  if (!variables.some((one) => one.startsWith(`LOCK_FOLDER_HELD=${dir}/`))) return null;
  return variables.find((one) => one.startsWith("LOCK_FOLDER_SLUG="))?.split("=")[1] ?? null;
}

/** The name of the program that a process runs. */
export async function programOf(pid: number): Promise<string> {
  return (await textOf(`/proc/${pid}/comm`)).trim();
}

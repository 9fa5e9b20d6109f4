/** Processes on Linux: starting them, and what the system tells of those that run. */

/** Starts `$1` of the same at once and waits for them; the rest of the arguments is the command. */
const START_ALL = `
count=$1; shift
while [ $count -gt 0 ]; do "$@" & count=$((count - 1)); done
wait
`;

/**
 * A command that runs another, many times at once, and ends when all have ended.
 *
 * @param count how many times
 * @param command program and arguments
 * @return program and arguments
 */
export function allAtOnce(count: number, command: readonly string[]): string[] {
  return ["sh", "-c", START_ALL, "sh", String(count), ...command];
}

/**
 * Starts a command without input and output.
 *
 * @param command program and arguments
 * @param env variables besides those that are inherited
 * @return the process
 */
export function start(
  [program, ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Deno.ChildProcess {
  return new Deno.Command(program!, {
    args,
    // Time stamps are numbers with a point, whatever the language here.
    env: { ...env, LC_ALL: "C" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

/** Time for everybody to start up, on a machine that is slow at it. */
const SETTLE_LIMIT_MS = 60_000;

/** Of the kernel's interface: `/proc/<pid>/stat` counts in these on every Linux that Deno runs on. */
const CLOCK_TICKS_A_SECOND = 100;

/**
 * A process's children, their children, and so on.
 *
 * @param pid where to begin; not part of the result
 * @return process numbers
 */
export async function descendantsOf(pid: number): Promise<number[]> {
  const children = (await textOrNothing(`/proc/${pid}/task/${pid}/children`))
    .split(" ").filter((child) => child !== "").map(Number);
  const below = await Promise.all(children.map(descendantsOf));
  return [...children, ...below.flat()];
}

/**
 * What processes have used of the processors so far, their ended children not counted.
 *
 * @param pids those that have ended count nothing
 * @return seconds
 */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const ticks = await Promise.all(pids.map(async (pid) => {
    const stat = await textOrNothing(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Fields 14 and 15 of proc(5), in user and in kernel mode; field 3 is our first.
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }));
  return ticks.reduce((sum, one) => sum + one, 0) / CLOCK_TICKS_A_SECOND;
}

/**
 * The memory of processes, pages that several share counted in parts.
 *
 * @param pids those that have ended count nothing
 * @return bytes
 */
export async function pssBytes(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(pids.map(async (pid) => {
    const rollup = await textOrNothing(`/proc/${pid}/smaps_rollup`);
    return 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  }));
  return sizes.reduce((sum, one) => sum + one, 0);
}

/**
 * Waits until what runs below a process has come to rest: it starts no more processes and uses next
 * to no processor time; or for a minute, at rest or not.
 *
 * @param pid the process
 */
export async function settled(pid: number): Promise<void> {
  const untilMs = performance.now() + SETTLE_LIMIT_MS;
  let before = { count: -1, seconds: 0 };
  while (performance.now() < untilMs) {
    const pids = await descendantsOf(pid);
    const now = { count: pids.length, seconds: await cpuSeconds(pids) };
    // A tick each second from a hundred processes is rest; starting up one of them takes five.
    if (now.count === before.count && now.seconds - before.seconds < 0.03) return;
    before = now;
    await pause(1000);
  }
}

/**
 * Does nothing for a while.
 *
 * @param ms how long
 */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function textOrNothing(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    // It has ended.
    return "";
  }
}

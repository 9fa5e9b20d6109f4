/** What a waiter costs while nothing happens: processor time and memory. */
import { flockLock, type Lock, ourLock } from "./locks.ts";
import {
  allAtOnce,
  cpuSeconds,
  descendantsOf,
  pause,
  pssBytes,
  settled,
  start,
} from "./processes.ts";
import { ourProgram } from "./programs.ts";
import { type Section, showShare } from "./table.ts";

const QUEUES = [1, 20, 100];
/** For so long they are watched. */
export const WATCHED_SECONDS = 30;
/** Ours get ready for their hold one after the other, a hundred of them in five seconds: that is no waiting. */
const READY_MS = 6000;
const BYTES_A_MEGABYTE = 1e6;

/**
 * Measures waiters while the holder goes on holding.
 *
 * @param scratch an empty absolute folder
 * @return the result
 */
export async function measureIdle(scratch: string): Promise<Section> {
  const rows: string[][] = [];
  for (const lock of [flockLock(scratch), ourLock(await ourProgram(), scratch)]) {
    for (const waiters of QUEUES) {
      const { cpu, pss } = await watchWaiters(lock, waiters);
      rows.push([
        `${lock.name}, ${waiters} ${waiters === 1 ? "waiter" : "waiters"}`,
        `${(1000 * cpu / waiters).toFixed(1)} ms`,
        showShare(cpu / WATCHED_SECONDS),
        `${(pss / waiters / BYTES_A_MEGABYTE).toFixed(1)} MB`,
      ]);
    }
  }
  return {
    title: "Waiting while nothing happens",
    about:
      `${WATCHED_SECONDS} s during one hold, after all have started up and got ready. Memory is PSS: pages ` +
      "that several share are counted in parts. The kernel counts processor time in steps of 10 ms.",
    columns: ["waiters", "CPU a waiter", "of one core, together", "memory a waiter"],
    rows,
    remarks: [],
  };
}

/**
 * Watches waiters while all that can be held is held.
 *
 * @param lock the lock
 * @param waiters how many
 * @param holders how many hold it at once
 * @return seconds of processor time and bytes of memory, of all waiters together
 */
export async function watchWaiters(
  lock: Lock,
  waiters: number,
  holders = 1,
): Promise<{ cpu: number; pss: number }> {
  const holding = Array.from({ length: holders }, () => start([...lock.prefix, "sleep", "600"]));
  await pause(1000);
  const shell = start(allAtOnce(waiters, [...lock.prefix, "true"]));
  await settled(shell.pid);
  await pause(READY_MS);
  const pids = await descendantsOf(shell.pid);
  if (pids.length < waiters) throw new Error(`${lock.name}: ${pids.length} of ${waiters} wait`);
  const before = await cpuSeconds(pids);
  await pause(1000 * WATCHED_SECONDS);
  const cpu = await cpuSeconds(pids) - before;
  const pss = await pssBytes(pids);
  // The holder first: then each waiter has its turn and ends, and the lock is left free.
  for (const holder of holding) {
    for (const pid of await descendantsOf(holder.pid)) Deno.kill(pid, "SIGTERM");
  }
  await Promise.all([...holding, shell].map(({ status }) => status));
  return { cpu, pss };
}

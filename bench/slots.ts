/** A lock with slots beside one without: what a waiter costs, and how much of all slots is used. */
import { WATCHED_SECONDS, watchWaiters } from "./idle.ts";
import { type Lock, ourLock } from "./locks.ts";
import { allAtOnce, start } from "./processes.ts";
import { ourProgram } from "./programs.ts";
import { parseStamps } from "./statistics.ts";
import { type Section, showRatio, showShare } from "./table.ts";

const WAITERS = 100;
const SLOTS = 8;

/**
 * Measures waiters of one lock, and of eight slots.
 *
 * @param scratch an empty absolute folder
 * @return the result
 */
export async function measureSlotWaiters(scratch: string): Promise<Section> {
  const program = await ourProgram();
  const plain = await watchWaiters(ourLock(program, scratch), WAITERS);
  const slotted = await watchWaiters(withSlots(program, scratch, SLOTS), WAITERS, SLOTS);
  const row = (name: string, cpu: number) => [
    name,
    `${(1000 * cpu / WAITERS).toFixed(1)} ms`,
    showShare(cpu / WATCHED_SECONDS),
    showRatio(cpu / plain.cpu),
  ];
  return {
    title: `${WAITERS} waiters on ${SLOTS} slots`,
    about: `${WATCHED_SECONDS} s while all slots are held, after all have got ready.`,
    columns: ["waiters", "CPU a waiter", "of one core, together", "to one lock"],
    rows: [row("one lock", plain.cpu), row(`${SLOTS} slots`, slotted.cpu)],
    remarks: [],
  };
}

const HERD = { agents: 12, holdSeconds: 1, slots: 3 };

/** `$0` where the stamps go, `$1` seconds. */
const COMMAND = 's=$EPOCHREALTIME; sleep "$1"; echo "$s $EPOCHREALTIME" >> "$0"';

/**
 * Measures how much of three slots twelve agents use.
 *
 * @param scratch an empty absolute folder
 * @return the result
 */
export async function measureSlotUse(scratch: string): Promise<Section> {
  const { agents, holdSeconds, slots } = HERD;
  const stampsPath = `${scratch}/stamps`;
  const lock = withSlots(await ourProgram(), scratch, slots);
  const command = ["bash", "-c", COMMAND, stampsPath, String(holdSeconds)];
  await start(allAtOnce(agents, [...lock.prefix, ...command])).status;
  const stamps = parseStamps(await Deno.readTextFile(stampsPath));
  const heldMs = stamps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const fromMs = Math.min(...stamps.map(({ startMs }) => startMs));
  const toMs = Math.max(...stamps.map(({ endMs }) => endMs));
  return {
    title: `${agents} agents × ${holdSeconds} s on ${slots} slots`,
    about: "From the first command's start to the last one's end, by their own stamps.",
    columns: ["lock", "holds", "in use"],
    rows: [[`${slots} slots`, String(stamps.length), showShare(heldMs / (toMs - fromMs) / slots)]],
    remarks: [],
  };
}

function withSlots(program: string, dir: string, slots: number): Lock {
  const plain = ourLock(program, dir);
  const prefix = plain.prefix.toSpliced(2, 0, "--name", `of-${slots}`, "--slots", String(slots));
  return { ...plain, name: `${plain.name}, ${slots} slots`, prefix };
}

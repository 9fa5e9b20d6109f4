/** How long the lock takes from one command to the next, and how much of the time it is in use. */
import { type Herd, LIMIT_SECONDS, runHerd } from "./herd.ts";
import {
  FLOCK,
  flockLock,
  FLOOR,
  floorLock,
  type Lock,
  mkdirLoop,
  NO_LOCK,
  ourLock,
  ourLockUnwoken,
  OURS,
  properLock,
} from "./locks.ts";
import { compiledPeer, ourProgram, properLockfile } from "./programs.ts";
import { handOffsMs, interleaved, median, p95, shareInUse, type Stamp } from "./statistics.ts";
import { type Section, showMs, showRatio, showShare } from "./table.ts";

const HERDS: readonly Omit<Herd, "settle">[] = [
  { agents: 12, holdMs: 1000 },
  { agents: 12, holdMs: 200 },
  { agents: 60, holdMs: 50 },
  { agents: 200, holdMs: 20 },
];

const ROUNDS = 3;

const NO_PROPER_LOCKFILE = "proper-lockfile left out: npm or Node is missing, or the registry is.";

/** What one lock did with one herd. */
interface Course {
  readonly name: string;
  readonly handOffsMs: number[];
  readonly shares: number[];
}

/**
 * Measures four herds under each lock.
 *
 * @param scratch an empty absolute folder
 * @param report given the result of each herd when it is there
 */
export async function measureHandOffs(
  scratch: string,
  report: (section: Section) => void,
): Promise<void> {
  const proper = await properLockfile();
  const woken = [
    null,
    flockLock(scratch),
    floorLock(await compiledPeer("peer_floor", scratch), scratch),
    ourLock(await ourProgram(), scratch),
    ...(proper ? [properLock(proper, scratch)] : []),
  ];
  const polling = [mkdirLoop(2, scratch), mkdirLoop(15, scratch)];
  for (const { agents, holdMs } of HERDS) {
    const herd = { agents, holdMs, settle: false };
    const { courses, tooSlow } = await compete(woken, herd, ROUNDS, scratch);
    const slow = await compete(polling.filter((lock) => isBearable(lock, herd)), herd, 1, scratch);
    report({
      title: `Hand-off: ${agents} agents × ${holdMs} ms`,
      about: `The first agent alone, the others all at once when it holds. ${ROUNDS} interleaved ` +
        "rounds, the mkdir loops once. Hand-off: from the end of one command to the start of the next.",
      columns: COLUMNS,
      rows: rowsOf([...courses, ...slow.courses]),
      remarks: [
        ...(proper ? [] : [NO_PROPER_LOCKFILE]),
        ...polling.filter((lock) => !isBearable(lock, herd)).map(({ name }) => name)
          .concat(tooSlow, slow.tooSlow)
          .map((name) => `${name}: left out, it takes more than ${LIMIT_SECONDS} s.`),
      ],
    });
  }
}

/** Numbers of waiters between which the hand-off should not change. */
const QUEUES = [10, 100];

/**
 * Measures whether a hand-off takes longer the more are waiting.
 *
 * @param scratch an empty absolute folder
 * @return the result
 */
export async function measureFlatness(scratch: string): Promise<Section> {
  const locks = [null, flockLock(scratch), ourLock(await ourProgram(), scratch)];
  const rows: string[][] = [];
  const mediansByName = new Map<string, number[]>();
  for (const waiters of QUEUES) {
    const herd = { agents: waiters + 1, holdMs: 50, settle: true };
    const { courses } = await compete(locks, herd, ROUNDS, scratch);
    const flockMs = medianOf(courses, FLOCK);
    for (const { name, handOffsMs } of courses) {
      // In the first ten hand-offs of each, nearly all others still wait.
      const ms = median(handOffsMs);
      mediansByName.set(name, [...mediansByName.get(name) ?? [], ms]);
      const cells = [showMs(ms), showMs(p95(handOffsMs)), showRatio(ms / flockMs)];
      rows.push([`${name}, ${waiters} waiters`, ...cells]);
    }
  }
  const [few, many] = mediansByName.get(OURS)!;
  return {
    title: "Hand-off by number of waiters",
    about: `Holds of 50 ms; the first agent lets go when all others wait. ${ROUNDS} interleaved ` +
      "rounds. The first ten hand-offs of each round count, while nearly all others still wait.",
    columns: ["lock", "hand-off", "p95", "to flock"],
    rows,
    remarks: [`Ours with ${QUEUES[1]} waiters: ${showRatio(many! / few!)} that with ${QUEUES[0]}.`],
  };
}

/**
 * Measures the lock where nothing wakes its waiters.
 *
 * @param scratch an empty absolute folder
 * @return the result
 */
export async function measureUnwoken(scratch: string): Promise<Section> {
  const lock = ourLockUnwoken(await ourProgram(), scratch);
  const herd = { agents: 9, holdMs: 1000, settle: false };
  const { courses } = await compete([lock], herd, ROUNDS, scratch);
  return {
    title: "Wake-ups off: a queue of 8, holds of 1 s, the default `--poll`",
    about:
      `With \`LOCK_FOLDER_NO_WATCH=1\`, as on a network share: the timer alone. ${ROUNDS} rounds.`,
    columns: COLUMNS.slice(0, 4),
    rows: rowsOf(courses).map((cells) => cells.slice(0, 4)),
    remarks: [],
  };
}

const COLUMNS = ["lock", "hand-off", "p95", "in use", "to flock", "to the floor"];

async function compete(
  locks: readonly (Lock | null)[],
  herd: Herd,
  rounds: number,
  scratch: string,
): Promise<{ courses: Course[]; tooSlow: string[] }> {
  const courses = new Map<string, Course>();
  const tooSlow = new Set<string>();
  for (const order of interleaved(locks, rounds)) {
    for (const lock of order) {
      const name = lock?.name ?? NO_LOCK;
      if (tooSlow.has(name)) continue;
      const stamps = await runHerd(lock, herd, scratch);
      if (stamps === null) tooSlow.add(name);
      else note(courses, name, stamps, herd);
    }
  }
  const names = locks.map((lock) => lock?.name ?? NO_LOCK).filter((name) => !tooSlow.has(name));
  return { courses: names.map((name) => courses.get(name)!), tooSlow: [...tooSlow] };
}

function note(courses: Map<string, Course>, name: string, stamps: Stamp[], herd: Herd): void {
  const course = courses.get(name) ?? { name, handOffsMs: [], shares: [] };
  courses.set(name, course);
  const all = handOffsMs(stamps);
  course.handOffsMs.push(...herd.settle ? all.slice(0, QUEUES[0]) : all);
  course.shares.push(shareInUse(stamps));
}

function rowsOf(courses: readonly Course[]): string[][] {
  const flockMs = medianOf(courses, FLOCK);
  const floorMs = medianOf(courses, FLOOR);
  return courses.map(({ name, handOffsMs, shares }) => [
    name,
    showMs(median(handOffsMs)),
    showMs(p95(handOffsMs)),
    showShare(median(shares)),
    showRatio(median(handOffsMs) / flockMs),
    showRatio(median(handOffsMs) / floorMs),
  ]);
}

function medianOf(courses: readonly Course[], wanted: string): number {
  const course = courses.find(({ name }) => name === wanted);
  return course ? median(course.handOffsMs) : NaN;
}

function isBearable({ pollMs }: Lock, { agents }: Herd): boolean {
  return pollMs * (agents - 1) / 1000 < LIMIT_SECONDS;
}

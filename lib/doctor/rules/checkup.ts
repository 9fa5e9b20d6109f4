/** From all findings to the list of checks that `doctor` shows. */

import {
  fail,
  type FileLocksFound,
  type Findings,
  type Found,
  type Judgement,
  type Status,
  type Untried,
  warn,
  type WritingFound,
} from "./judgement.ts";
import { isFullCode } from "../../sys/faults.ts";
import {
  judgeCleaner,
  judgeFileSystem,
  judgeGitReach,
  judgeInotify,
  judgeInTheWay,
  judgeOtherLock,
  judgeSpace,
} from "./place_rules.ts";
import {
  judgeAppends,
  judgeBirthtime,
  judgeClock,
  judgeFileLocks,
  judgeFreedByDeath,
  judgeHandOver,
  judgeMtime,
  judgeMtimeSeen,
  judgePeer,
  judgeRace,
  judgeWatch,
  judgeWriting,
} from "./trial_rules.ts";

export interface Check extends Judgement {
  /** The same in every run, for scripts and people. */
  readonly name: string;
  /** What the judgement rests on. */
  readonly measured: object;
}

/** One row a check, in the order in which they are shown. */
const ROWS: readonly ((findings: Findings) => Check | null)[] = [
  (f) => row("writable", f.writing, judgeWriting),
  (f) => row("file system", f.fileSystem, (found) => judgeFileSystem(found, hasPeer(f))),
  (f) => row("free space", f.space, (found) => judgeSpace(found, isRefusedSpace(f.writing))),
  (f) => row("in the way", f.inTheWay, judgeInTheWay),
  (f) => row("mkdir race", f.race, (found) => judgeRace(found, "here")),
  (f) => row("hand-over", f.handOver, (found) => judgeHandOver(found, "here")),
  (f) => row("mtime", f.times, judgeMtime),
  (f) => row("birthtime", f.times, judgeBirthtime),
  (f) => row("clock", f.clock, judgeClock),
  (f) => row("file locks", f.fileLocks, (found) => judgeFileLocks(found, "here")),
  (f) => row("freed by death", excluding(f.fileLocks), (found) => judgeFreedByDeath(found, "here")),
  (f) => row("watch", f.watch, (found) => judgeWatch(found, "here")),
  (f) => row("appends", f.appends, (found) => judgeAppends(found, "here")),
  (f) => row("inotify", f.inotify, judgeInotify),
  (f) => row("temp cleaner", f.cleaner, judgeCleaner),
  (f) => row("git reach", f.gitReach, judgeGitReach),
  (f) => row("other lock", f.otherLock, judgeOtherLock),
  (f) => row("peer", f.peer, judgePeer),
  (f) => row("peer: file system", f.peerFileSystem, (found) => judgeFileSystem(found, true)),
  (f) => row("peer: mkdir race", f.raceAcross, (found) => judgeRace(found, "across")),
  (f) => row("peer: hand-over", f.handOverAcross, (found) => judgeHandOver(found, "across")),
  (f) => row("peer: mtime", f.mtimeAcross, judgeMtimeSeen),
  (f) => row("peer: file locks", f.fileLocksAcross, (found) => judgeFileLocks(found, "across")),
  (f) =>
    row(
      "peer: freed by death",
      excluding(f.fileLocksAcross),
      (found) => judgeFreedByDeath(found, "across"),
    ),
  (f) => row("peer: watch", f.watchAcross, (found) => judgeWatch(found, "across")),
  (f) => row("peer: appends", f.appendsAcross, (found) => judgeAppends(found, "across")),
  ({ leftBehind }) =>
    leftBehind === undefined ? null : {
      name: "cleaned up",
      ...warn(`${leftBehind} could not be removed; remove it by hand`),
      measured: { leftBehind },
    },
];

function hasPeer({ peer }: Findings): boolean {
  return peer !== undefined;
}

/** The trial of file locks, where they do exclude. */
function excluding(found: Found<FileLocksFound> | undefined): FileLocksFound | undefined {
  if (found === undefined || isUntried(found)) return undefined;
  return found.whileHeld === "held" ? found : undefined;
}

function isRefusedSpace({ problem }: WritingFound): boolean {
  return problem !== null && isFullCode(problem.code);
}

/** Whether nothing more can be written there, so that all other trials would tell of that alone. */
export function isFull({ writing, space }: Findings): boolean {
  if (isRefusedSpace(writing)) return true;
  return space !== undefined && !isUntried(space) && space.freeBytes <= 0;
}

function row<T extends object>(
  name: string,
  found: Found<T> | undefined,
  judge: (found: T) => Judgement,
): Check | null {
  if (found === undefined) return null;
  const judgement = isUntried(found) ? warn(`could not be tried: ${found.untried}`) : judge(found);
  return { name, ...judgement, measured: found };
}

export function isUntried(found: object): found is Untried {
  return "untried" in found;
}

/** Without these nothing speaks for a folder. */
const INDISPENSABLE: ReadonlySet<string> = new Set(["mkdir race", "peer", "peer: mkdir race"]);

export function checksOf(findings: Findings): Check[] {
  return ROWS.map((check) => check(findings)).filter((check) => check !== null).map((check) =>
    isUntried(check.measured) && INDISPENSABLE.has(check.name)
      ? { ...check, ...fail(check.text) }
      : check
  );
}

export interface Outcome {
  /** No check failed. */
  readonly trusted: boolean;
  readonly counts: Readonly<Record<Status, number>>;
}

export function outcomeOf(checks: readonly Check[]): Outcome {
  const counts = { PASS: 0, WARN: 0, FAIL: 0 };
  for (const { status } of checks) counts[status]++;
  return { trusted: counts.FAIL === 0, counts };
}

/** From what a trial measured to PASS, WARN or FAIL. Thresholds stand beside their reasons. */

import {
  type AppendsFound,
  type ClockFound,
  fail,
  type FileLocksFound,
  type HandOverFound,
  type Judgement,
  type MtimeSeenFound,
  pass,
  type PeerFound,
  type RaceFound,
  type TimesFound,
  warn,
  type WatchFound,
  type WritingFound,
} from "./judgement.ts";
import { countOf } from "../../words/columns.ts";
import { showDuration } from "../../words/durations.ts";

/** Whether a trial ran on one mount, or between two mounts of the same folder. */
export type Reach = "here" | "across";

export function judgeWriting({ problem }: WritingFound): Judgement {
  if (!problem) return pass("a folder, a file and a line were written and removed again");
  const { code, reason, uid, mode } = problem;
  const owner = uid === null || mode === null
    ? ""
    : ` (owner uid ${uid}, mode ${mode.toString(8).padStart(3, "0")})`;
  return fail(`${reason}${owner}; ${adviceFor(code)}`);
}

function adviceFor(code: string): string {
  switch (code) {
    case "ENOENT":
      return "make the folder with mkdir -p, or name another with --dir";
    case "ENOTDIR":
      return "name a folder with --dir";
    case "ENOSPC":
    case "EDQUOT":
      return "nobody can take or record a lock before some space is free, be it for bytes or for files";
    case "ETIMEDOUT":
      return "the share, or what serves it, does not answer; look after that first";
    default:
      return "make it one you can write to, or name another with --dir";
  }
}

export function judgeRace(found: RaceFound, reach: Reach): Judgement {
  const { races, processes, severalWinners, mostWinners, noWinner, otherCodes } = found;
  const place = reach === "across" ? `, half of the ${processes} processes on each mount` : "";
  if (severalWinners > 0) {
    return fail(
      `mkdir let up to ${mostWinners} win in ${severalWinners} of ${races} races${place}: two would hold the lock at once; use another folder`,
    );
  }
  if (otherCodes.length > 0) {
    return fail(`mkdir told losers ${otherCodes.join(", ")} instead of EEXIST${place}`);
  }
  if (noWinner > 0) return fail(`nobody won ${noWinner} of ${races} races${place}`);
  return pass(
    `one winner in each of ${races} races of ${processes} processes${
      place && ", half of them on each mount"
    }`,
  );
}

/** A hand-over is in the order of milliseconds; half a second is felt by every waiter. */
const SLOW_HAND_OVER_MS = 500;

export function judgeHandOver(found: HandOverFound, reach: Reach): Judgement {
  const { handOvers, madeWhileHeld, slowestMs, gaveUpAfterMs, otherCodes } = found;
  const other = reach === "across" ? "the other mount" : "another process";
  if (madeWhileHeld > 0) {
    return fail(`mkdir by ${other} succeeded on a folder that had just been made: two would hold`);
  }
  if (otherCodes.length > 0) return fail(`mkdir after rmdir answered ${otherCodes.join(", ")}`);
  if (gaveUpAfterMs !== null) {
    const text = `mkdir by ${other} still says EEXIST ${showDuration(gaveUpAfterMs)} after rmdir`;
    return reach === "across" ? warn(`${text}: hand-offs take longer than that`) : fail(text);
  }
  if (slowestMs > SLOW_HAND_OVER_MS) {
    return warn(`mkdir by ${other} took up to ${showDuration(slowestMs)} to succeed after rmdir`);
  }
  return pass(
    `EEXIST while it stands, and free again within ${
      showDuration(slowestMs)
    } of rmdir, ${handOvers} times over`,
  );
}

/** FAT keeps even seconds; what is off by more than that was not kept. */
const COARSEST_MS = 2000;
const COARSE_MS = 1000;

export function judgeMtime({ setFailed, offMs, stepMs }: TimesFound): Judgement {
  if (setFailed !== null) {
    return fail(`an mtime cannot be set (${setFailed}): a long hold would look dead to others`);
  }
  if (offMs > COARSEST_MS) {
    return fail(`an mtime that was set came back ${showDuration(offMs)} off: beats would not show`);
  }
  const resolutionMs = resolutionOf({ offMs, stepMs });
  if (resolutionMs >= COARSE_MS) {
    return warn(
      `mtimes are kept in steps of ${
        showDuration(resolutionMs)
      }: it works, and ages are that much less exact`,
    );
  }
  const kept = offMs === 0 ? "kept exactly" : `kept to ${showDuration(offMs)}`;
  const step = stepMs === null ? "" : `; those of new files step by ${showDuration(stepMs)}`;
  return pass(`an mtime that is set is ${kept}${step}`);
}

/** @return in milliseconds, as far as a few samples tell */
export function resolutionOf(
  { offMs, stepMs }: Pick<TimesFound, "offMs" | "stepMs">,
): number {
  if (offMs > COARSE_MS) return COARSEST_MS;
  // All of it is cut off, or next to nothing is.
  if (offMs > COARSE_MS / 2) return COARSE_MS;
  return Math.max(1, offMs, Math.min(stepMs ?? 1, COARSE_MS));
}

export function judgeBirthtime({ keepsBirthtime }: TimesFound): Judgement {
  return keepsBirthtime
    ? pass("kept")
    : pass("none is kept; a lock is told by its mtime and its record alone");
}

/** Clocks that are kept by a time server agree far better than this. */
const CLOCKS_AGREE_MS = 2000;

export function judgeClock({ aheadMs, resolutionMs }: ClockFound): Judgement {
  const offMs = Math.max(0, Math.abs(aheadMs) - resolutionMs);
  if (offMs <= CLOCKS_AGREE_MS) {
    return pass(
      offMs < 1
        ? "the file system's clock is this machine's"
        : `the file system's clock and this machine's differ by ${showDuration(offMs)}`,
    );
  }
  return warn(
    `the file system's clock is ${showDuration(offMs)} ${
      aheadMs > 0 ? "ahead of" : "behind"
    } this machine's: this program goes by the former, peers that go by their own break locks too ${
      aheadMs > 0 ? "late" : "soon"
    }`,
  );
}

export function judgeFileLocks({ whileHeld }: FileLocksFound, reach: Reach): Judgement {
  const where = reach === "across" ? " across the two mounts" : "";
  switch (whileHeld) {
    case "held":
      return pass(`a file lock keeps another process out${where}`);
    case "granted":
      return warn(
        `file locks do not exclude${where}: the line loses its order there; mkdir alone decides`,
      );
    case "unknown":
      return warn(
        `file locks do not work${where}: waiters poll, and a dead holder is found by process or by age`,
      );
  }
}

/** A local kernel frees a dead process's file lock within milliseconds; a server may wait for a lease. */
const SLOW_FREEING_MS = 1000;

/** Only where file locks exclude: elsewhere there is nothing to be freed. */
export function judgeFreedByDeath(found: FileLocksFound, reach: Reach): Judgement {
  const { freedAfterMs, limitMs } = found;
  const where = reach === "across" ? " on the other mount" : "";
  if (freedAfterMs === null) {
    return warn(`a killed process's file lock is not free${where} after ${showDuration(limitMs)}`);
  }
  const text = `a killed process's file lock is free${where} within ${showDuration(freedAfterMs)}`;
  return freedAfterMs > SLOW_FREEING_MS ? warn(text) : pass(text);
}

/** The watch is what makes a hand-over quick: the same as there. */
const SLOW_WATCH_MS = SLOW_HAND_OVER_MS;

export function judgeWatch(found: WatchFound, reach: Reach): Judgement {
  const { refused, removals, seen, slowestMs } = found;
  const polling = "waiters find a free lock by polling, so keep --poll short";
  if (refused !== null) return warn(`no watch can be had (${refused}): ${polling}`);
  const who = reach === "across" ? "the other mount" : "another process";
  if (seen === 0) return warn(`the watch does not see what ${who} removes: ${polling}`);
  if (seen < removals) {
    return warn(`the watch saw ${seen} of ${removals} removals by ${who}: the rest is polled`);
  }
  const text = `removals by ${who} are seen within ${showDuration(slowestMs ?? 0)}`;
  return (slowestMs ?? 0) > SLOW_WATCH_MS ? warn(text) : pass(text);
}

/** Lines that one machine's own processes lose leave nothing of the log to believe. */
export function judgeAppends(found: AppendsFound, reach: Reach): Judgement {
  const { writers, lines, lost, torn, failures } = found;
  const where = reach === "across" ? ", half of them on each mount" : "";
  if (failures.length > 0) return fail(`appending failed: ${failures.join(", ")}`);
  if (lost === 0 && torn === 0) {
    return pass(`${lines} lines by ${countOf(writers, "writer")}${where}: all there, all whole`);
  }
  const text = `of ${lines} log lines by ${
    countOf(writers, "writer")
  }${where}, ${lost} were lost and ${torn} torn`;
  return reach === "across"
    ? warn(`${text}: the lock holds, but the log does not tell all`)
    : fail(`${text}: what the log says cannot be believed`);
}

/** Much longer than a healthy mount needs; a lock folder seen this late is seen late all day. */
const SLOW_PEER_MS = 1000;

export function judgePeer({ seenAfterMs, limitMs }: PeerFound): Judgement {
  if (seenAfterMs === null) {
    return fail(
      `what was made in one is not seen in the other within ${
        showDuration(limitMs)
      }: it is another folder, or a mount that looks too seldom`,
    );
  }
  const text = `the same folder: what is made in one is seen in the other within ${
    showDuration(seenAfterMs)
  }`;
  return seenAfterMs > SLOW_PEER_MS ? warn(text) : pass(text);
}

/** Two heartbeats of the shortest sensible --stale; beats that show later look like silence. */
const SLOW_MTIME_MS = 3000;

export function judgeMtimeSeen({ seenAfterMs, limitMs }: MtimeSeenFound): Judgement {
  if (seenAfterMs === null) {
    return warn(
      `a new mtime is not seen on the other mount within ${
        showDuration(limitMs)
      }: keep --stale at minutes`,
    );
  }
  const text = `a new mtime is seen on the other mount within ${showDuration(seenAfterMs)}`;
  return seenAfterMs > SLOW_MTIME_MS ? warn(`${text}: keep --stale at minutes`) : pass(text);
}

/** The locks that are compared: how a command is put under each of them. */
import type { ProperLockfile } from "./programs.ts";

/** One way to run commands one at a time. */
export interface Lock {
  readonly name: string;
  /** What comes before the command. */
  readonly prefix: readonly string[];
  /**
   * Milliseconds that the last of the waiters at least waits for each one before it, whatever the
   * commands do; 0 if it is woken.
   */
  readonly pollMs: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** `mkdir`, and sleep if it stands: what people write in a hurry. `$0` the folder, `$1` seconds. */
const MKDIR_LOOP = 'p=$1; shift; until mkdir "$0" 2>/dev/null; do sleep "$p"; done; "$@"; ' +
  's=$?; rmdir "$0"; exit $s';

/** Often enough for a short wait, seldom enough for a fleet; its README has no better advice. */
const PROPER_LOCKFILE_RETRY_MS = 100;

/** The name of the lock that all others are measured by. */
export const FLOCK = "flock(1)";

/** The name of what no program of our run-time can be faster than. */
export const FLOOR = "floor: compiled, file lock and mkdir";

/** The name of ours. */
export const OURS = "lock_folder_util run";

/**
 * Our lock.
 *
 * @param program our compiled program
 * @param dir the lock folder
 * @return ours, at its defaults
 */
export function ourLock(program: string, dir: string): Lock {
  const args = ["run", "--slug", "bench", "--dir", dir, "--timeout", "none", "--quiet", "--"];
  return { name: OURS, prefix: [program, ...args], pollMs: 0 };
}

/**
 * Our lock without what wakes waiters: the timer alone.
 *
 * @param program our compiled program
 * @param dir the lock folder
 * @return ours, at its default `--poll`
 */
export function ourLockUnwoken(program: string, dir: string): Lock {
  const env = { LOCK_FOLDER_NO_WATCH: "1" };
  return { ...ourLock(program, dir), name: `${OURS}, no wake-ups`, env };
}

/**
 * The kernel's own lock.
 *
 * @param dir where to keep its file
 * @return flock(1)
 */
export function flockLock(dir: string): Lock {
  return { name: FLOCK, prefix: ["flock", `${dir}/flock`], pollMs: 0 };
}

/**
 * The least that a compiled program of our run-time can do.
 *
 * @param program the compiled `peer_floor.ts`
 * @param dir where to keep its file and its folder
 * @return the floor
 */
export function floorLock(program: string, dir: string): Lock {
  return { name: FLOOR, prefix: [program, `${dir}/floor`, `${dir}/floor.lock`], pollMs: 0 };
}

/**
 * What JavaScript programs use.
 *
 * @param program how to run it
 * @param dir where to keep its folder
 * @return proper-lockfile
 */
export function properLock({ node, script }: ProperLockfile, dir: string): Lock {
  const retryMs = PROPER_LOCKFILE_RETRY_MS;
  const prefix = [node, script, `${dir}/proper`, String(retryMs)];
  return { name: `proper-lockfile, retry ${retryMs} ms`, prefix, pollMs: 0 };
}

/**
 * A loop of mkdir and sleep.
 *
 * @param pollSeconds how long it sleeps
 * @param dir where to make its folder
 * @return the loop
 */
export function mkdirLoop(pollSeconds: number, dir: string): Lock {
  const prefix = ["sh", "-c", MKDIR_LOOP, `${dir}/mkdir-${pollSeconds}.lock`, String(pollSeconds)];
  return { name: `mkdir loop, poll ${pollSeconds} s`, prefix, pollMs: 1000 * pollSeconds };
}

/**
 * No lock: a shell runs the commands one after the other. What this takes from one to the next is what
 * any lock takes at the least, and what the measuring costs.
 */
export const NO_LOCK = "one after another, no lock";

/** Where everything of a lock stands. */

/** The paths of one lock: `<dir>/<name>.lock`, `.log` and `.state/`. All absolute if `dir` is. */
export interface LockPaths {
  /** The lock folder: what `--dir` names. */
  readonly dir: string;
  /** The mutex. Exists = held. Always empty. */
  readonly lock: string;
  /** The file that names the slots of the lock, one in each line. A lock without slots has none. */
  readonly slots: string;
  /** The audit log. */
  readonly log: string;
  /** All that is ours alone; may be deleted at any time. */
  readonly state: string;
  /** The holder record. */
  readonly record: string;
  /** Tickets of waiters. */
  readonly queue: string;
  /** Tickets of those that left the line and may come back. */
  readonly places: string;
  /** Lifelines of waiters and holders. */
  readonly alive: string;
  /** Takers of the right to remove. */
  readonly removing: string;
  /** The last fence number. */
  readonly fence: string;
  /** Jobs that let go of their callers. */
  readonly jobs: string;
  /** What happened when, in milliseconds. */
  readonly journal: string;
  /** What waiters have seen to stand still. */
  readonly seen: string;
}

/**
 * @param dir absolute path of the lock folder
 * @param name name of the lock in it, such as `lock`
 */
export function lockPaths(dir: string, name: string): LockPaths {
  const root = dir.endsWith("/") ? dir.slice(0, -1) : dir;
  const state = `${root}/${name}.state`;
  return {
    dir,
    lock: `${root}/${name}.lock`,
    slots: `${root}/${name}.slots`,
    log: `${root}/${name}.log`,
    state,
    record: `${state}/holder.json`,
    queue: `${state}/queue`,
    places: `${state}/places`,
    alive: `${state}/alive`,
    removing: `${state}/removing`,
    fence: `${state}/fence`,
    jobs: `${state}/jobs`,
    journal: `${state}/journal`,
    seen: `${state}/seen.json`,
  };
}

/** The lock folder itself, also where `--dir` is a link to it. */
export function folderItself({ dir }: LockPaths): string {
  return `${dir}/.`;
}

/** @param token of the hold */
export function lifelinePath({ alive }: LockPaths, token: string): string {
  return `${alive}/${token}`;
}

/** @param name of the ticket, as in the line */
export function ticketPath({ queue }: LockPaths, name: string): string {
  return `${queue}/${name}`;
}

/** @param name of the ticket that was left there */
export function placePath({ places }: LockPaths, name: string): string {
  return `${places}/${name}`;
}

/** A ticket that is being made: hidden until it is whole. */
export function hiddenTicketPath({ queue }: LockPaths, name: string, token: string): string {
  return `${queue}/.${name}-${token}`;
}

/** @param number of the taker of the right to remove */
export function takerFolder({ removing }: LockPaths, number: number): string {
  return `${removing}/${number}`;
}

/** The file in which a taker says who it is. */
export function takerWhoPath(paths: LockPaths, number: number): string {
  return `${takerFolder(paths, number)}/who.json`;
}

/** An empty file that the taker has file-locked for as long as it means to act. */
export function takerLifePath(paths: LockPaths, number: number): string {
  return `${takerFolder(paths, number)}/alive`;
}

/**
 * A file of one moment, which the name of a dead process's leftover tells from all that counts.
 * @param purpose `now` reads the file system's clock, `new` is about to be renamed into place
 */
export function scratchPath({ state }: LockPaths, purpose: "now" | "new", token: string): string {
  return `${state}/.${purpose}-${token}`;
}

/**
 * Where a waiter rehearses its hold. Named after the wait, so that whoever finds its dead ticket knows what
 * else it left.
 * @param token of the wait
 */
export function rehearsalFolder(paths: LockPaths, token: string): string {
  return `${paths.state}/.rehearsal-${token}`;
}

/** The last name in a path: systems and their watches separate names in two ways. */
export function lastName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Empty folders of this kind are made in the lock folder, and removed at once, to see whether that can be done. */
const PROBE_PREFIX = ".probe-";

/** @param token random */
export function probeFolder(paths: LockPaths, token: string): string {
  return `${paths.dir === "/" ? "" : paths.dir}/${PROBE_PREFIX}${token}`;
}

/** The folder is shared with others: only what is certain to be ours. */
export function isProbe(name: string): boolean {
  return name.startsWith(PROBE_PREFIX) && /^[a-z0-9]{24}$/.test(name.slice(PROBE_PREFIX.length));
}

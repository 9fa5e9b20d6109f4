/** What the trials of `doctor` found out about a folder: measurements, without any judgement. */

/** A trial that could not be made, and why. */
export interface Untried {
  readonly untried: string;
}

export type Found<T> = T | Untried;

/** Making a folder, a file and a line of text, and removing them. */
export interface WritingFound {
  /** Null if all of it could be done. */
  readonly problem: {
    readonly code: string;
    readonly reason: string;
    /** Whether a folder could be made all the same, so that the other trials could be tried. */
    readonly folderMade: boolean;
    /** Of the lock folder itself; null where it cannot be known. */
    readonly uid: number | null;
    readonly mode: number | null;
  } | null;
}

/** Processes that call mkdir for the same name at the same moment, again and again. */
export interface RaceFound {
  readonly processes: number;
  readonly races: number;
  readonly severalWinners: number;
  readonly mostWinners: number;
  readonly noWinner: number;
  /** What losers were told instead of EEXIST. */
  readonly otherCodes: readonly string[];
}

/** One process makes a folder and removes it, another makes it next. */
export interface HandOverFound {
  readonly handOvers: number;
  /** How often mkdir succeeded although another process had just made the folder. */
  readonly madeWhileHeld: number;
  /** From rmdir of one to success of the other's mkdir. */
  readonly slowestMs: number;
  /** mkdir still said EEXIST this long after the rmdir; null if it never came to that. */
  readonly gaveUpAfterMs: number | null;
  readonly otherCodes: readonly string[];
}

/** Times of files and folders. */
export interface TimesFound {
  /** Why an mtime could not be set; null if it could. */
  readonly setFailed: string | null;
  /** How far an mtime that was set is from the one that is read back. */
  readonly offMs: number;
  /** Smallest step between the mtimes of new files; null if all had the same. */
  readonly stepMs: number | null;
  readonly keepsBirthtime: boolean;
}

export interface ClockFound {
  /** The file system's clock minus ours. */
  readonly aheadMs: number;
  /** Coarseness of the mtime that it was read from. */
  readonly resolutionMs: number;
}

export interface FileLocksFound {
  /** What a second process was told while the first one held the file lock. */
  readonly whileHeld: "granted" | "held" | "unknown";
  /** From SIGKILL of the first process to the second one's file lock; null if it was not freed in time. */
  readonly freedAfterMs: number | null;
  readonly limitMs: number;
}

export interface WatchFound {
  /** Why no watch could be had; null if there is one. */
  readonly refused: string | null;
  readonly removals: number;
  readonly seen: number;
  readonly slowestMs: number | null;
}

export interface AppendsFound {
  readonly writers: number;
  readonly lines: number;
  readonly lost: number;
  readonly torn: number;
  readonly failures: readonly string[];
}

export interface SpaceFound {
  /** For those who are not root. */
  readonly freeBytes: number;
  /** Null where files are not counted. */
  readonly freeFiles: number | null;
}

export interface FileSystemFound {
  /** In the system's words (`ext4`, `fuse.sshfs`); null where it cannot be known. */
  readonly type: string | null;
  /** What is mounted there: a device, a server's folder. */
  readonly source: string | null;
  /** The folder's path without links. */
  readonly path: string;
  /** Markers of sync clients that stand in the folder or above it. */
  readonly markers: readonly string[];
}

/** Each waiting process takes an inotify instance. */
export interface InotifyFound {
  readonly limit: number;
}

export interface CleanerFound {
  /** The temporary folder that the lock folder is in; null if it is in none. */
  readonly below: string | null;
}

/** A lock folder in a git work tree, and not in git's own folder. */
export interface GitReachFound {
  readonly workTree: string;
  /** The lock folder's path from there; empty if it is the work tree itself. */
  readonly below: string;
  /** Whether git ignores all that the lock consists of. */
  readonly ignored: boolean;
}

/** Another lock, which those may mean that use this one; it is in use. */
export interface OtherLockFound {
  /** Its path. */
  readonly lock: string;
  readonly held: boolean;
  /** How long ago the last line of its log was written; null if it has none. */
  readonly loggedAgoMs: number | null;
}

export interface InTheWayFound {
  readonly things: readonly {
    readonly path: string;
    readonly problem: string;
    /** Whether the lock cannot be used because of it. */
    readonly blocks: boolean;
  }[];
}

/** What was made through one mount, seen through the other. */
export interface PeerFound {
  /** Null if it was not seen in time. */
  readonly seenAfterMs: number | null;
  readonly limitMs: number;
}

export interface MtimeSeenFound {
  /** From setting an mtime through one mount to reading it through the other; null if not in time. */
  readonly seenAfterMs: number | null;
  readonly limitMs: number;
}

/** All of it; what was not asked for is missing. */
export interface Findings {
  readonly writing: WritingFound;
  readonly race?: Found<RaceFound>;
  readonly handOver?: Found<HandOverFound>;
  readonly times?: Found<TimesFound>;
  readonly clock?: Found<ClockFound>;
  readonly fileLocks?: Found<FileLocksFound>;
  readonly watch?: Found<WatchFound>;
  readonly appends?: Found<AppendsFound>;
  readonly space?: Found<SpaceFound>;
  readonly fileSystem?: Found<FileSystemFound>;
  readonly inotify?: Found<InotifyFound>;
  readonly cleaner?: Found<CleanerFound>;
  readonly gitReach?: Found<GitReachFound>;
  readonly otherLock?: Found<OtherLockFound>;
  readonly inTheWay?: Found<InTheWayFound>;
  /** The same trials with half of the processes on each of two mounts. */
  readonly peer?: Found<PeerFound>;
  readonly peerFileSystem?: Found<FileSystemFound>;
  readonly raceAcross?: Found<RaceFound>;
  readonly handOverAcross?: Found<HandOverFound>;
  readonly mtimeAcross?: Found<MtimeSeenFound>;
  readonly fileLocksAcross?: Found<FileLocksFound>;
  readonly watchAcross?: Found<WatchFound>;
  readonly appendsAcross?: Found<AppendsFound>;
  /** What the trials could not remove; missing if nothing. */
  readonly leftBehind?: string;
}

// A check of `doctor`: what it looked at, how it came out, and what that means for a person.

export type Status = "PASS" | "WARN" | "FAIL";

export interface Judgement {
  readonly status: Status;
  /** A sentence without its full stop; several are joined by semicolons. */
  readonly text: string;
}

export function pass(text: string): Judgement {
  return { status: "PASS", text };
}

/** It works, but less well, or not for everybody. */
export function warn(text: string): Judgement {
  return { status: "WARN", text };
}

/** The lock, or the log, cannot be believed here. */
export function fail(text: string): Judgement {
  return { status: "FAIL", text };
}

/** One possession of a lock, whatever kind of lock it is. */

/** What the wait for a hold was like. */
export interface Waited {
  /** From the call to the grant. */
  readonly waitedMs: number;
  /** Place in line when the wait began; 0 without a wait. */
  readonly place: number;
}

/** One possession of the lock. It is made by `acquire()` alone, and given back once. */
export interface Hold extends AsyncDisposable {
  /** The holder's slug. */
  readonly slug: string;
  /** Random name of this hold. */
  readonly token: string;
  /** A number that grows with every hold of the lock, for resources that can refuse what comes from an older one. */
  readonly fence: number;
  /** Absolute path of the lock. */
  readonly lock: string;
  /** What the wait for it was like. */
  readonly waited: Waited;
  /**
   * Aborted when the lock turns out to be gone, with a `HoldLost`: what it guards may be another's by now. Never, where the hold is
   * that of a `run` around this program: that one learns of it.
   */
  readonly lost: AbortSignal;
  /**
   * Gives the lock back, once; removes nothing if it is not ours any more.
   * @throws FolderUnusable if it is still ours but cannot be given back; it may then be tried again. The hold
   *   beats no more, so the others break the lock once it is `staleMs` old
   */
  release(): Promise<void>;
}

/** Why a beat failed. */
export interface Trouble {
  /** For a person. */
  readonly reason: string;
  /** The lock folder itself is not there: on a disk of this machine the lock is lost if it stays away. */
  readonly folder: "there" | "gone" | "away";
}

/** A hold, with what only the command line does with it. */
export interface RunnableHold extends Hold {
  /** Called when a beat fails, once until one succeeds again. */
  onTrouble: (trouble: Trouble) => void;
  /**
   * Says which command has been started. To be called in the very step in which it was started: if we are killed, it
   * must be found.
   */
  startedCommand(pid: number): Promise<void>;
  /** Writes down which command runs under the hold, so that it is waited for if we are killed. */
  nameCommand(pid: number, start: string | null): Promise<void>;
  /**
   * Says that the command is being ended with all that it started: if this process is killed meanwhile, what is left of
   * it still has the lock.
   */
  endsAll(): Promise<void>;
  /** Says in the log that the hold lasts too long and its command is being ended. */
  logMaxHold(): Promise<void>;
  /** Leaves the lock held and stops looking after it: for `acquire`, whose process ends while the hold goes on. */
  leaveStanding(): Promise<void>;
}

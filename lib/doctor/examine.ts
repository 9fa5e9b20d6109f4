/**
 * All trials of a lock folder, one after the other.
 *
 * Guarantee: all that is made is made in one folder under a dot name, which is removed at the end, and by
 * `clear()` at any time. Not guaranteed: that after SIGKILL, or on a share that answers no more.
 */

import { FileFault } from "../sys/faults.ts";
import type { Findings, PeerFound, WritingFound } from "./rules/judgement.ts";
import { isFull, isUntried } from "./rules/checkup.ts";
import type { LockPaths } from "../folder/state/layout.ts";
import { folderItself } from "../folder/state/layout.ts";
import type { CommandLine } from "../sys/sys.ts";
import { appendTogether, tryFileLocks, tryWatch } from "./file_trials.ts";
import { clearFolder } from "./clear.ts";
import { handOver, raceForFolders } from "./mkdir_trials.ts";
import { gitReachOf, otherLockOf } from "./repository.ts";
import { cleanerOf, fileSystemOf, thingsInTheWay } from "./surroundings.ts";
import { Team } from "./team.ts";
import { compareClocks, readTimes, watchMtimeCross } from "./time_trials.ts";
import { attempt, inTime, timeUntil, TrialFailed } from "./trial.ts";
import type { Ground, TrialSys } from "./trial_ground.ts";

/** What a folder that answers at all needs for one step. */
const STEP_LIMIT_MS = 30_000;
/** Three times as long as a FUSE mount remembers that there was no such name. */
const PEER_LIMIT_MS = 3000;
/** A person waits for it; what a mount hides for longer than this is told as left behind. */
const CLEAR_LIMIT_MS = 10_000;

/** As a code of a failure: a share that is frozen. */
const NO_ANSWER = "ETIMEDOUT";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export class Checkup {
  readonly #sys: TrialSys;
  readonly #paths: LockPaths;
  readonly #peer: string | null;
  readonly #team: Team;
  readonly #defaultFrom: string | null;
  #groundPath: string | null = null;
  /** The same through the other mount, once it has been seen there. */
  #peerGroundPath: string | null = null;

  /**
   * @param peer the same folder through another mount, absolute
   * @param part how to start a copy of this program that carries out orders
   * @param defaultFrom the working folder whose default lock folder this is; null if it is another one
   */
  constructor(
    sys: TrialSys,
    paths: LockPaths,
    peer: string | null,
    part: Pick<CommandLine, "program" | "args">,
    defaultFrom: string | null,
  ) {
    this.#sys = sys;
    this.#paths = paths;
    this.#peer = peer;
    this.#defaultFrom = defaultFrom;
    this.#team = new Team(sys, part);
  }

  async findings(): Promise<Findings> {
    const { clock } = this.#sys;
    const writing = await inTime(clock, this.#prepare(), STEP_LIMIT_MS) ?? noAnswer();
    const isFrozen = writing.problem?.code === NO_ANSWER;
    const findings: Writable<Findings> = {
      writing,
      ...(isFrozen ? {} : await this.#around(writing.problem?.code === "EROFS")),
    };
    if ((writing.problem?.folderMade ?? true) && !isFull(findings)) {
      if (this.#peer !== null) Object.assign(findings, await this.#meetPeer(this.#peer));
      // A wrong --peer is a slip of whoever typed it: better told at once.
      const isMet = this.#peerGroundPath !== null;
      if (isMet || this.#peer === null) Object.assign(findings, await this.#tryHere());
      if (isMet) Object.assign(findings, await this.#tryAcross(this.#peerGroundPath!));
    }
    const leftBehind = await this.clear();
    return leftBehind === null ? findings : { ...findings, leftBehind };
  }

  /**
   * Ends all other processes and removes all that was made; to be called again does no harm.
   * @return what could not be removed; null if nothing is left
   */
  async clear(): Promise<string | null> {
    await this.#team.end();
    const path = this.#groundPath;
    if (path === null) return null;
    const { files, clock } = this.#sys;
    const peer = this.#peerGroundPath;
    // A mount may hide for a while what only the other one has made. What one has removed the other may go on
    // showing, so that the folder is gone when this one says so.
    const cleared = timeUntil(clock, CLEAR_LIMIT_MS, async () => {
      if (await clearFolder(files, path)) return true;
      if (peer !== null) await clearFolder(files, peer);
      return false;
    });
    const tookMs = await inTime(clock, cleared, 2 * CLEAR_LIMIT_MS);
    if (typeof tookMs !== "number") return path;
    this.#groundPath = null;
    return null;
  }

  /** Makes the folder for the trials, and tries on the way what a lock needs. */
  async #prepare(): Promise<WritingFound> {
    const { files, random } = this.#sys;
    const root = this.#paths.dir.replace(/\/$/, "");
    const path = `${root}/.doctor-${(await random.token()).slice(0, 8)}`;
    let folderMade = false;
    try {
      const folder = await files.entry(`${root}/.`);
      if (!folder) return await this.#unwritable("ENOENT", "it does not exist", false);
      if (folder.kind !== "folder") {
        return await this.#unwritable("ENOTDIR", "it is not a folder", false);
      }
      this.#groundPath = path;
      await files.makeFolder(path);
      folderMade = true;
      await files.create(`${path}/record`, "a record is some hundred bytes\n".repeat(16));
      await files.append(`${path}/log`, "a line\n");
      return { problem: null };
    } catch (fault) {
      if (!(fault instanceof FileFault)) throw fault;
      const { code, operation, reason } = fault;
      const words = code === "ENOTDIR" ? "it is not a folder" : `${operation} failed, ${reason}`;
      return await this.#unwritable(code, words, folderMade);
    }
  }

  async #unwritable(code: string, reason: string, folderMade: boolean): Promise<WritingFound> {
    const entry = await this.#sys.files.entry(folderItself(this.#paths)).catch(() => null);
    const { uid = null, mode = null } = entry ?? {};
    return { problem: { code, reason, folderMade, uid, mode } };
  }

  async #around(isReadOnly: boolean): Promise<Partial<Findings>> {
    const { clock, files, diagnosis } = this.#sys;
    const { dir } = this.#paths;
    const found: Writable<Partial<Findings>> = {};
    const isThere = await inTime(
      clock,
      files.entry(folderItself(this.#paths)).catch(() => null),
      STEP_LIMIT_MS,
    );
    if (isThere?.kind !== "folder") return found;
    found.fileSystem = await attempt(clock, () => fileSystemOf(this.#sys, dir));
    const space = await inTime(clock, diagnosis.space(dir), STEP_LIMIT_MS);
    // What can only be read has no space to speak of.
    if (space && !isReadOnly) found.space = space;
    found.inTheWay = await attempt(clock, async () => {
      const own = this.#groundPath && await files.entry(this.#groundPath).catch(() => null);
      return await thingsInTheWay(this.#sys, this.#paths, own || null);
    });
    const limit = await diagnosis.inotifyLimit();
    if (limit !== null) found.inotify = { limit };
    const cleaner = await inTime(clock, cleanerOf(this.#sys, dir), STEP_LIMIT_MS);
    if (cleaner) found.cleaner = cleaner;
    const gitReach = await inTime(clock, gitReachOf(this.#sys, this.#paths), STEP_LIMIT_MS);
    if (gitReach) found.gitReach = gitReach;
    const otherLock = otherLockOf(this.#sys, this.#paths, this.#defaultFrom);
    const other = await inTime(clock, otherLock, STEP_LIMIT_MS);
    if (other) found.otherLock = other;
    return found;
  }

  async #tryHere(): Promise<Partial<Findings>> {
    const ground = this.#ground(this.#groundPath!, "");
    const { clock } = this.#sys;
    const race = await attempt(clock, () => raceForFolders(ground));
    const times = await attempt(clock, () => readTimes(ground));
    return {
      race,
      handOver: await attempt(clock, () => handOver(ground)),
      times,
      clock: await attempt(clock, () => compareClocks(ground, isUntried(times) ? null : times)),
      fileLocks: await attempt(clock, () => tryFileLocks(ground)),
      watch: await attempt(clock, () => tryWatch(ground)),
      appends: await attempt(clock, () => appendTogether(ground)),
    };
  }

  async #meetPeer(peerDir: string): Promise<Partial<Findings>> {
    const { clock } = this.#sys;
    const name = this.#groundPath!.slice(this.#groundPath!.lastIndexOf("/") + 1);
    const there = `${peerDir.replace(/\/$/, "")}/${name}`;
    return {
      peer: await attempt(clock, () => this.#findPeer(peerDir, there)),
      peerFileSystem: await attempt(clock, () => fileSystemOf(this.#sys, peerDir)),
    };
  }

  async #tryAcross(there: string): Promise<Partial<Findings>> {
    const ground = this.#ground(there, "peer-");
    const { clock } = this.#sys;
    const raceAcross = await attempt(clock, () => raceForFolders(ground));
    const handOverAcross = await attempt(clock, () => handOver(ground));
    const mkdirOnly = { raceAcross, handOverAcross };
    // Two mounts that do not even agree on what there is need no further questions.
    if (!isUntried(raceAcross) && raceAcross.severalWinners > 0) return mkdirOnly;
    return {
      ...mkdirOnly,
      mtimeAcross: await attempt(clock, () => watchMtimeCross(ground)),
      fileLocksAcross: await attempt(clock, () => tryFileLocks(ground)),
      watchAcross: await attempt(clock, () => tryWatch(ground)),
      appendsAcross: await attempt(clock, () => appendTogether(ground)),
    };
  }

  #ground(there: string, prefix: string): Ground {
    return { sys: this.#sys, team: this.#team, here: this.#groundPath!, there, prefix };
  }

  async #findPeer(peerDir: string, there: string): Promise<PeerFound> {
    const { files, clock } = this.#sys;
    const folder = await files.entry(`${peerDir}/.`);
    if (folder?.kind !== "folder") throw new TrialFailed("the other mount has no such folder");
    const seenAfterMs = await timeUntil(clock, PEER_LIMIT_MS, async () => {
      await files.list(peerDir);
      return await files.entry(there) !== null;
    });
    if (seenAfterMs !== null) this.#peerGroundPath = there;
    return { seenAfterMs, limitMs: PEER_LIMIT_MS };
  }
}

function noAnswer(): WritingFound {
  const reason = `no answer within ${STEP_LIMIT_MS / 1000} s`;
  return { problem: { code: NO_ANSWER, reason, folderMade: false, uid: null, mode: null } };
}

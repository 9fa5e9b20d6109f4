/**
 * One possession of the lock, from acquire to release: it beats while it lasts, learns if it is lost, and is
 * given back once.
 */

import { HoldLost, type LossKind } from "../lock/failures.ts";
import { heartbeatMs } from "../lock/times.ts";
import type { AcquireRequest, RunnableHold, Trouble, Waited } from "../lock/service.ts";
import type { HolderRecord } from "./state/record.ts";
import { HoldJournal, logIfPossible } from "./audit.ts";
import type { HoldState } from "./still_ours.ts";
import type { Claim } from "./claim.ts";
import { blockedBy, explainRelease, giveBack } from "./removal/give_back.ts";
import {
  type CommandInLifeline,
  lifelineStands,
  makeLifeline,
  removeLifeline,
  tellOfCommand,
} from "./state/lifeline.ts";
import { isFolderGone } from "./place/obstacles.ts";
import { keptOfCommand } from "../lock/command.ts";
import { loadLine } from "./line/load_line.ts";
import type { Site } from "./site.ts";
import type { OpenFile } from "../sys/sys.ts";

/**
 * On a disk of this machine a folder that is missing for so many beats is gone. A share that is away for a while has
 * not lost its locks.
 */
const GONE_AFTER_BEATS = 2;

/** A hold of a lock that is a folder. */
export class FolderHold implements RunnableHold {
  readonly slug: string;
  readonly token: string;
  readonly fence: number;
  readonly lock: string;
  readonly slot?: string;
  readonly waited: Waited;
  readonly lost: AbortSignal;

  readonly #site: Site;
  readonly #request: AcquireRequest;
  readonly #lostController = new AbortController();
  readonly #stopBeating = new AbortController();
  readonly #beating: Promise<void>;
  #lifeline: OpenFile;
  #state: HoldState;
  /** The command that runs under the hold, once it is named. */
  #command: Pick<HolderRecord, "childPid" | "childStart"> = { childPid: null, childStart: null };
  /** What the lifeline tells of it. */
  #told: CommandInLifeline | null = null;
  /** What happened is written when nobody waits for us. */
  readonly #journal: HoldJournal;
  #released: Promise<void> | null = null;
  /** One writer of the record at a time: a beat and the naming of the command must not overtake each other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Called when a beat fails, once until one succeeds again. */
  onTrouble: (trouble: Trouble) => void = () => {};
  #inTrouble = false;
  #hasUsedPlace: boolean;
  /** When it was first seen that the lock folder is missing, on the monotonic clock; null while it is there. */
  #goneSinceMs: number | null = null;

  /**
   * Made by `acquire()` alone.
   * @param isBack it has taken back the place that an earlier wait had left
   */
  constructor(
    site: Site,
    request: AcquireRequest,
    claim: Claim,
    waited: Waited,
    isBack: boolean,
  ) {
    this.#hasUsedPlace = isBack;
    this.#site = site;
    this.#request = request;
    this.#state = claim.state;
    this.#lifeline = claim.lifeline;
    this.slug = request.slug;
    this.token = claim.state.record.token;
    this.fence = claim.state.record.fence;
    this.lock = site.paths.lock;
    if (site.slot !== undefined) this.slot = site.slot;
    this.waited = waited;
    this.lost = this.#lostController.signal;
    const { note } = request;
    const who = { slug: this.slug, token: this.token, ...(note !== undefined && { note }) };
    this.#journal = new HoldJournal(site, who, claim.state.memory.beatAt.wallMs);
    this.#beating = request.mode === "run" ? this.#keepBeating() : Promise.resolve();
  }

  /**
   * Says which command has been started, in the lifeline, which costs one write; the record has it from the next
   * beat on. To be called in the very step in which it was started: if we are killed, it must be found.
   */
  async startedCommand(pid: number): Promise<void> {
    const startedAt = this.#journal.now();
    this.#command = { childPid: pid, childStart: null };
    this.#told = { childPid: pid, command: keptOfCommand(this.#request.command ?? []) };
    await tellOfCommand(this.#lifeline, this.#told);
    await this.#journal.noteGrant(await startedAt);
    await this.#usePlaceUp();
  }

  /**
   * Says that the command is being ended with all that it started: if we are killed meanwhile, what is left of it
   * still has the lock.
   */
  async endsAll(): Promise<void> {
    if (!this.#told) return;
    this.#told = { ...this.#told, endsAll: true };
    await tellOfCommand(this.#lifeline, this.#told);
  }

  /** Off the way to the command: whether there are places at all is one call. */
  async #usePlaceUp(): Promise<void> {
    if (this.#hasUsedPlace) return;
    this.#hasUsedPlace = true;
    const { places } = this.#site.paths;
    if (await this.#site.sys.files.list(places).catch(() => null) === null) return;
    const { usePlaceUp } = await loadLine();
    await usePlaceUp(this.#site, this.slug).catch(() => {});
  }

  /** Writes down which command runs under the hold, so that it is waited for if we are killed. */
  async nameCommand(pid: number, start: string | null): Promise<void> {
    this.#command = { childPid: pid, childStart: start };
    await this.beat();
  }

  /** Freshens the hold now. A failing beat is no loss: it is tried again, and told by `onTrouble`. */
  async beat(): Promise<void> {
    const turn = this.#turn.then(() => this.#beatOnce());
    this.#turn = turn;
    await turn;
  }

  async #beatOnce(): Promise<void> {
    if (this.lost.aborted || this.#released) return;
    // Put in here and not when it was named: a beat that was under way then knows nothing of it.
    const record = { ...this.#state.record, ...this.#command };
    try {
      const beaten = await this.#site.procedures.beat(this.#site, { ...this.#state, record });
      this.#goneSinceMs = null;
      if (beaten.outcome === "lost") return await this.#loseIt("removed");
      if (beaten.outcome === "ours") this.#state = beaten.state;
      await this.#keepLifeline();
      this.#inTrouble = false;
      await this.#journal.write();
    } catch (failure) {
      await this.#beatFailed(failure instanceof Error ? failure.message : String(failure));
    }
  }

  async #beatFailed(reason: string): Promise<void> {
    const isGone = await isFolderGone(this.#site);
    if (isGone && await this.#staysAway()) return await this.#loseIt("folder gone");
    if (!isGone) this.#goneSinceMs = null;
    const away = this.#site.mount.isLocalDisk ? "gone" : "away";
    if (!this.#inTrouble) this.onTrouble({ reason, folder: isGone ? away : "there" });
    this.#inTrouble = true;
  }

  async #staysAway(): Promise<boolean> {
    const nowMs = await this.#site.sys.clock.monotonicMs();
    this.#goneSinceMs ??= nowMs;
    const longestMs = GONE_AFTER_BEATS * heartbeatMs(this.#request.staleMs);
    return this.#site.mount.isLocalDisk && nowMs - this.#goneSinceMs >= longestMs;
  }

  async #keepBeating(): Promise<void> {
    const everyMs = heartbeatMs(this.#request.staleMs);
    const { signal } = this.#stopBeating;
    while (!signal.aborted && !this.lost.aborted) {
      await this.#site.sys.clock.sleep(everyMs, signal);
      if (!signal.aborted) await this.beat();
    }
  }

  /** Somebody deleted the state folder: the lifeline is made again, so that our life can be proved. */
  async #keepLifeline(): Promise<void> {
    if (await lifelineStands(this.#site, this.token)) return;
    const lost = this.#lifeline;
    this.#lifeline = await makeLifeline(this.#site, this.token);
    if (this.#told) await tellOfCommand(this.#lifeline, this.#told);
    await lost.close();
  }

  /** Says in the log that the hold lasts too long and its command is being ended. */
  async logMaxHold(): Promise<void> {
    await logIfPossible(this.#site, this.slug, { event: "max_hold" });
  }

  /** The lock that stands there may be another's: our lifeline must not speak for it. */
  async #loseIt(how: LossKind): Promise<void> {
    this.#lostController.abort(new HoldLost(this.lock, this.slug, how));
    // There is no log to write to, and no lifeline.
    if (how === "folder gone") return;
    await removeLifeline(this.#site, this.token);
    await logIfPossible(this.#site, this.slug, { event: "lost" });
  }

  release(): Promise<void> {
    this.#released ??= this.#release().catch((failure) => {
      this.#released = null;
      throw failure;
    });
    return this.#released;
  }

  async #release(): Promise<void> {
    const endedMs = await this.#journal.now();
    this.#stopBeating.abort();
    await this.#turn;
    await this.#beating;
    await this.#usePlaceUp();
    try {
      if (!this.lost.aborted) await this.#giveBack(endedMs);
    } catch (failure) {
      // There is nothing left to give back, nor will there be: it is no failure of ours.
      const isLost = this.#site.mount.isLocalDisk && await isFolderGone(this.#site);
      if (!isLost) {
        if (this.#request.outlivesWait) await this.#leaveToAge();
        else await this.#nameEndedCommand();
        throw await explainRelease(this.#site, failure, this.#request);
      }
      await this.#loseIt("folder gone");
    }
    await this.#lifeline.close();
    await this.#journal.write();
  }

  /** Nobody beats any more, but our process may live for years: its lifeline must not keep the lock so long. */
  async #leaveToAge(): Promise<void> {
    await this.#lifeline.close();
    await removeLifeline(this.#site, this.token);
  }

  /**
   * The lock stands on, to be broken as dead once we are gone: nobody should have to look for a command then
   * that was over before it was named.
   */
  async #nameEndedCommand(): Promise<void> {
    if (this.#state.record.childPid !== null || this.#command.childPid === null) return;
    const record = { ...this.#state.record, ...this.#command };
    await this.#site.procedures.beat(this.#site, { ...this.#state, record }).catch(() => {});
  }

  /** @param endedMs for the journal: when the work under it had ended */
  async #giveBack(endedMs: number | undefined): Promise<void> {
    const removed = await giveBack(this.#site, {
      slug: this.slug,
      memory: this.#state.memory,
      told: true,
      // The next in line waits on it: it may go on while we clear up.
      onRemoved: async () => {
        await this.#lifeline.close();
        await this.#journal.noteRelease(endedMs);
      },
    });
    if (removed.outcome === "withdrawn") await this.#loseIt("removed");
    if (removed.outcome === "blocked") {
      throw await blockedBy(this.#site, removed, { isForced: false, mayTryAgain: false });
    }
  }

  /**
   * Leaves the lock standing and stops looking after it: for `acquire`, whose process ends while the hold
   * goes on. Its lifeline stays, unlocked, until the hold is released.
   */
  async leaveStanding(): Promise<void> {
    await this.#usePlaceUp();
    this.#stopBeating.abort();
    await this.#beating;
    await this.#lifeline.close();
    await this.#journal.write();
  }

  /** Gives the lock back, as `release()`, at the end of an `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

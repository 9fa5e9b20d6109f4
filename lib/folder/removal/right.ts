/**
 * The right to remove the lock: numbered folders in `removing/`, each made by mkdir and signed by its taker.
 *
 * Guarantee: of all that take the right by these rules, one at a time finds itself alone. A dead taker is passed
 * over by the next number, never by removing its folder first: two that pass it over then meet at one mkdir again.
 * Takers that live see each other, since each writes who it is before it looks: the lower number goes on, the
 * higher one withdraws.
 * Not guaranteed: anything about a taker that nobody can see, and that sleeps for longer than `STRANGER_GONE_MS`.
 */

import { elapsedMs, type Moment } from "../../sys/elapsed.ts";
import { faultCode } from "../../sys/faults.ts";
import { takerFolder, takerLifePath, takerWhoPath } from "../state/layout.ts";
import type { OpenFile } from "../../sys/sys.ts";
import { lockForLife, whoAndWhere } from "../state/lifeline.ts";
import type { Site } from "../site.ts";
import { inState } from "../state/state_files.ts";
import { readTaker, readTakers, signedBy, type Taker, takerState } from "./takers.ts";
import type { TakerWho, TakerWords } from "./request.ts";

/**
 * From taking the right to removing the lock, sleep of the machine included. Another machine passes us over after a
 * minute: we must be done, or have given up, long before.
 */
const LOOK_WITHIN_MS = 10_000;
const ACT_WITHIN_MS = 20_000;

/** How long after taking the right a last look may be. On a share whose listings are old it begins that much later. */
export function lookWithinMs({ mount }: Site): number {
  return LOOK_WITHIN_MS + mount.listingsLagMs;
}

/** How long after taking the right the lock may be removed. */
export function actWithinMs({ mount }: Site): number {
  return ACT_WITHIN_MS + mount.listingsLagMs;
}

/** Others are past their look for a few milliseconds only. */
export const FIRST_PAUSE_MS = 5;
export const LONGEST_PAUSE_MS = 100;

/** A taken right: our number, the name we signed with, and when. */
export interface Right {
  readonly number: number;
  readonly token: string;
  /** Our `alive`, file-locked for as long as we mean to act: proof of life where processes are not seen. */
  readonly file: OpenFile;
  readonly takenAt: Moment;
}

/** What stands in the way of taking the right; null if it was taken. */
export interface Taking {
  readonly right: Right | null;
  /** The one that is known to have it. */
  readonly by: TakerWho | null;
  /** Nothing can be seen of that one but that it stands. */
  readonly isMute: boolean;
}

const CONTENDED: Taking = { right: null, by: null, isMute: false };

/** Step 1: the next number after all that are gone. */
export async function takeRight(site: Site, taker: TakerWords): Promise<Taking> {
  const takers = await readTakers(site);
  const standing = await firstNotGone(site, takers);
  if (standing) {
    return { right: null, by: signedBy(standing.taker), isMute: standing.state === "mute" };
  }
  const number = (takers.at(-1)?.number ?? 0) + 1;
  const { files, clock, processes, random } = site.sys;
  const takenAt = await clock.moment();
  try {
    await inState(
      files,
      site.paths.state,
      site.paths.removing,
      () => files.makeFolder(takerFolder(site.paths, number)),
    );
  } catch (fault) {
    if (faultCode(fault) === "EEXIST") return CONTENDED;
    throw fault;
  }
  const token = await random.token();
  processes.takings.add(token);
  let file: OpenFile | null = null;
  try {
    file = await sign(site, taker, number, token);
  } finally {
    if (!file) processes.takings.delete(token);
  }
  return file ? { ...CONTENDED, right: { number, token, file, takenAt } } : CONTENDED;
}

/**
 * Writes down who we are, and shows that we live. What others read by path is not file-locked: where file locks
 * are mandatory, nobody could read it.
 * @return null if the folder was passed over and cleared, or has become another's
 */
async function sign(
  site: Site,
  { slug, lockToken }: TakerWords,
  number: number,
  token: string,
): Promise<OpenFile | null> {
  const { files } = site.sys;
  const who: TakerWho = { ...await whoAndWhere(site, slug, token), lockToken };
  try {
    await files.create(takerWhoPath(site.paths, number), JSON.stringify(who));
    const file = await files.openNew(takerLifePath(site.paths, number), "");
    await lockForLife(site, file);
    return file;
  } catch (fault) {
    await giveUpNumber(site, number, token);
    if (faultCode(fault) === "EEXIST" || faultCode(fault) === "ENOENT") return null;
    await files.removeFolder(takerFolder(site.paths, number)).catch(() => {});
    throw fault;
  }
}

async function firstNotGone(
  site: Site,
  takers: readonly Taker[],
): Promise<{ taker: Taker; state: "lives" | "mute" } | null> {
  for (const taker of takers) {
    const state = await takerState(site, taker);
    if (state !== "gone") return { taker, state };
  }
  return null;
}

/**
 * Some shares answer even a listing from memory (sshfs). What is listed after this wait was true after we took the
 * right: it shows every taker that signed before us, and the lock that nobody else may remove any more.
 */
export async function settle({ sys, mount }: Site, { takenAt }: Right): Promise<void> {
  const leftMs = mount.listingsLagMs - elapsedMs(takenAt, await sys.clock.moment());
  if (leftMs > 0) await sys.clock.sleep(leftMs);
}

/**
 * Waits until every other taker is gone. A living lower one has the better right: we withdraw. A living
 * higher one will withdraw, for it sees us.
 */
export async function isAlone(site: Site, right: Right): Promise<boolean> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const takers = await readTakers(site);
    const own = takers.find((taker) => taker.number === right.number);
    // Unreadable just now: that says nothing, and is asked again.
    if (own?.who !== "unreadable" && (!own || signedBy(own)?.token !== right.token)) return false;
    const others = takers.filter((taker) => taker.number !== right.number);
    const standing = await firstNotGone(site, others);
    if (!standing && own.who !== "unreadable") return true;
    const isLower = standing !== null && standing.taker.number < right.number;
    if (isLower || await isLate(site, right, lookWithinMs(site))) {
      await giveUpRight(site, right);
      return false;
    }
    await site.sys.clock.sleep(pauseMs);
  }
}

/** Held up for so long that others may pass us over: what we looked at is too old to act on. */
export async function isLate(site: Site, right: Right, withinMs: number): Promise<boolean> {
  return elapsedMs(right.takenAt, await site.sys.clock.moment()) >= withinMs;
}

/** Removes our own folder, if it is still ours: others may have passed us over and made it anew. */
export async function giveUpRight(site: Site, right: Right): Promise<void> {
  await right.file.close();
  await giveUpNumber(site, right.number, right.token);
}

/** One error that passes must not leave a taker behind that names a living process. */
const GIVE_UP_TRIES = 5;

async function giveUpNumber(site: Site, number: number, token: string): Promise<void> {
  for (let tries = 1; tries <= GIVE_UP_TRIES; tries++) {
    const taker = await readTaker(site, number);
    if (taker.who !== "unreadable") {
      if (signedBy(taker)?.token === token) await clearTaker(site, number);
      return;
    }
    await site.sys.clock.sleep(FIRST_PAUSE_MS);
  }
}

/** Lowest number first, our own last: a taker that passed a dead one over stays visible until it is done. */
export async function clearTakers(site: Site, right: Right): Promise<void> {
  if (right.number > 1) {
    for (const { number } of await readTakers(site)) {
      if (number < right.number) await clearTaker(site, number);
    }
  }
  if (await isLate(site, right, actWithinMs(site))) return await giveUpRight(site, right);
  await right.file.close();
  await clearTaker(site, right.number);
}

/**
 * For as long as a mount may take to let go of a file that was closed just now: one that renames an open file
 * aside instead of removing it (FUSE, NFS) keeps its folder from being empty.
 */
const CLEARED_WITHIN_MS = 100;

/**
 * What cannot be cleared (a planted file, another user's) is passed over each time: slower, not wrong. Each name is
 * removed once: after `who.json` has gone, others may take this number, and it would be theirs.
 */
async function clearTaker(site: Site, number: number): Promise<void> {
  const { files, clock } = site.sys;
  const left = [takerLifePath(site.paths, number), takerWhoPath(site.paths, number)];
  for (let pauseMs = 1; pauseMs < CLEARED_WITHIN_MS; pauseMs *= 2) {
    while (left.length > 0 && await isRemoved(site, left[0]!)) left.shift();
    if (left.length === 0) {
      const fault = await files.removeFolder(takerFolder(site.paths, number)).catch(faultCode);
      if (fault === undefined || fault === "ENOENT") return;
    }
    await clock.sleep(pauseMs);
  }
}

async function isRemoved(site: Site, path: string): Promise<boolean> {
  return await site.sys.files.removeFile(path).then(() => true, () => false);
}

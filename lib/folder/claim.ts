/**
 * From a granted mkdir to a hold that others can see: lifeline, fence, record, log line.
 *
 * Guarantee: a hold is handed out only if it stands in the record and in the log, and only if that took so
 * little time that nobody may have broken the lock meanwhile. Not guaranteed: a kill inside this moment
 * leaves a lock without a record, which only age breaks.
 */

import { elapsedMs, type Moment } from "../sys/elapsed.ts";
import { CLAIM_WITHIN_MS, heartbeatMs } from "../lock/times.ts";
import type { HolderRecord } from "./state/record.ts";
import type { HoldMemory, HoldState } from "./still_ours.ts";
import type { Entry, OpenFile } from "../sys/sys.ts";
import { log, logIfPossible } from "./audit.ts";
import { nextFence } from "./state/fence.ts";
import { giveBack } from "./removal/give_back.ts";
import { removeLifeline, whoAndWhere } from "./state/lifeline.ts";
import { replaceFile } from "./state/state_files.ts";
import type { Site } from "./site.ts";

export interface ClaimRequest {
  readonly slug: string;
  readonly mode: "run" | "acquire";
  readonly staleMs: number;
  /** What will be started under the hold; without it nothing is. */
  readonly command?: readonly string[];
  readonly note?: string;
  /** Aborted to call it off. */
  readonly interrupt?: AbortSignal;
}

/** What one try for the lock led to. */
export interface Attempt {
  /** Null: the claim took too long to be safe; try again. */
  readonly claim: Claim | null;
  /** What was granted: the lock, or the slot of it. */
  readonly site: Site;
  /** Place in line when the wait began; 0 without a wait. */
  readonly place: number;
  /** It waited in a place that an earlier wait had left. */
  readonly isBack: boolean;
}

export interface Claim {
  readonly state: HoldState;
  /** File-locked by us while it is open: whoever takes the claim closes it. */
  readonly lifeline: OpenFile;
}

/** A waiter's lifeline becomes that of its hold: the one that waits on it goes on waiting. */
export type LifelineMaker = () => Promise<OpenFile>;

/**
 * To be called at once after mkdir granted the lock.
 * @param token random name of the hold
 * @param grantedAt before that mkdir
 * @return null if it took too long, or the lock is gone: begin again
 * @throws FileFault if something could not be written; the lock is given back then
 */
export async function claim(
  site: Site,
  request: ClaimRequest,
  token: string,
  grantedAt: Moment,
  makeLifeline: LifelineMaker,
): Promise<Claim | null> {
  const inTime = async () => {
    return elapsedMs(grantedAt, await site.sys.clock.moment()) <= claimWithinMs(request.staleMs);
  };
  const granted = await lookAtGranted(site, request.staleMs, token, grantedAt);
  if (!granted) return null;
  const { entry, memory } = granted;
  let lifeline: OpenFile | null = null;
  let told = false;
  try {
    lifeline = await makeLifeline();
    const record = await writeFirstRecord(site, request, token, entry, inTime);
    if (record && await inTime()) {
      await log(site, request.slug, { event: "acquired" });
      told = true;
      if (await inTime()) return { state: { record, memory }, lifeline };
    }
  } catch (failure) {
    // Could not be written down: nobody must find it held. What went wrong first is what a person must know.
    await giveBack(site, { slug: request.slug, memory, told: false }).catch(() => {});
    await removeLifeline(site, token);
    await lifeline?.close();
    throw failure;
  }
  try {
    await giveBackLate(site, request, memory, told);
  } finally {
    // If it could not be given back, age must end it.
    await removeLifeline(site, token);
    await lifeline.close();
  }
  return null;
}

/**
 * Without a record the lock is judged by the patience of others, which may be far below our own; with one, by a
 * `--stale` that is never below three of our heartbeats.
 */
function claimWithinMs(staleMs: number): number {
  return Math.min(staleMs / 2, CLAIM_WITHIN_MS);
}

/**
 * For an mkdir that granted the lock after the wait had ended: nobody claims it.
 * @param token random name of the wait
 * @param grantedAt before that mkdir
 */
export async function giveBackUnclaimed(
  site: Site,
  { slug, staleMs }: Pick<ClaimRequest, "slug" | "staleMs">,
  token: string,
  grantedAt: Moment,
): Promise<void> {
  const granted = await lookAtGranted(site, staleMs, token, grantedAt);
  if (granted) await giveBack(site, { slug, memory: granted.memory, told: false });
}

/** @return null if mkdir took so long that what stands there may be the lock of another, or nothing does */
async function lookAtGranted(
  site: Site,
  staleMs: number,
  token: string,
  grantedAt: Moment,
): Promise<{ entry: Entry; memory: HoldMemory } | null> {
  const look = () => site.sys.files.entry(site.paths.lock);
  // Twice: a lock that was never looked at could not be known again, and so not be given back.
  const entry = await look().catch(look);
  const isLate = elapsedMs(grantedAt, await site.sys.clock.moment()) > claimWithinMs(staleMs);
  if (!entry || isLate) return null;
  const { mtimeMs: leftMtimeMs, birthtimeMs } = entry;
  return { entry, memory: { token, leftMtimeMs, birthtimeMs, beatAt: grantedAt, staleMs } };
}

async function writeFirstRecord(
  site: Site,
  request: ClaimRequest,
  token: string,
  lock: Pick<Entry, "mtimeMs" | "birthtimeMs">,
  inTime: () => Promise<boolean>,
): Promise<HolderRecord | null> {
  const fence = await nextFence(site, inTime);
  if (fence === null) return null;
  const record: HolderRecord = {
    ...await whoAndWhere(site, request.slug, token),
    mode: request.mode,
    childPid: null,
    childStart: null,
    acquiredAt: await site.sys.clock.wallMs(),
    beat: 0,
    heartbeatSeconds: heartbeatMs(request.staleMs) / 1000,
    stale: request.staleMs / 1000,
    fence,
    lockMtime: lock.mtimeMs,
    lockBirthtime: lock.birthtimeMs,
    ...(request.command && { command: [] }),
    ...(request.note !== undefined && { note: request.note }),
  };
  const { sys, paths } = site;
  const mtimeMs = await replaceFile(sys, paths, paths.record, JSON.stringify(record), inTime);
  if (mtimeMs === null) return null;
  site.clock.learn(mtimeMs, await sys.clock.moment());
  return record;
}

/** Another machine's taker of the right that does not go on is passed over after thirty seconds. */
const LATE_TRIES = 3;

/**
 * The lock may have been broken by age before our record said that we live. If it was not, it has to go: a
 * lock that our own living process leaves standing is broken by nobody while its lifeline is there.
 * @param told whether the log says already that we hold it
 * @throws the reason of `request.interrupt`
 */
async function giveBackLate(
  site: Site,
  { slug, interrupt }: ClaimRequest,
  memory: HoldMemory,
  told: boolean,
): Promise<void> {
  for (let tries = 1;; tries++) {
    const removed = await giveBack(site, { slug, memory, told });
    if (removed.outcome === "withdrawn" && told) await logIfPossible(site, slug, { event: "lost" });
    if (removed.outcome !== "blocked") return;
    interrupt?.throwIfAborted();
    // Left to age, or to who is about to remove it: our wait begins again, and ends with its time.
    if (tries === LATE_TRIES) return;
  }
}

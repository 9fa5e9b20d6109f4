/**
 * The lock for Deno programs: `acquire()` gives a hold that is given back when it is disposed of,
 * `withLock()` runs a function under one. It is the same lock as that of the command line: a folder made by
 * `mkdir`, with a log beside it, and programs and commands wait for each other in one line.
 *
 * ```ts
 * import { withLock } from "./mod.ts";
 *
 * await withLock({ dir: "@user", slug: "agent-1" }, async (hold) => {
 *   await migrate(hold.fence);
 * });
 *
 * async function migrate(fence: number): Promise<void> {
 *   console.log(`hold number ${fence}`);
 * }
 * ```
 *
 * What is guaranteed: of all that take part by the same rules, one at a time is inside. A hold beats while it
 * lasts; if an operator or a foreign program removes its lock, `hold.lost` is aborted at the next beat. A
 * program that runs under `lock_folder_util run` on the same lock holds it already: it goes straight through,
 * and what it gives back is nothing.
 *
 * A wait leaves nothing behind, so that a program may wait as often as it likes. For that the death of a holder
 * is looked for, once a second on a disk of this machine, where the command line is told by the kernel.
 *
 * @module
 */

import {
  DEFAULT_LOCK_NAME,
  DEFAULT_POLL_MS,
  DEFAULT_STALE_MS,
  DEFAULT_TIMEOUT_MS,
  POLL_FLOOR_MS,
  STALE_FLOOR_MS,
} from "./lock/times.ts";
import { LONGEST_DURATION_MS } from "./words/durations.ts";
import { lockPaths } from "./folder/state/layout.ts";
import { absolutePathFrom, sharedWord } from "./words/paths.ts";
import { HELD_VARIABLE, inheritedHolds, inheritedTokens } from "./lock/variables.ts";
import { isLockName, isSlug, LOCK_NAME_RULE, normalSlug, SLUG_RULE } from "./words/slugs.ts";
import { lookAtMount } from "./folder/place/mount.ts";
import { FolderService } from "./folder/service.ts";
import type { Hold, OuterHold } from "./lock/service.ts";
import { openSharedFolder } from "./folder/place/shared_folder.ts";
import { openCountedService } from "./folder/slots/open_service.ts";
import { checkSlots, parseSlots } from "./lock/slots.ts";
import { openSite } from "./folder/open_site.ts";
import { denoSys } from "./sys/deno/sys.ts";
import type { Host } from "./sys/sys.ts";

export { FolderUnusable, GaveUp, HoldLost, NotHolder, UsageError } from "./lock/failures.ts";
export type {
  BlockedRemoval,
  Circle,
  CircleLink,
  FenceMismatch,
  LossKind,
  Obstacle,
  SharedWord,
} from "./lock/failures.ts";
export type { HolderView, KeptPlace, Oddity, RemoverView, SlotsLook, Trace } from "./lock/views.ts";
export type { Hold, Waited } from "./lock/service.ts";

/** Which lock, who wants it, and how to wait for it. */
export interface LockOptions {
  /**
   * The folder that the lock is in; it must exist. `@git` is one for all worktrees of the repository around
   * the working folder, `@user` one for the user; these are made on first use.
   */
  readonly dir: string;
  /** Your name in the log: 1 to 64 visible characters, no white space. */
  readonly slug: string;
  /** Which lock in that folder; `lock` if not given. */
  readonly name?: string;
  /**
   * One of several: how many there are, or their names. All callers of one lock must say the same; `hold.slot` tells which it
   * is.
   */
  readonly slots?: number | readonly string[];
  /** Longest time between two looks at a lock that is held, in milliseconds; 15 seconds if not given. */
  readonly pollMs?: number;
  /** A lock without a sign of life for this long may be broken, in milliseconds; ten minutes if not given. */
  readonly staleMs?: number;
  /** How long to wait, in milliseconds: 0 tries once, null waits for ever; half an hour if not given. */
  readonly timeoutMs?: number | null;
  /** Aborted to call the wait off: `acquire()` then throws its reason, and holds nothing. */
  readonly signal?: AbortSignal;
}

/**
 * Acquires the lock. The hold beats until it is released or disposed of; `hold.lost` tells if somebody else
 * removed it.
 * @throws GaveUp when the time is over; FolderUnusable if the folder cannot be used; RangeError for an
 *   option that is out of its range; UsageError for other slots than the lock has; the reason of `signal` if
 *   that was aborted
 */
export async function acquire(options: LockOptions): Promise<Hold> {
  const {
    dir,
    slug: givenSlug,
    name = DEFAULT_LOCK_NAME,
    slots,
    pollMs = DEFAULT_POLL_MS,
    staleMs = DEFAULT_STALE_MS,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    signal,
  } = options;
  const slug = normalSlug(givenSlug);
  require(isSlug(slug), `slug must be ${SLUG_RULE}: current value is ${JSON.stringify(slug)}`);
  require(
    isLockName(name),
    `name must be ${LOCK_NAME_RULE}: current value is ${JSON.stringify(name)}`,
  );
  require(
    pollMs >= POLL_FLOOR_MS,
    `pollMs must be at least ${POLL_FLOOR_MS}: current value is ${pollMs}`,
  );
  require(
    staleMs >= STALE_FLOOR_MS && staleMs <= LONGEST_DURATION_MS,
    `staleMs must be from ${STALE_FLOOR_MS} to ${LONGEST_DURATION_MS}: current value is ${staleMs}`,
  );
  require(
    timeoutMs === null || timeoutMs >= 0,
    `timeoutMs must be 0 or more, or null: current value is ${timeoutMs}`,
  );
  const sys = denoSys();
  const paths = lockPaths(await lockFolder(sys, dir), name);
  const mount = await lookAtMount(sys.mounts, paths.dir);
  const site = openSite(sys, paths, { mount });
  const service = slots === undefined
    ? new FolderService(site, sys)
    : (await openCountedService(site, sys, slotNames(slots)))!;
  signal?.throwIfAborted();
  const held = sys.environment.get(HELD_VARIABLE);
  const around = await service.around(inheritedTokens(held));
  if (around) return inherited(service.lock, around);
  return await service.acquire({
    slug,
    mode: "run",
    pollMs,
    staleMs,
    timeoutMs,
    outlivesWait: true,
    within: inheritedHolds(held),
    ...(signal && { interrupt: signal }),
  });
}

function slotNames(slots: number | readonly string[]): readonly string[] {
  const parsed = typeof slots === "number" ? parseSlots(String(slots)) : checkSlots(slots);
  if ("slots" in parsed) return parsed.slots;
  throw new RangeError(`Cannot acquire the lock: slots: ${parsed.problem}`);
}

async function lockFolder({ files, environment }: Host, dir: string): Promise<string> {
  const word = sharedWord(dir);
  if (word !== null) return await openSharedFolder(word, files, environment);
  const path = absolutePathFrom(dir, environment.workingFolder);
  require(path !== null, `the working folder was removed, and dir is relative: ${dir}`);
  return path!;
}

/** The hold that this program is inside of already. */
function inherited(lock: string, { slug, token, fence }: OuterHold): Hold {
  const release = () => Promise.resolve();
  const lost = new AbortController().signal;
  const waited = { waitedMs: 0, place: 0 };
  return { slug, token, fence, lock, waited, lost, release, [Symbol.asyncDispose]: release };
}

function require(condition: boolean, message: string): void {
  if (!condition) throw new RangeError(`Cannot acquire the lock: ${message}`);
}

/**
 * Runs a function while holding the lock.
 * @return what the function returns
 * @throws as `acquire()`, and what the function throws; HoldLost if the lock turned out to be lost while it
 *   ran
 */
export async function withLock<T>(
  options: LockOptions,
  run: (hold: Hold) => Promise<T>,
): Promise<T> {
  const hold = await acquire(options);
  let result: T;
  try {
    result = await run(hold);
  } finally {
    await hold.release();
  }
  // Asked after the release: that finds out what no beat has found yet.
  if (hold.lost.aborted) throw hold.lost.reason;
  return result;
}

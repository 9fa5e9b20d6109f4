/**
 * Rules that look right and let two in: each is armed in place of the real one, and the simulation must find
 * it out. They are written down here so that nobody has to try them again.
 */

import type { HolderRecord } from "../../lib/folder/state/record.ts";
import { beat } from "../../lib/folder/beat.ts";
import type { Beaten, HoldState } from "../../lib/folder/still_ours.ts";
import { PROCEDURES } from "../../lib/folder/open_site.ts";
import type { Procedures, Site } from "../../lib/folder/site.ts";
import { takerFolder, takerWhoPath } from "../../lib/folder/state/layout.ts";
import { readTakers, takerState } from "../../lib/folder/removal/takers.ts";
import { whoAndWhere } from "../../lib/folder/state/lifeline.ts";
import type { Removal, Removed } from "../../lib/folder/removal/request.ts";

/** Stat, then rmdir: what stands there may be another lock by then. */
async function withoutTheRight(site: Site, removal: Removal): Promise<Removed> {
  if (!await removal.lookAgain()) return { outcome: "withdrawn" };
  await removal.announce();
  return await rmdir(site);
}

/** The right is taken, but what was seen before it was taken is believed. */
async function withoutLookingAgain(site: Site, removal: Removal): Promise<Removed> {
  const number = await takeNumber(
    site,
    removal,
    (takers) => Promise.resolve((takers.at(-1)?.number ?? 0) + 1),
  );
  if (number === null) return { outcome: "blocked", by: null, isMute: false, forMs: 0 };
  await removal.announce();
  const removed = await rmdir(site);
  await clear(site, number);
  return removed;
}

/** A dead taker's folder is removed to make room, and another's living one goes with it. */
async function clearingTheDeadFirst(site: Site, removal: Removal): Promise<Removed> {
  const number = await takeNumber(site, removal, async (takers) => {
    for (const taker of takers) await clear(site, taker.number);
    return 1;
  });
  if (number === null) return { outcome: "blocked", by: null, isMute: false, forMs: 0 };
  const look = await removal.lookAgain();
  if (look) {
    await removal.announce();
    await rmdir(site);
  }
  await clear(site, number);
  return look ? { outcome: "removed" } : { outcome: "withdrawn" };
}

/** The lock is known again by its inode number, which the next mkdir gets too. */
async function identityByInode(site: Site, removal: Removal): Promise<Removed> {
  const judged = await inode(site);
  await site.sys.clock.monotonicMs();
  if (judged === null || await inode(site) !== judged) return { outcome: "withdrawn" };
  await removal.announce();
  return await rmdir(site);
}

async function inode(site: Site): Promise<number | null> {
  const entry = await site.sys.files.entry(site.paths.lock);
  return (entry as { inode?: number } | null)?.inode ?? null;
}

/** The lock is renamed aside to look at it in peace, and renamed back if it was another's. */
async function renamingAside(site: Site, removal: Removal): Promise<Removed> {
  const { files, random } = site.sys;
  const before = await files.entry(site.paths.lock);
  const aside = `${site.paths.dir}/.aside-${await random.token()}`;
  try {
    await files.rename(site.paths.lock, aside);
  } catch {
    return { outcome: "withdrawn" };
  }
  const after = await files.entry(aside);
  if (before?.mtimeMs === after?.mtimeMs) {
    await removal.announce();
    await files.removeFolder(aside);
    return { outcome: "removed" };
  }
  await files.rename(aside, site.paths.lock).catch(() => {});
  return { outcome: "withdrawn" };
}

/**
 * The lifeline is left when the lock goes: the record then speaks for the next lock made in the same tick, and
 * says that its holder is dead.
 */
async function leavingTheLifeline(site: Site, removal: Removal): Promise<Removed> {
  return await PROCEDURES.removeLock(site, { ...removal, lockToken: null });
}

/** A holder that was thought dead goes on freshening what stands there. */
async function beatingBlindly(site: Site, state: HoldState): Promise<Beaten> {
  const { files } = site.sys;
  const entry = await files.entry(site.paths.lock);
  if (!entry) return { outcome: "lost" };
  const record: HolderRecord = {
    ...state.record,
    beat: state.record.beat + 1,
    lockMtime: entry.mtimeMs,
  };
  const scratch = `${site.paths.state}/.new-${await site.sys.random.token()}`;
  const mtimeMs = await files.create(scratch, JSON.stringify(record));
  await files.rename(scratch, site.paths.record);
  await files.setMtime(site.paths.lock, mtimeMs);
  return { outcome: "ours", state: { record, memory: { ...state.memory, leftMtimeMs: mtimeMs } } };
}

async function rmdir(site: Site): Promise<Removed> {
  await site.sys.files.removeFolder(site.paths.lock).catch(() => {});
  return { outcome: "removed" };
}

async function takeNumber(
  site: Site,
  removal: Removal,
  choose: (takers: Awaited<ReturnType<typeof readTakers>>) => Promise<number>,
): Promise<number | null> {
  const { files, random } = site.sys;
  const takers = await readTakers(site);
  for (const taker of takers) if (await takerState(site, taker) !== "gone") return null;
  const number = await choose(takers);
  await files.makeFolder(site.paths.state).catch(() => {});
  await files.makeFolder(site.paths.removing).catch(() => {});
  try {
    await files.makeFolder(takerFolder(site.paths, number));
    const who = { ...await whoAndWhere(site, removal.slug, await random.token()), lockToken: null };
    await files.create(takerWhoPath(site.paths, number), JSON.stringify(who));
    return number;
  } catch {
    return null;
  }
}

async function clear(site: Site, number: number): Promise<void> {
  await site.sys.files.removeFile(takerWhoPath(site.paths, number)).catch(() => false);
  await site.sys.files.removeFolder(takerFolder(site.paths, number)).catch(() => {});
}

export interface WrongVariant {
  readonly name: string;
  readonly procedures: Procedures;
  /** Seen as two winners, or only as a step that the invariants forbid. */
  readonly showsAs: "overlap" | "wrong step";
  /** It takes two locks made within one tick of the file system's clock. */
  readonly coarseClock?: boolean;
}

const remove = (removeLock: Procedures["removeLock"]): Procedures => ({
  ...PROCEDURES,
  removeLock,
});

export const WRONG_VARIANTS: readonly WrongVariant[] = [
  {
    name: "breaking without the right to remove",
    procedures: remove(withoutTheRight),
    showsAs: "overlap",
  },
  {
    name: "the right without looking again",
    procedures: remove(withoutLookingAgain),
    showsAs: "overlap",
  },
  {
    name: "clearing a dead taker's folder first",
    procedures: remove(clearingTheDeadFirst),
    showsAs: "overlap",
  },
  { name: "identity by inode", procedures: remove(identityByInode), showsAs: "overlap" },
  { name: "renaming aside and back", procedures: remove(renamingAside), showsAs: "overlap" },
  {
    name: "a record that outlives its hold",
    procedures: remove(leavingTheLifeline),
    showsAs: "overlap",
    coarseClock: true,
  },
  {
    name: "a heartbeat without an ownership check",
    procedures: { ...PROCEDURES, beat: beatingBlindly as typeof beat },
    showsAs: "wrong step",
  },
];

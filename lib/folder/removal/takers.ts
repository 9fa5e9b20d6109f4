/** The numbered folders in `removing/`: who has taken, or is taking, the right to remove the lock. */

import { faultCode } from "../../sys/faults.ts";
import {
  isSameMachine,
  parseWhoAndWhere,
  RECORD_LARGEST_BYTES,
  type WhoAndWhere,
} from "../state/record.ts";
import { takerFolder, takerLifePath, takerWhoPath } from "../state/layout.ts";
import { resumeSightings } from "../verdict/sightings.ts";
import { fileLockState, lifeOf } from "../state/lifeline.ts";
import type { Site } from "../site.ts";
import type { TakerWho } from "./request.ts";

export interface Taker {
  readonly number: number;
  /** `nameless` while it has not yet written its `who.json`; `unreadable` if that could not be read just now. */
  readonly who: TakerWho | "nameless" | "unreadable";
  /** Mtime of its `who.json` by the file system's clock; 0 if there is none. */
  readonly whoMtimeMs: number;
}

/**
 * A taker on another machine (whose processes we cannot see) counts as gone when we have seen it stand for this
 * long. It acts within twenty seconds of taking the right, and of what its share may lag behind, or gives up: see
 * `right.ts`.
 */
export const STRANGER_GONE_MS = 60_000;

/**
 * A taker without a `who.json` was killed between two steps, or is about to write it: then it will look, find
 * us, and wait. The one that writes first and looks afterwards sees the other, so passing it over is safe at any
 * time; the second spares those who are merely slow.
 */
const NAMELESS_GONE_MS = 1000;

/** Takers are cleared after each removal, so real numbers stay small: a higher one was planted, and counts for nothing. */
const HIGHEST_NUMBER = 9_999_999;

/** All takers that stand there, lowest number first. */
export async function readTakers(site: Site): Promise<Taker[]> {
  const names = await site.sys.files.list(site.paths.removing) ?? [];
  const numbers = names.filter((name) => /^[1-9]\d{0,7}$/.test(name)).map(Number).filter((number) =>
    number <= HIGHEST_NUMBER
  )
    .sort((a, b) => a - b);
  const takers: Taker[] = [];
  for (const number of numbers) takers.push(await readTaker(site, number));
  return takers;
}

/**
 * Reads who a taker is. Its folder is listed first: a network client may remember for half a minute that there was
 * no `who.json`, and would pass over a taker that has signed since.
 */
export async function readTaker(site: Site, number: number): Promise<Taker> {
  const { files } = site.sys;
  try {
    await files.list(takerFolder(site.paths, number));
    const content = await files.read(takerWhoPath(site.paths, number), RECORD_LARGEST_BYTES);
    const who = content && parseTakerWho(content.text);
    return { number, who: who ?? "nameless", whoMtimeMs: who ? content.mtimeMs : 0 };
  } catch (fault) {
    if (faultCode(fault) === null) throw fault;
    return { number, who: "unreadable", whoMtimeMs: 0 };
  }
}

function parseTakerWho(text: string): TakerWho | null {
  const who = parseWhoAndWhere(text) as (WhoAndWhere & { lockToken?: unknown }) | null;
  return who && { ...who, lockToken: typeof who.lockToken === "string" ? who.lockToken : null };
}

/** What the taker wrote of itself; null if that is not known. */
export function signedBy({ who }: Taker): TakerWho | null {
  return typeof who === "object" ? who : null;
}

/** `mute`: it may live, but nothing here can tell. It counts as gone once it was seen to stand for long enough. */
export type TakerState = "lives" | "mute" | "gone";

/**
 * Whether a taker may still act. A taker that holds the file lock of its `alive` lives, whether or not its process
 * can be seen; but a server may keep the file lock of a machine that is dead.
 */
export async function takerState(site: Site, taker: Taker): Promise<TakerState> {
  if (taker.who === "nameless") return await namelessState(site, taker);
  const who = signedBy(taker);
  // One that we could not clear away names us for as long as we live: what we mean to do, we know.
  if (who && await isOwnProcess(site, who)) {
    return site.sys.processes.takings.has(who.token) ? "lives" : "gone";
  }
  const lock = await fileLockState(site, takerLifePath(site.paths, taker.number));
  if (lock === "locked" && site.mount.locksProveLife) return "lives";
  const life = who ? await lifeOf(site, who) : "unknown";
  if (life === "gone") return "gone";
  // On a disk of this machine a free file lock says that it has done, and could not clear its folder away.
  const hasDone = lock === "free" && site.mount.isLocalDisk;
  if (life === "alive" && !hasDone) return "lives";
  if (await hasStood(site, taker)) return "gone";
  return await resumeSightings(site) && await hasStood(site, taker) ? "gone" : "mute";
}

async function hasStood(site: Site, taker: Taker): Promise<boolean> {
  const stoodMs = await stoodForMs(site, taker);
  return stoodMs === null || stoodMs >= STRANGER_GONE_MS;
}

async function isOwnProcess(site: Site, who: WhoAndWhere): Promise<boolean> {
  const self = await site.sys.processes.self();
  return who.pid === self.pid && who.processStart === self.processStart &&
    isSameMachine(who.machine, self.machine);
}

async function namelessState(site: Site, taker: Taker): Promise<TakerState> {
  const stoodMs = await stoodForMs(site, taker);
  if (stoodMs === null || stoodMs >= NAMELESS_GONE_MS) return "gone";
  const entry = await site.sys.files.entry(takerFolder(site.paths, taker.number));
  const isOld = !entry || await site.clock.nowMs() - entry.mtimeMs >= NAMELESS_GONE_MS;
  return isOld ? "gone" : "mute";
}

/**
 * For how long we have seen this very taker stand; null if it stands no more. Its age by the file system's clock
 * would not do: a clock that is set forward makes a taker old that came a moment ago.
 */
async function stoodForMs(site: Site, taker: Taker): Promise<number | null> {
  const entry = await site.sys.files.entry(takerFolder(site.paths, taker.number));
  if (!entry) return null;
  const seen = `${signedBy(taker)?.token} ${entry.mtimeMs}`;
  return await site.sightings.stillForMs(`taker ${taker.number}`, seen);
}

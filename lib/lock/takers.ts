/** The numbered folders in `removing/`: who has taken, or is taking, the right to remove the lock. */

import { faultCode } from "../core/faults.ts";
import { parseWhoAndWhere, RECORD_LARGEST_BYTES, type WhoAndWhere } from "../core/record.ts";
import { takerFolder, takerWhoPath } from "../core/paths.ts";
import { isFileLocked, lifeOf } from "./life.ts";
import type { Site } from "./site.ts";

export interface TakerWho extends WhoAndWhere {
  /** Token of the hold that it means to remove; null if no record speaks for it. */
  readonly lockToken: string | null;
}

export interface Taker {
  readonly number: number;
  /** Null while it has not yet written its `who.json`, or if that cannot be read. */
  readonly who: TakerWho | null;
  /** Mtime of its `who.json` by the file system's clock; 0 if there is none. */
  readonly whoMtimeMs: number;
}

/**
 * A taker on another machine (whose processes we cannot see) counts as gone when it has stood for this long. It
 * looks within ten seconds of taking the right and acts within twenty, or gives up: see `remove.ts`.
 */
const STRANGER_GONE_MS = 30_000;

/**
 * A taker without a `who.json` was killed between two steps, or is about to write it: then it will look, find
 * us, and wait. Whoever writes first and looks afterwards sees the other, so passing it over is safe at any
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

export async function readTaker(site: Site, number: number): Promise<Taker> {
  try {
    const content = await site.sys.files.read(
      takerWhoPath(site.paths, number),
      RECORD_LARGEST_BYTES,
    );
    const who = content && parseTakerWho(content.text);
    return { number, who, whoMtimeMs: who ? content.mtimeMs : 0 };
  } catch (fault) {
    if (faultCode(fault) === null) throw fault;
    return { number, who: null, whoMtimeMs: 0 };
  }
}

function parseTakerWho(text: string): TakerWho | null {
  const who = parseWhoAndWhere(text) as (WhoAndWhere & { lockToken?: unknown }) | null;
  return who && { ...who, lockToken: typeof who.lockToken === "string" ? who.lockToken : null };
}

/**
 * Whether a taker will never act: its process is dead, or it has stood there for too long. One that holds the
 * file lock of its `who.json` lives, whether or not its process can be seen.
 */
export async function takerIsGone(site: Site, taker: Taker): Promise<boolean> {
  if (!taker.who) return await stoodFor(site, taker, NAMELESS_GONE_MS);
  const life = await lifeOf(site, taker.who);
  if (life !== "unknown") return life === "gone";
  return await stoodFor(site, taker, STRANGER_GONE_MS) &&
    !await isFileLocked(site, takerWhoPath(site.paths, taker.number));
}

async function stoodFor(site: Site, taker: Taker, ms: number): Promise<boolean> {
  const entry = await site.sys.files.entry(takerFolder(site.paths, taker.number));
  if (!entry) return true;
  const stillForMs = await site.sightings.stillForMs(
    `taker ${taker.number}`,
    `${taker.who?.token} ${entry.mtimeMs}`,
  );
  return stillForMs >= ms || await site.clock.nowMs() - entry.mtimeMs >= ms;
}

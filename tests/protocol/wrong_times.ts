/**
 * Rules about time that look right and let two in where machines sleep and clocks are set: each is armed in place
 * of the real one, and the simulation must find it out.
 */

import { PROCEDURES } from "../../lib/folder/open_site.ts";
import { FolderClock } from "../../lib/folder/verdict/folder_clock.ts";
import { type Seen, Sightings } from "../../lib/folder/verdict/sightings.ts";
import type { Procedures, Site } from "../../lib/folder/site.ts";
import type { Job } from "./scripts.ts";

/** The two clocks differ by this, on each machine from its start on. */
const START = new WeakMap<Site, number>();

/** Too late by the monotonic clock alone, which stands still while the machine sleeps. */
function deafToSleep(site: Site): Site {
  const { clock } = site.sys;
  const moment = async () => {
    const { monotonicMs, wallMs } = await clock.moment();
    const aheadMs = START.get(site) ?? wallMs - monotonicMs;
    START.set(site, aheadMs);
    return { monotonicMs, wallMs: monotonicMs + aheadMs };
  };
  return { ...site, sys: { ...site.sys, clock: { ...clock, moment } } };
}

const removesDeaf: Procedures = {
  ...PROCEDURES,
  removeLock: (site, removal) => PROCEDURES.removeLock(deafToSleep(site), removal),
};

const beatsDeaf: Procedures = {
  ...PROCEDURES,
  beat: (site, state) => PROCEDURES.beat(deafToSleep(site), state),
};

/** A reading is kept for ten seconds whatever happens to the wall clock, and paired with what came before it. */
class StubbornFolderClock extends FolderClock {
  #reading: { folderMs: number; atMs: number } | null = null;

  constructor(readonly site: Site) {
    super(site.sys, site.paths);
  }

  override async nowMs(): Promise<number> {
    const atMs = await this.site.sys.clock.monotonicMs();
    if (!this.#reading || atMs - this.#reading.atMs > 10_000) {
      const folderMs = await super.readMs();
      if (folderMs === null) return await this.site.sys.clock.wallMs();
      this.#reading = { folderMs, atMs };
    }
    return Math.floor(this.#reading.folderMs + atMs - this.#reading.atMs);
  }

  /** Also in the look under the right to remove. */
  override async readMs(): Promise<number | null> {
    return this.#reading ? await this.nowMs() : await super.readMs();
  }
}

/** What is old is expired: that it stood still need not be seen. */
class Hasty extends Sightings {
  override async stillForMs(what: string, value: string): Promise<number> {
    const stillForMs = await super.stillForMs(what, value);
    return what === "beat" || what.startsWith("lock") ? Infinity : stillForMs;
  }
}

/** What others have watched is counted, whatever they saw. */
class Credulous extends Sightings {
  override async stillForMs(what: string, value: string): Promise<number> {
    return await super.stillForMs(what, value) + (what === "beat" ? this.#creditMs : 0);
  }

  #creditMs = 0;

  override async resume(readEarlier: () => Promise<Seen>): Promise<boolean> {
    return await super.resume(async () => {
      const earlier = await readEarlier();
      this.#creditMs = earlier.beat?.stillForMs ?? 0;
      return earlier;
    });
  }
}

/** Every guard against being late is deaf. */
export const DEAF: Pick<Job, "armed"> = { armed: deafToSleep };
export const REMOVES_DEAF: Pick<Job, "procedures"> = { procedures: removesDeaf };
export const BEATS_DEAF: Pick<Job, "procedures"> = { procedures: beatsDeaf };
export const STUBBORN: Pick<Job, "armed"> = {
  armed: (site) => ({ ...site, clock: new StubbornFolderClock(site) }),
};
export const HASTY: Pick<Job, "armed"> = {
  armed: (site) => ({ ...site, sightings: new Hasty(site.sys.clock) }),
};
export const CREDULOUS: Pick<Job, "armed"> = {
  armed: (site) => ({ ...site, sightings: new Credulous(site.sys.clock) }),
};

/**
 * A waiter's ticket: its place in line. Its lifeline, which has the same random name, shows that its process lives.
 *
 * The lifeline is made and file-locked first, and goes last, so that no ticket is ever seen without it. The ticket is
 * made under a hidden name and renamed into the queue, so that it is never seen half written. Both can be lost
 * (anybody may delete the state folder): then they are made again under the same names, so that the order stays.
 */

import {
  behindAll,
  inOrder,
  nextTicketName,
  ticketInPlaceOf,
  tokenOfTicket,
  type Turn,
  turnOf,
} from "./order.ts";
import {
  hiddenTicketPath,
  lifelinePath,
  placePath,
  rehearsalFolder,
  ticketPath,
} from "../state/layout.ts";
import { keptForMs, leaveInPlace, placeNames, placesKept, takePlace } from "./places.ts";
import { parseWhoAndWhere, RECORD_LARGEST_BYTES } from "../state/record.ts";
import type { OpenFile } from "../../sys/sys.ts";
import {
  fileLockState,
  lifelineStands,
  lifeOf,
  makeLifeline,
  removeLifeline,
  whoAndWhere,
} from "../state/lifeline.ts";
import { inState, removeScratchFolder, removeSurely } from "../state/state_files.ts";
import type { Site } from "../site.ts";
import type { KeptPlace } from "../../lock/views.ts";

/** A waiter freshens its ticket this often. */
const FRESHEN_EVERY_MS = 20_000;
/** A ticket that nobody freshened for three times as long is left by a process that we cannot see. */
const ABANDONED_MS = 60_000;

export class Ticket {
  readonly #site: Site;
  readonly #text: string;
  readonly name: string;
  /** Random name of the wait, and of the hold that comes of it. */
  readonly token: string;
  /** Token of the earlier wait of this slug in whose place it stands; null if there was none. */
  readonly after: string | null;
  /** When it joined the line, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly #keepPlaceMs: number;
  #lifeline: OpenFile;
  #freshAtMs: number;

  private constructor(
    site: Site,
    who: {
      readonly name: string;
      readonly token: string;
      readonly text: string;
      readonly after: string | null;
      readonly sinceMs: number;
      readonly keepPlaceMs: number;
    },
    lifeline: OpenFile,
    freshAtMs: number,
  ) {
    this.#site = site;
    this.name = who.name;
    this.token = who.token;
    this.#text = who.text;
    this.after = who.after;
    this.sinceMs = who.sinceMs;
    this.#keepPlaceMs = who.keepPlaceMs;
    this.#lifeline = lifeline;
    this.#freshAtMs = freshAtMs;
  }

  /**
   * Takes the place that an earlier wait of this slug has left, or else the next one in line.
   * @param token random name of the wait, and of the hold that comes of it
   * @param within what its caller holds meanwhile
   * @param keepPlaceMs for how long the place is kept when the wait ends without a hold; 0 for not at all
   */
  static async take(
    site: Site,
    slug: string,
    token: string,
    { keepPlaceMs = 0, note, within = [] }: {
      readonly keepPlaceMs?: number;
      readonly note?: string;
      readonly within?: readonly string[];
    } = {},
  ): Promise<Ticket> {
    const { clock, files } = site.sys;
    const nowMs = await clock.monotonicMs();
    const lifeline = await makeLifeline(site, token);
    const place = await takePlace(site, slug, token).catch(() => null);
    try {
      const name = place ? ticketInPlaceOf(place.name, token) : nextTicketName(
        [...await files.list(site.paths.queue) ?? [], ...await placeNames(site)],
        token,
      );
      const sinceMs = await clock.wallMs();
      const text = JSON.stringify({
        ...await whoAndWhere(site, slug, token),
        waitingSince: place?.waitingSince ?? sinceMs,
        ...(keepPlaceMs > 0 && { keepPlaceMs }),
        ...(note !== undefined && { note }),
        ...(within.length > 0 && { within }),
      });
      await putInLine(site, name, text);
      await place?.forget();
      const after = place && tokenOfTicket(place.name);
      const who = { name, token, text, after, sinceMs, keepPlaceMs };
      return new Ticket(site, who, lifeline, nowMs);
    } catch (failure) {
      await place?.putBack();
      await removeLifeline(site, token);
      await lifeline.close();
      throw failure;
    }
  }

  get #path(): string {
    return ticketPath(this.#site.paths, this.name);
  }

  /** Our place, after the dead ahead of us have been taken out of the line. */
  async turn(aheadIsLocked: (ahead: string) => boolean): Promise<Turn> {
    await this.#freshen();
    // A share may go on listing what is gone: nobody must spin on that.
    const gone = new Set<string>();
    for (let hasRejoined = false;;) {
      const listed = await this.#site.sys.files.list(this.#site.paths.queue) ?? [];
      const names = listed.filter((name) => !gone.has(name));
      const seen = turnOf(names, this.name);
      if (!seen && !hasRejoined) {
        await this.#rejoin();
        hasRejoined = true;
        continue;
      }
      // Made again, and still not seen: a share may list it later.
      const turn = seen ?? behindAll(names);
      const { ahead } = turn;
      if (!ahead || aheadIsLocked(ahead) || !await removeIfDead(this.#site, ahead)) return turn;
      gone.add(ahead);
    }
  }

  async #rejoin(): Promise<void> {
    await this.#keepLifeline();
    await putInLine(this.#site, this.name, this.#text);
    // We were taken for one that had left.
    await this.#site.sys.files.removeFile(placePath(this.#site.paths, this.name)).catch(() => {});
  }

  async #keepLifeline(): Promise<void> {
    if (await lifelineStands(this.#site, this.token)) return;
    const lost = this.#lifeline;
    this.#lifeline = await makeLifeline(this.#site, this.token);
    await lost.close();
  }

  async #freshen(): Promise<void> {
    const { clock, files } = this.#site.sys;
    const nowMs = await clock.monotonicMs();
    if (nowMs - this.#freshAtMs < FRESHEN_EVERY_MS) return;
    this.#freshAtMs = nowMs;
    // A ticket that is gone is found missing by the look that follows.
    await files.setMtime(this.#path, await this.#site.clock.nowMs()).catch(() => {});
  }

  /**
   * The wait is over: the ticket goes, and the lifeline becomes that of the hold, so that the one which waits on it
   * goes on waiting until the hold ends. The hold of a slot has a lifeline of its own: the next in line may have another
   * slot, and goes on at once.
   * @param slot what was granted
   * @throws FileFault if the lifeline was deleted and cannot be made again
   */
  async handOverLifeline(slot: Site): Promise<OpenFile> {
    if (slot.paths.alive === this.#site.paths.alive) {
      await this.#takeOutOfLine();
      await this.#keepLifeline();
      return this.#lifeline;
    }
    const lifeline = await makeLifeline(slot, this.token);
    await this.#takeOutOfLine();
    await removeLifeline(this.#site, this.token);
    await this.#lifeline.close();
    return lifeline;
  }

  /**
   * Leaves the line: the ticket goes first, so that nobody finds one whose waiter shows no life.
   * @return the place that is kept; null if none is
   */
  async leave(): Promise<KeptPlace | null> {
    const hasPlace = this.#keepPlaceMs > 0 && await leaveInPlace(this.#site, this.name);
    if (!hasPlace) await this.#takeOutOfLine();
    await removeLifeline(this.#site, this.token);
    await this.#lifeline.close();
    return hasPlace ? await this.#keptPlace().catch(() => null) : null;
  }

  /** From now on, and not from when the ticket was last freshened. */
  async #keptPlace(): Promise<KeptPlace | null> {
    const { files } = this.#site.sys;
    const nowMs = await this.#site.clock.nowMs();
    await files.setMtime(placePath(this.#site.paths, this.name), nowMs);
    const absent = (await placesKept(this.#site)).map(({ name }) => name);
    const all = inOrder([...absent, ...await files.list(this.#site.paths.queue) ?? []]);
    const index = all.indexOf(this.name);
    return index < 0
      ? null
      : { place: index + 1, of: all.length, untilMs: nowMs + this.#keepPlaceMs };
  }

  /** One error that passes must not leave a ticket in line that those behind it have to outwait. */
  async #takeOutOfLine(): Promise<void> {
    const { files } = this.#site.sys;
    const wasThere = await removeSurely(files, this.#path);
    // We were taken for one that had left.
    if (wasThere === false) await removeSurely(files, placePath(this.#site.paths, this.name));
  }
}

async function putInLine(site: Site, name: string, text: string): Promise<void> {
  const { files, random } = site.sys;
  const hidden = hiddenTicketPath(site.paths, name, await random.token());
  await inState(files, site.paths.state, site.paths.queue, async () => {
    await files.create(hidden, text);
    try {
      await files.rename(hidden, ticketPath(site.paths, name));
    } catch (fault) {
      await files.removeFile(hidden).catch(() => false);
      throw fault;
    }
  });
}

/**
 * Takes a dead waiter's ticket out of the line. A waiter of this machine is dead when its process is gone. Any other
 * has left its ticket behind when nobody has freshened it for long, and its lifeline is not file-locked: a server
 * that lives on may have failed to remove it. A free file lock alone proves nothing: on another mount of the same
 * folder every lock looks free.
 * @return true if the ticket is gone
 */
async function removeIfDead(site: Site, name: string): Promise<boolean> {
  const path = ticketPath(site.paths, name);
  const content = await site.sys.files.read(path, RECORD_LARGEST_BYTES).catch(() => undefined);
  if (content === null) return true;
  const who = content ? parseWhoAndWhere(content.text) : null;
  const isGone = who !== null && await lifeOf(site, who) === "gone";
  if (!isGone && !await isAbandoned(site, name)) return false;
  const token = tokenOfTicket(name);
  // One that became a holder, and could not remove its ticket, keeps its lifeline, and no place.
  const hasHeld = await isHolders(site, token);
  const isKept = !hasHeld && content !== undefined && keptForMs(content.text) > 0 &&
    await leaveInPlace(site, name);
  if (!isKept) await site.sys.files.removeFile(path).catch(() => false);
  if (isGone && !hasHeld) await removeLifeline(site, token);
  await removeScratchFolder(site.sys.files, rehearsalFolder(site.paths, token)).catch(() => {});
  return await site.sys.files.entry(path).catch(() => undefined) === null;
}

/** Whether the record is that of this hold. */
async function isHolders(site: Site, token: string): Promise<boolean> {
  for (const { paths } of site.slots ?? [site]) {
    const content = await site.sys.files.read(paths.record, RECORD_LARGEST_BYTES)
      .catch(() => undefined);
    if (content === undefined || content?.text.includes(token)) return true;
  }
  return false;
}

async function isAbandoned(site: Site, name: string): Promise<boolean> {
  const entry = await site.sys.files.entry(ticketPath(site.paths, name));
  if (!entry) return true;
  const stillForMs = await site.sightings.stillForMs(`ticket ${name}`, String(entry.mtimeMs));
  const isOld = stillForMs > ABANDONED_MS ||
    await site.clock.nowMs() - entry.mtimeMs > ABANDONED_MS;
  if (!isOld || !site.mount.locksProveLife) return isOld;
  return await fileLockState(site, lifelinePath(site.paths, tokenOfTicket(name))) !== "locked";
}

/** All tickets in order, for those who only want to see. */
export async function ticketsInOrder(site: Site): Promise<string[]> {
  return inOrder(await site.sys.files.list(site.paths.queue) ?? []);
}

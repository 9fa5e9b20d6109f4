/**
 * A waiter's ticket: its place in line, file-locked for as long as its process lives.
 *
 * It is made under a hidden name, file-locked, then renamed into the queue, so that no ticket is ever seen
 * without its lock. It can be lost (anybody may delete the state folder): then it is made again under the
 * same name, so that the order stays.
 */

import { behindAll, inOrder, nextTicketName, type Turn, turnOf } from "../core/line.ts";
import { hiddenTicketPath, rehearsalFolder, ticketPath } from "../core/paths.ts";
import { parseWhoAndWhere, RECORD_LARGEST_BYTES } from "../core/record.ts";
import type { OpenFile } from "../sys/sys.ts";
import { newLifeline } from "./claim.ts";
import { isFileLocked, lifeOf } from "./life.ts";
import { removeScratchFolder } from "./scratch_folder.ts";
import { inState } from "./state_files.ts";
import type { Site } from "./site.ts";
import { whoAndWhere } from "./who.ts";

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
  #file: OpenFile;
  #freshAtMs: number;

  private constructor(
    site: Site,
    who: { readonly name: string; readonly token: string; readonly text: string },
    file: OpenFile,
    freshAtMs: number,
  ) {
    this.#site = site;
    this.name = who.name;
    this.token = who.token;
    this.#text = who.text;
    this.#file = file;
    this.#freshAtMs = freshAtMs;
  }

  /**
   * Takes the next place in line.
   * @param token random name of the wait, and of the hold that comes of it
   */
  static async take(site: Site, slug: string, token: string): Promise<Ticket> {
    const names = await site.sys.files.list(site.paths.queue) ?? [];
    const name = nextTicketName(names, token);
    const text = JSON.stringify({
      ...await whoAndWhere(site, slug, token),
      waitingSince: await site.sys.clock.wallMs(),
    });
    const nowMs = await site.sys.clock.monotonicMs();
    return new Ticket(site, { name, token, text }, await putInLine(site, name, text), nowMs);
  }

  get #path(): string {
    return ticketPath(this.#site.paths, this.name);
  }

  /** Our place, after the dead ahead of us have been taken out of the line. */
  async turn(aheadIsLocked: (ahead: string) => boolean): Promise<Turn> {
    await this.#freshen();
    for (let hasRejoined = false;;) {
      const names = await this.#site.sys.files.list(this.#site.paths.queue) ?? [];
      const seen = turnOf(names, this.name);
      if (!seen && !hasRejoined) {
        await this.#rejoin();
        hasRejoined = true;
        continue;
      }
      // Made again, and still not seen: a share may list it later. Nobody must spin on that.
      const turn = seen ?? behindAll(names);
      const { ahead } = turn;
      if (!ahead || aheadIsLocked(ahead) || !await removeIfDead(this.#site, ahead)) return turn;
    }
  }

  async #rejoin(): Promise<void> {
    const lost = this.#file;
    this.#file = await putInLine(this.#site, this.name, this.#text);
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
   * The ticket becomes the lifeline of the hold: same file, same file lock, so that whoever waits on it goes
   * on waiting until the hold ends.
   */
  async becomeLifeline(path: string): Promise<OpenFile> {
    const { files } = this.#site.sys;
    try {
      await inState(
        files,
        this.#site.paths.state,
        this.#site.paths.alive,
        () => files.rename(this.#path, path),
      );
      return this.#file;
    } catch {
      const file = await newLifeline(this.#site, path, this.#text);
      await this.leave();
      return file;
    }
  }

  /** Leaves the line: first out of the queue, then the file lock, so that nobody finds it free in the queue. */
  async leave(): Promise<void> {
    await this.#site.sys.files.removeFile(this.#path).catch(() => false);
    await this.#file.close();
  }
}

async function putInLine(site: Site, name: string, text: string): Promise<OpenFile> {
  const { files, random } = site.sys;
  const hidden = hiddenTicketPath(site.paths, name, await random.token());
  return await inState(files, site.paths.state, site.paths.queue, async () => {
    const file = await files.openNew(hidden, text);
    try {
      await file.tryLock("exclusive");
      await files.rename(hidden, ticketPath(site.paths, name));
      return file;
    } catch (fault) {
      await file.close();
      await files.removeFile(hidden).catch(() => false);
      throw fault;
    }
  });
}

/**
 * Takes a dead waiter's ticket out of the line. A waiter of this machine is dead when its process is gone;
 * one that we cannot see, when its ticket has not been freshened and nobody holds its file lock. A free file
 * lock alone proves nothing: on another mount of the same folder every lock looks free.
 * @return true if the ticket is gone
 */
async function removeIfDead(site: Site, name: string): Promise<boolean> {
  const path = ticketPath(site.paths, name);
  const content = await site.sys.files.read(path, RECORD_LARGEST_BYTES).catch(() => undefined);
  if (content === null) return true;
  const who = content ? parseWhoAndWhere(content.text) : null;
  const life = who ? await lifeOf(site, who) : "unknown";
  if (life === "alive") return false;
  if (life === "unknown" && !await isAbandoned(site, name)) return false;
  await site.sys.files.removeFile(path).catch(() => false);
  if (who) {
    await removeScratchFolder(site.sys.files, rehearsalFolder(site.paths, who.token)).catch(
      () => {},
    );
  }
  return await site.sys.files.entry(path).catch(() => undefined) === null;
}

async function isAbandoned(site: Site, name: string): Promise<boolean> {
  const entry = await site.sys.files.entry(ticketPath(site.paths, name));
  if (!entry) return true;
  const stillForMs = await site.sightings.stillForMs(`ticket ${name}`, String(entry.mtimeMs));
  const old = stillForMs > ABANDONED_MS || await site.clock.nowMs() - entry.mtimeMs > ABANDONED_MS;
  return old && !await isFileLocked(site, ticketPath(site.paths, name));
}

/** All tickets in order, for those who only want to see. */
export async function ticketsInOrder(site: Site): Promise<string[]> {
  return inOrder(await site.sys.files.list(site.paths.queue) ?? []);
}

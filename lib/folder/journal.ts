/**
 * Writing the journal, off the way of everything else: what happened is kept in memory, and written when nobody waits
 * for us. Failing is no matter.
 */

import { type JournalEntry, journalLine } from "../log/journal.ts";
import type { Site } from "./site.ts";

/** A year of a busy lock; it and the one before it are soon read. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** The one older file that is kept. @param path of the journal */
export function olderJournal(path: string): string {
  return `${path}.1`;
}

export class Journal {
  readonly #site: Site;
  readonly #entries: JournalEntry[] = [];

  constructor(site: Site) {
    this.#site = site;
  }

  /** @param atMs by this machine's clock, in milliseconds since 1970; now if it is not given */
  async note(entry: Omit<JournalEntry, "atMs">, atMs?: number): Promise<void> {
    if (!this.#site.keepsJournal) return;
    this.#entries.push({ atMs: atMs ?? await this.#site.sys.clock.wallMs(), ...entry });
  }

  /** Writes what was noted. The largest file is put aside, in place of an earlier one. */
  async write(): Promise<void> {
    const text = this.#entries.splice(0).map(journalLine).join("");
    if (text === "") return;
    const { sys: { files }, paths: { journal } } = this.#site;
    try {
      await files.append(journal, text);
      const entry = await files.entry(journal);
      if (entry && entry.sizeBytes > LARGEST_BYTES) {
        await files.rename(journal, olderJournal(journal));
      }
    } catch {
      // Nothing depends on it.
    }
  }
}

/** What one hold tells the journal. */
export class HoldJournal {
  readonly #site: Site;
  readonly #who: Pick<JournalEntry, "slug" | "token" | "note">;
  readonly #grantedAtMs: number;
  readonly #journal: Journal;
  #hasNotedGrant = false;

  /** @param grantedAtMs when the lock was granted, in milliseconds since 1970 */
  constructor(
    site: Site,
    who: Pick<JournalEntry, "slug" | "token" | "note">,
    grantedAtMs: number,
  ) {
    this.#site = site;
    this.#who = who;
    this.#grantedAtMs = grantedAtMs;
    this.#journal = new Journal(site);
  }

  /** Milliseconds since 1970. Undefined where no journal is kept: the clock is not asked then. */
  async now(): Promise<number | undefined> {
    return this.#site.keepsJournal ? await this.#site.sys.clock.wallMs() : undefined;
  }

  /** Notes the grant, once. @param startedMs when the command was started; undefined where nothing tells */
  async noteGrant(startedMs?: number): Promise<void> {
    if (this.#hasNotedGrant) return;
    this.#hasNotedGrant = true;
    const times = startedMs === undefined ? {} : { startedMs };
    await this.#journal.note({ ...this.#who, event: "acquired", ...times }, this.#grantedAtMs);
  }

  /** Notes that the lock is free. @param endedMs when the work under it had ended */
  async noteRelease(endedMs: number | undefined): Promise<void> {
    const times = endedMs === undefined ? {} : { endedMs };
    await this.#journal.note({ ...this.#who, event: "released", ...times });
  }

  async write(): Promise<void> {
    await this.noteGrant();
    await this.#journal.write();
  }
}

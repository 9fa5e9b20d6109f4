/**
 * Writing what happened: to the audit log at once, and to the journal off the way of everything else. The journal's
 * lines are kept in memory until nobody waits for us, and failing is no matter there.
 */

import { type JournalEntry, journalLine } from "../log/journal.ts";
import { type LogEvent, logLine } from "../log/lines.ts";
import { FileFault } from "../sys/faults.ts";
import type { Site } from "./site.ts";

/** Appends one line. Fails with the FileFault of the append. */
export async function log(site: Site, slug: string, event: LogEvent): Promise<void> {
  await site.sys.files.append(site.paths.log, logLine(await site.sys.clock.wallMs(), slug, event));
}

/**
 * Appends one line, if that can be done: what it tells of is done whether or not the log can be written. Whoever
 * opened the site is told otherwise.
 */
export async function logIfPossible(site: Site, slug: string, event: LogEvent): Promise<void> {
  try {
    await log(site, slug, event);
  } catch (fault) {
    await site.onUnlogged(
      `${slug} ${event.event}`,
      fault instanceof FileFault ? fault.reason : `${fault}`,
    );
  }
}

/** Some thousand lines: enough to find the last `acquired`, and twenty holds for an estimate. */
const TAIL_BYTES = 64 * 1024;

/** The end of the log as text; empty if there is none or it cannot be read. */
export async function logTail(site: Site): Promise<string> {
  return await site.sys.files.readTail(site.paths.log, TAIL_BYTES).catch(() => null) ?? "";
}

// The journal.

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

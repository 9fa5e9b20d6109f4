/** What is out of the ordinary in a log: everything but a hold that began and was released. */

import { LastFew, type Listed } from "../words/some_of_many.ts";

export type IncidentKind =
  | "stale_break"
  | "force_release"
  | "lost"
  | "gave_up"
  | "max_hold"
  /** A lock that was to be removed, by break or by force, and could not be: it stood on. */
  | "not_removed"
  /** Released after somebody else had removed its lock: it had worked on. */
  | "late_release"
  /** Released without having acquired. */
  | "stray_release";

export interface Incident {
  readonly kind: IncidentKind;
  readonly line: number;
  /** Of a lock with slots: in whose log that line is; missing if it is in that of the line. */
  readonly slot?: string;
  readonly atMs: number;
  /** Slug in the line. */
  readonly slug: string;
  /** Whose lock was removed. */
  readonly holder: string | null;
  readonly reason: string | null;
  /** How long the lock had given no sign of life. */
  readonly ageMs: number | null;
  readonly waitedMs: number | null;
  /** How long the hold in question had lasted. */
  readonly heldMs: number | null;
  /** How long its holder worked on after somebody else had removed its lock. */
  readonly carriedOnMs: number | null;
}

/** What is listed of each kind, so that a thousand who gave up do not hide one break. */
export const INCIDENTS_LISTED = 500;

/** The latest incidents of each kind; all are counted. */
export class IncidentList {
  readonly #byKind = new Map<IncidentKind, LastFew<Incident>>();

  add(incident: Incident): void {
    const { kind } = incident;
    if (!this.#byKind.has(kind)) this.#byKind.set(kind, new LastFew(INCIDENTS_LISTED));
    this.#byKind.get(kind)!.add(incident);
  }

  /** In the order of the log. */
  listed(): Listed<Incident> {
    const lists = [...this.#byKind.values()].map((list) => list.listed());
    return {
      count: lists.reduce((sum, { count }) => sum + count, 0),
      some: lists.flatMap(({ some }) => some).sort((a, b) => a.line - b.line),
    };
  }
}

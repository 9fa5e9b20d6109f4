/** What is out of the ordinary in a log: everything but a hold that began and was released. */

export type IncidentKind =
  | "stale_break"
  | "force_release"
  | "lost"
  | "gave_up"
  | "max_hold"
  /** Released after somebody else had removed its lock: it had worked on. */
  | "late_release"
  /** Released without having acquired. */
  | "stray_release";

export interface Incident {
  readonly kind: IncidentKind;
  readonly line: number;
  readonly atMs: number;
  /** Who wrote the line. */
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

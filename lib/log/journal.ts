/**
 * The journal: a line of JSON for each transition, with milliseconds. It tells how long waits and hand-offs took, which
 * the audit log with its whole seconds cannot.
 *
 * Not guaranteed: that it is whole. It may be cut, deleted or unwritable at any time, and no hold depends on it. What
 * is not a line of this form counts for nothing.
 */

import { isNote, isSlug } from "../words/slugs.ts";

const EVENTS = ["waiting", "acquired", "released", "gave_up", "cancelled"] as const;
export type JournalEvent = typeof EVENTS[number];

export interface JournalEntry {
  /** When it happened, by the clock of whoever wrote it. Milliseconds since 1970. */
  readonly atMs: number;
  readonly slug: string;
  readonly event: JournalEvent;
  /** Random name of the wait and the hold that comes of it. */
  readonly token: string;
  /** Of `waiting`: the place in line when it began. */
  readonly place?: number;
  /** Of `waiting`: the token of the earlier wait whose kept place it goes on from. */
  readonly after?: string;
  readonly note?: string;
  /** Of `acquired`: when the command was started under it. Milliseconds since 1970. */
  readonly startedMs?: number;
  /** Of `released`: when the work under it had ended, and the giving back began. Milliseconds since 1970. */
  readonly endedMs?: number;
}

/** @return a line with its newline */
export function journalLine({ atMs, startedMs, endedMs, ...rest }: JournalEntry): string {
  const times = {
    ...(startedMs !== undefined && { started: isoTime(startedMs) }),
    ...(endedMs !== undefined && { ended: isoTime(endedMs) }),
  };
  return `${JSON.stringify({ at: isoTime(atMs), ...rest, ...times })}\n`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** @return null for what is no line of a journal, or one of an unknown version */
export function parseJournalLine(line: string): JournalEntry | null {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { at, slug, event, token, place, after, note, started, ended } = value ?? {};
  const atMs = timeOf(at);
  const startedMs = timeOf(started);
  const endedMs = timeOf(ended);
  const isEntry = Number.isFinite(atMs) && typeof slug === "string" && isSlug(slug) &&
    EVENTS.some((known) => known === event) && isToken(token);
  if (!isEntry) return null;
  return {
    atMs,
    slug,
    event: event as JournalEvent,
    token,
    ...(Number.isSafeInteger(place) && place as number > 0 && { place: place as number }),
    ...(isToken(after) && { after }),
    ...(typeof note === "string" && isNote(note) && { note }),
    ...(Number.isFinite(startedMs) && { startedMs }),
    ...(Number.isFinite(endedMs) && { endedMs }),
  };
}

function timeOf(text: unknown): number {
  return typeof text === "string" ? Date.parse(text) : NaN;
}

function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[a-z0-9]{8,64}$/.test(value);
}

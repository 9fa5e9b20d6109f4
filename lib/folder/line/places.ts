/**
 * Kept places: a waiter that leaves the line without having held leaves its ticket in `places/`, and the next wait of
 * the same slug takes it back.
 *
 * Guarantee: an absent waiter costs nobody anything. Only tickets in the queue are waited for; a place sorts its owner
 * ahead once it is back. A place is taken by a rename, so it is taken once.
 * Not guaranteed: that a place outlives the state folder, or a kill between the rename and the new ticket.
 */

import { hiddenTicketPath, placePath, ticketPath } from "../state/layout.ts";
import { parseWhoAndWhere, RECORD_LARGEST_BYTES } from "../state/record.ts";
import { inState } from "../state/state_files.ts";
import type { Site } from "../site.ts";
import { inOrder } from "./order.ts";

/** Longer than anybody waits for an agent to come back: what says more was not written by this program. */
const LONGEST_KEPT_MS = 30 * 24 * 3_600_000;

/** A place that is kept. */
export interface Place {
  /** Of the ticket that was left there. */
  readonly name: string;
  readonly slug: string;
  /** Until when it is kept, by the file system's clock. Milliseconds since 1970. */
  readonly untilMs: number;
  /** When the wait began, by its waiter's clock; null if the ticket does not tell. */
  readonly waitingSince: number | null;
}

/** What a ticket says of the place that it becomes; 0 for none. Milliseconds. */
export function keptForMs(ticketText: string): number {
  try {
    const { keepPlaceMs } = JSON.parse(ticketText);
    return Number.isFinite(keepPlaceMs) && keepPlaceMs > 0 && keepPlaceMs <= LONGEST_KEPT_MS
      ? keepPlaceMs
      : 0;
  } catch {
    return 0;
  }
}

/** All names of places, in the order of the line. */
export async function placeNames(site: Site): Promise<string[]> {
  return inOrder(await site.sys.files.list(site.paths.places) ?? []);
}

/** All places that stand there, in the order of the line, those too whose time is over. */
export async function placesStanding(site: Site): Promise<Place[]> {
  const places: Place[] = [];
  for (const name of await placeNames(site)) places.push(await readPlace(site, name));
  return places;
}

/** All places that are still kept, in the order of the line. Those whose time is over are removed. */
export async function placesKept(site: Site): Promise<Place[]> {
  const standing = await placesStanding(site);
  if (standing.length === 0) return [];
  const nowMs = await site.clock.nowMs();
  for (const { name, untilMs } of standing) {
    if (untilMs > nowMs) continue;
    await site.sys.files.removeFile(placePath(site.paths, name)).catch(() => false);
  }
  return standing.filter(({ untilMs }) => untilMs > nowMs);
}

/** One that cannot be read is over. */
async function readPlace(site: Site, name: string): Promise<Place> {
  const content = await site.sys.files.read(placePath(site.paths, name), RECORD_LARGEST_BYTES)
    .catch(() => null);
  const who = content && parseWhoAndWhere(content.text);
  if (!who) return { name, slug: "", untilMs: 0, waitingSince: null };
  const { waitingSince } = who as { readonly waitingSince?: unknown };
  return {
    name,
    slug: who.slug,
    untilMs: content.mtimeMs + keptForMs(content.text),
    waitingSince: typeof waitingSince === "number" ? waitingSince : null,
  };
}

/**
 * Moves a ticket out of the line, to where its place is kept.
 * @return whether it has left the line by this or by another's hand
 */
export async function leaveInPlace(site: Site, name: string): Promise<boolean> {
  const { files } = site.sys;
  const from = ticketPath(site.paths, name);
  try {
    await inState(
      files,
      site.paths.state,
      site.paths.places,
      () => files.rename(from, placePath(site.paths, name)),
    );
    return true;
  } catch {
    return await files.entry(from).catch(() => undefined) === null;
  }
}

/** The place that a wait takes back, hidden from others until its own ticket stands there. */
export interface TakenPlace extends Place {
  /** The new ticket stands: the old one goes. */
  forget(): Promise<void>;
  /** There is no new ticket: the place is kept on. */
  putBack(): Promise<void>;
}

/**
 * Takes the oldest place of a slug.
 * @param token of the wait that takes it
 * @return null if none is kept
 */
export async function takePlace(
  site: Site,
  slug: string,
  token: string,
): Promise<TakenPlace | null> {
  const { files } = site.sys;
  for (const place of await placesKept(site)) {
    if (place.slug !== slug) continue;
    const kept = placePath(site.paths, place.name);
    const hidden = hiddenTicketPath(site.paths, place.name, token);
    try {
      await inState(
        files,
        site.paths.state,
        site.paths.queue,
        () => files.rename(kept, hidden),
      );
    } catch {
      // Another call of this slug was quicker.
      continue;
    }
    return {
      ...place,
      forget: async () => void await files.removeFile(hidden).catch(() => false),
      putBack: async () => void await files.rename(hidden, kept).catch(() => {}),
    };
  }
  return null;
}

/** A hold that took no place back has used up the oldest one of its slug all the same. */
export async function usePlaceUp(site: Site, slug: string): Promise<void> {
  const oldest = (await placesKept(site)).find((place) => place.slug === slug);
  if (oldest) await site.sys.files.removeFile(placePath(site.paths, oldest.name));
}

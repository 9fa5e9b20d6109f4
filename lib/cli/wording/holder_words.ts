/** The holder in words, and the one who is told of it. */

import { showDuration } from "../../words/durations.ts";
import { type HolderView, IF_UNUSED, type SlotsLook } from "../../lock/views.ts";
import { showForeign } from "../../words/slugs.ts";

/** The one who is told, and when. */
export interface Told {
  /** As given by `--slug`. */
  readonly slug?: string | undefined;
  /** The flags that say which lock, as given, for commands that are named as the next step. */
  readonly lockFlags: string;
  /** It is known that files, not bytes, cannot be written any more where the failure was. */
  readonly noInodes?: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** What `acquire` took under the same slug waits for nobody else. */
export function isOwn(holder: HolderView | null, slug: string | undefined): boolean {
  return holder?.mode === "acquire" && holder.slug === slug;
}

export const OWN_HOLD = "that is your own slug: if it is you who holds, renew or release it";

/**
 * `held by agent-1 (run, pid 17 on host) for 5m 3s`, and what is out of the ordinary about that.
 * @param since what is to be said of its beginning
 */
export function describeHolder(holder: HolderView | null, nowMs: number, since = ""): string {
  const odd = holder?.oddity ? `; ${holder.oddity.why}` : "";
  // What tells of missed beats tells of their end.
  const isSoon = holder?.expiresInMs !== undefined && !holder.isNew && !holder.oddity?.isMissed;
  const soon = !isSoon
    ? ""
    : holder.isWatched
    ? `, broken once it has been seen without a sign of life for another ${
      showDuration(holder.expiresInMs!)
    }, by this call and the next ones`
    : `, broken by age in ${showDuration(holder.expiresInMs!)} if it gives no sign of life`;
  return holderWords(holder, nowMs) + since + traceWords(holder) + odd + soon;
}

/** `, a folder of alice since 2026-08-22T23:05:12Z`: all that tells who left a lock without a record. */
function traceWords(holder: HolderView | null): string {
  if (!holder?.trace) return "";
  const { owner, sinceMs } = holder.trace;
  const whose = owner === null ? "" : ` of ${showForeign(owner)}`;
  return `, a folder${whose} since ${new Date(sinceMs).toISOString().slice(0, 19)}Z`;
}

/** What is left to do about a lock of which only a person can know whether anybody works under it. */
export function wayOut(holder: HolderView | null): string {
  return holder?.trace ? `; ${IF_UNUSED}` : "";
}

/** As `describeHolder()`, without what is out of the ordinary. */
export function holderWords(holder: HolderView | null, nowMs: number): string {
  if (!holder) return "it is free but others are first in line";
  if (holder.isNew) return "held by somebody who took it a moment ago";
  const name = holder.slug === null ? "a peer that is not in the log" : showForeign(holder.slug);
  if (holder.mode === null) return `held by ${name} (no holder record)`;
  const where = `${holder.mode}, pid ${holder.pid} on ${showForeign(holder.host ?? "")}`;
  const since = holder.sinceMs === null
    ? ""
    : ` for ${showDuration(Math.max(0, nowMs - holder.sinceMs))}`;
  const note = holder.note === undefined ? "" : `: "${holder.note}"`;
  return `held by ${name} (${where})${since}${note}`;
}

/** `all 3 slots are held, by a, b and c`: where a first in line has seen them all; from behind one is seen. */
export function describeSlots({ count, holders }: SlotsLook, nowMs: number): string {
  if (holders.length === 0) return "a slot is free but others are first in line";
  if (count === 1) return `its slot is ${describeHolder(holders[0]!, nowMs)}`;
  if (holders.length < count) return `all ${count} slots are held`;
  const names = holders.map(({ slug }) => slug === null ? "a peer" : showForeign(slug)).sort();
  const last = names.pop();
  return `all ${count} slots are held, by ${names.join(", ")} and ${last}`;
}

/** What a waiter sees, as a pure function of what is known. */

import { showDuration } from "../../words/durations.ts";
import { expectedWaitMs, holdsAhead, wholeWaitMs } from "../../lock/times.ts";
import type { HolderView, KeptPlace, SlotsLook } from "../../lock/views.ts";
import type { Circle } from "../../lock/failures.ts";
import { showForeign } from "../../words/slugs.ts";
import type { NamedHold, TwinView, WaitLook } from "../../lock/service.ts";
import {
  describeHolder,
  describeSlots,
  holderWords,
  isOwn,
  OWN_HOLD,
  wayOut,
} from "./holder_words.ts";

export interface WaitState {
  /** The waiter's slug. */
  readonly slug: string;
  readonly lock: string;
  readonly holder: HolderView | null;
  /** Of a lock with slots: what was seen of them. */
  readonly slots?: SlotsLook;
  /** 1 = first in line. */
  readonly place: number;
  readonly waitedMs: number;
  readonly timeoutMs: number | null;
  /** Median length of recent holds; null where the log tells of none. */
  readonly holdMs: number | null;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** An estimate below a second is none. */
const LEAST_TOLD_MS = 1000;

/** How many holds come before ours: the present one, and those of the line before us. */
function ahead({ holder, slots, place }: Pick<WaitState, "holder" | "slots" | "place">): number {
  return holdsAhead(place, slots?.count ?? 1, holder !== null);
}

function expectedMs(state: WaitState): number | null {
  if (state.holdMs === null) return null;
  const times = holdersIn(state).flatMap(({ sinceMs }) => sinceMs ?? []);
  const heldForMs = times.length === 0 ? 0 : Math.max(0, state.nowMs - Math.min(...times));
  return expectedWaitMs(ahead(state), state.holdMs, heldForMs);
}

function holdersIn({ slots, holder }: WaitState): readonly HolderView[] {
  return slots ? slots.holders : holder ? [holder] : [];
}

/** Who holds the lock, or its slots. @param since after the name of a single holder */
function whoHolds({ slots, holder, nowMs }: WaitState, since = ""): string {
  if (slots) return describeSlots(slots, nowMs);
  return `${describeHolder(holder, nowMs, since)}${wayOut(holder)}`;
}

function place(state: WaitState): string {
  return state.place === 1 ? "you are first in line" : `you are number ${state.place} in line`;
}

/** Said once, when a wait begins. */
export function waitBegins(state: WaitState): string {
  const { holder, timeoutMs, lock } = state;
  const since = holder?.sinceMs
    ? ` (since ${new Date(holder.sinceMs).toISOString().slice(0, 19)}Z)`
    : "";
  const own = isOwn(holder, state.slug) ? `; ${OWN_HOLD}` : "";
  const limit = timeoutMs === null
    ? "without a time limit"
    : `for up to ${showDuration(timeoutMs)}`;
  return `waiting ${limit} for ${lock}: ${whoHolds(state, since)}; ${place(state)}${own}`;
}

/** How long a wait that begins so is likely to be; null where the log tells of no holds. */
export function expectedInAllMs(look: WaitLook, holdMs: number | null): number | null {
  return holdMs === null ? null : wholeWaitMs(ahead(look), holdMs);
}

/**
 * A wait that will most likely be in vain is told at once, not after half an hour.
 * @return null if there is nothing to warn of
 */
export function waitIsTooShort(state: WaitState): string | null {
  const expected = expectedInAllMs(state, state.holdMs);
  if (expected === null || state.timeoutMs === null || expected <= state.timeoutMs) return null;
  return `${ahead(state)} ahead, holds of about ${showDuration(state.holdMs!)}: expect ${
    showDuration(expected)
  }, but --timeout is ${showDuration(state.timeoutMs)}`;
}

/** Said when the place in line has changed. */
export function waitGoesOn(state: WaitState): string {
  const expected = expectedMs(state);
  const estimate = expected === null || expected < LEAST_TOLD_MS
    ? ""
    : `, about ${showDuration(expected)} to go`;
  return `still waiting for ${state.lock} after ${showDuration(state.waitedMs)}: ${
    whoHolds(state)
  }; ${place(state)}${estimate}`;
}

/** Said once, when a wait begins beside another process of the same name. */
export function twinIsHere(slug: string, { pid, does, sinceMs }: TwinView, nowMs: number): string {
  const since = sinceMs === null ? "" : `, for ${showDuration(Math.max(0, nowMs - sinceMs))}`;
  return `${slug} already ${does} here (pid ${pid}${since}): an earlier call of yours?`;
}

/** Said once `acquire` has the lock: nobody beats for it. @param byMs when it is stale, since 1970 */
export function renewInTime(
  { lock, slot, fence, byMs, staleMs }: {
    readonly lock: string;
    readonly slot?: string | undefined;
    readonly fence: number;
    readonly byMs: number;
    readonly staleMs: number;
  },
): string {
  const by = new Date(byMs).toISOString().slice(0, 19);
  const which = slot === undefined ? "" : `, slot ${slot}`;
  return `holding ${lock}${which}, fence ${fence}; renew or release it within ${
    showDuration(staleMs)
  }, by ${by}Z`;
}

/** Said once, when a wait ends well. */
export function waitEnds(lock: string, waitedMs: number): string {
  return `acquired ${lock} after waiting ${showDuration(waitedMs)}`;
}

/** Stopped, silent, or only its command still there: told, never broken. */
export function holderIsOdd({ lock, holder }: WaitState): string {
  const name = holder?.slug ? showForeign(holder.slug) : "its holder";
  const why = holder?.oddity?.why;
  if (holder?.oddity?.isRemoval) return `${lock}, last held by ${name}, is stale: ${why}`;
  // Then it is said when it is broken.
  if (holder?.oddity?.isMissed) return `${lock}: held by ${name}: ${why}`;
  const then = holder?.oddity?.isOutOfSight
    ? "it is broken by its age alone"
    : "it is not broken while it lives";
  return `${lock}: held by ${name}: ${why}; ${then}`;
}

/** A share that leaves calls without an answer. */
export function shareIsSilent(operation: string, path: string): string {
  return `the share does not answer (${operation} ${showForeign(path)}); the wait goes on`;
}

/** Said once, when a wait ended by breaking a stale lock: what it guards may be in no good state. */
export function lockWasBroken({ slug, why }: HolderView): string {
  const name = slug === null ? "a peer that is not in the log" : showForeign(slug);
  return `broke the stale lock of ${name}: ${why}; what it was doing may be half done`;
}

/**
 * The line that is rewritten in place on a terminal.
 * @param columns width of the terminal; the line is cut to it, since one that wraps cannot be rewritten
 */
export function progressLine(state: WaitState, columns: number): string {
  const expected = expectedMs(state);
  const oddity = state.holder?.oddity;
  const parts = [
    `waiting ${showDuration(Math.floor(state.waitedMs / 1000) * 1000)}`,
    (state.slots
      ? describeSlots(state.slots, state.nowMs)
      : holderWords(state.holder, state.nowMs)) +
    (oddity ? `, ${oddity.short}` : ""),
    place(state),
    ...(expected === null || expected < LEAST_TOLD_MS
      ? []
      : [`about ${showDuration(expected)} to go`]),
  ];
  const characters = [...parts.join(" · ")];
  const room = Math.max(columns - 1, 1);
  return characters.length <= room
    ? characters.join("")
    : `${characters.slice(0, room - 1).join("")}…`;
}

/** One line of JSON for agents, at the end of a wait that was granted. */
export function acquiredJson(about: {
  readonly lock: string;
  readonly slug: string;
  readonly fence: number;
  readonly slot?: string | undefined;
  /** Of several locks at once: each. */
  readonly named?: readonly NamedHold[] | undefined;
  readonly waitedMs: number;
  readonly position: number;
  /** Whose stale lock was broken on the way. */
  readonly broke: HolderView | null;
}): string {
  return JSON.stringify({
    event: "acquired",
    lock: about.lock,
    slug: about.slug,
    fence: about.fence,
    ...(about.slot !== undefined && { slot: about.slot }),
    ...(about.named && {
      locks: about.named.map(({ name, lock, fence }) => ({ name, lock, fence })),
    }),
    waited_ms: Math.round(about.waitedMs),
    position: about.position,
    broke: about.broke && { slug: about.broke.slug, verdict: about.broke.why },
  });
}

/** One line of JSON for agents, at the end of a wait that a signal has ended. */
export function interruptedJson(about: {
  readonly lock: string;
  readonly slug: string;
  readonly signal: string;
}): string {
  const { lock, slug, signal } = about;
  return JSON.stringify({ event: "interrupted", lock, slug, signal });
}

/** One line of JSON for agents that need not wait: they run inside the present hold, which is of that slug. */
export function insideJson(about: {
  readonly lock: string;
  readonly slug: string;
  readonly fence: number;
}): string {
  const { lock, slug, fence } = about;
  return JSON.stringify({ event: "inside", lock, slug, fence });
}

/** One line of JSON for agents, at the end of a wait in vain. */
export function gaveUpJson(about: {
  readonly lock: string;
  readonly slug: string;
  readonly waitedMs: number;
  readonly position: number | null;
  readonly expectedMs: number | null;
  readonly holder: HolderView | null;
  readonly kept: KeptPlace | null;
  readonly circle: Circle | null;
}): string {
  const { holder, kept, circle } = about;
  return JSON.stringify({
    event: "gave_up",
    reason: circle ? "deadlock" : "timeout",
    ...(circle && {
      circle: circle.map(({ slug, holds, waitsFor }) => ({ slug, holds, waits_for: waitsFor })),
    }),
    lock: about.lock,
    slug: about.slug,
    waited_ms: Math.round(about.waitedMs),
    position: about.position,
    place: kept?.place ?? null,
    ahead: kept && kept.place - 1,
    place_kept_until: kept && new Date(kept.untilMs).toISOString(),
    expected_ms: about.expectedMs === null ? null : Math.round(about.expectedMs),
    holder: holder && {
      slug: holder.slug,
      mode: holder.mode,
      pid: holder.pid,
      host: holder.host,
      since: holder.sinceMs === null ? null : new Date(holder.sinceMs).toISOString(),
      verdict: holder.why,
    },
  });
}

/**
 * Circles of waits: somebody holds one lock and waits for another, whose holder waits for the first. Nobody in it would
 * ever be served.
 *
 * The ticket of a wait says which locks its caller holds. Whoever waits under a hold reads the lines of the locks that it
 * holds, and follows them: the one that closes the circle gives up.
 */

import { type Circle, type CircleLink } from "../../lock/failures.ts";
import type { Sys } from "../../sys/sys.ts";
import type { Site } from "../site.ts";
import { lastName, type LockPaths, lockPaths, ticketPath } from "../state/layout.ts";
import { lifeOf } from "../state/lifeline.ts";
import { parseRecord, parseWhoAndWhere, RECORD_LARGEST_BYTES } from "../state/record.ts";
import { inOrder } from "./order.ts";
import type { Found } from "./progress.ts";

/** More nested holds than anybody has: what says more was not written by this program. */
const MOST_LOCKS = 16;
/** To read more tickets would be felt by all. */
const MOST_TICKETS = 100;

/** Where two see the circle at once, the one with the smaller token leaves it to the other for so long. */
const LEAVE_TO_OTHER_MS = 1000;

export class Circles {
  readonly #site: Site;
  readonly #token: string;
  readonly #within: readonly HeldLock[];
  #sinceMs: number | null = null;

  /**
   * @param token of the wait
   * @param within the holds that its caller has meanwhile, as `LOCK_FOLDER_HELD` writes them
   */
  constructor(site: Site, token: string, within: readonly string[]) {
    this.#site = site;
    this.#token = token;
    this.#within = within.flatMap((line) => parseHeld(line) ?? []).slice(0, MOST_LOCKS);
  }

  /**
   * To be asked at each look.
   * @param found what is waited for: the lock, or all of its slots
   * @param isOver there will be no further look
   * @return the circle, if it is on us to give up
   */
  async seen(found: readonly Found[], nowMs: number, isOver: boolean): Promise<Circle | null> {
    const seen = await this.#find(found);
    this.#sinceMs = seen && (this.#sinceMs ?? nowMs);
    if (!seen || this.#sinceMs === null) return null;
    const isOurs = seen.waiters.every((token) => token <= this.#token) || isOver;
    return isOurs || nowMs - this.#sinceMs >= LEAVE_TO_OTHER_MS ? seen.circle : null;
  }

  /** Milliseconds; once a circle has been seen, until it is known whether the other gives up. */
  lookAgainMs(): number {
    return this.#sinceMs === null ? Infinity : LEAVE_TO_OTHER_MS;
  }

  async #find(found: readonly Found[]): Promise<SeenCircle | null> {
    const { slots } = this.#site;
    const isWhole = found.length === (slots?.length ?? 1);
    if (this.#within.length === 0 || !isWhole) return null;
    const tokens = found.map(({ judged: { record } }) => record?.token);
    const stuck = await stuckBehind(this.#site.sys, this.#within, this.#token);
    if (!tokens.every((token) => token !== undefined && stuck.has(token))) return null;
    return circleFrom(stuck, tokens as string[]);
  }
}

interface SeenCircle {
  readonly circle: Circle;
  /** Tokens of the waits in it, without ours. */
  readonly waiters: readonly string[];
}

/** A hold, as the environment of a command names it. */
interface HeldLock {
  readonly lock: string;
  readonly token: string;
}

function parseHeld(line: string): HeldLock | null {
  const colon = line.lastIndexOf(":");
  const lock = line.slice(0, colon);
  const token = line.slice(colon + 1);
  return /^[a-z0-9]{8,64}$/.test(token) && /[/\\][^/\\]+\.lock$/.test(lock)
    ? { lock, token }
    : null;
}

/** A hold that cannot end before one of ours does. */
interface Stuck extends CircleLink {
  /** Of the wait that keeps it. */
  readonly waiter: string;
  /** The hold that this wait waits for: its token; null if it is ours. */
  readonly behind: string | null;
}

/**
 * All holds whose command waits, by way of other such holds or at once, for a lock that we hold.
 * @param own token of our wait
 * @return by their tokens
 */
async function stuckBehind(
  sys: Sys,
  within: readonly HeldLock[],
  own: string,
): Promise<ReadonlyMap<string, Stuck>> {
  const ours = new Set(within.map(({ token }) => token));
  const stuck = new Map<string, Stuck>();
  const locks = new Map(within.map((held) => [held.lock, held]));
  const read = new Set<string>();
  for (let isNew = true; isNew && read.size < MOST_LOCKS;) {
    isNew = false;
    for (const { lock } of [...locks.values()]) {
      if (read.has(lock)) continue;
      const line = await lineOf(sys, lock);
      const holders = await holdersOf(sys, line);
      if (!holders.every((token) => ours.has(token) || stuck.has(token))) continue;
      read.add(lock);
      const behind = holders.find((token) => !ours.has(token)) ?? null;
      for (const { slug, token, held } of await waitersOf(sys, line, own)) {
        for (const one of held) {
          if (ours.has(one.token) || stuck.has(one.token)) continue;
          const waitsFor = line.name;
          stuck.set(one.token, { slug, holds: nameOf(one.lock), waitsFor, waiter: token, behind });
          locks.set(one.lock, one);
          isNew = true;
        }
      }
    }
  }
  return stuck;
}

function circleFrom(stuck: ReadonlyMap<string, Stuck>, tokens: readonly string[]): SeenCircle {
  const links: Stuck[] = [];
  for (let at: string | null = tokens[0]!; at !== null && links.length < MOST_LOCKS;) {
    const link = stuck.get(at);
    if (!link || links.includes(link)) break;
    links.push(link);
    at = link.behind;
  }
  return {
    circle: links.map(({ slug, holds, waitsFor }) => ({ slug, holds, waitsFor })),
    waiters: links.map(({ waiter }) => waiter),
  };
}

function nameOf(lock: string): string {
  return lastName(lock).replace(/\.lock$/, "");
}

/** Where those stand that wait for a lock, and those that hold it. */
interface Line {
  readonly name: string;
  readonly paths: LockPaths;
  /** Those of its slots, or its own. */
  readonly holds: readonly LockPaths[];
}

/** Of a slot: the line of its lock. */
async function lineOf(sys: Sys, lock: string): Promise<Line> {
  const name = nameOf(lock);
  const dir = lock.slice(0, lock.length - lastName(lock).length - 1) || "/";
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const paths = lockPaths(dir, name.slice(0, dot));
    const content = await sys.files.read(paths.slots, RECORD_LARGEST_BYTES).catch(() => null);
    if (!content) continue;
    const slots = content.text.trimEnd().split("\n");
    const holds = slots.map((slot) => lockPaths(dir, `${name.slice(0, dot)}.${slot}`));
    return { name: name.slice(0, dot), paths, holds };
  }
  const paths = lockPaths(dir, name);
  return { name, paths, holds: [paths] };
}

/** Tokens of the present holds, as their records tell. */
async function holdersOf({ files }: Sys, { holds }: Line): Promise<string[]> {
  const tokens: string[] = [];
  for (const { record, lock } of holds) {
    const stands = await files.entry(lock).catch(() => null);
    const content = await files.read(record, RECORD_LARGEST_BYTES).catch(() => null);
    // A slot that is free, or held by a peer, keeps nobody waiting for ever.
    tokens.push(stands && content ? parseRecord(content.text)?.token ?? "" : "");
  }
  return tokens;
}

interface Waiter {
  readonly slug: string;
  readonly token: string;
  readonly held: readonly HeldLock[];
}

/** Those that wait there under holds of their own, and live as far as can be seen. */
async function waitersOf(sys: Sys, { paths }: Line, own: string): Promise<Waiter[]> {
  const waiters: Waiter[] = [];
  const names = inOrder(await sys.files.list(paths.queue).catch(() => null) ?? []);
  for (const name of names.slice(0, MOST_TICKETS)) {
    const content = await sys.files.read(ticketPath(paths, name), RECORD_LARGEST_BYTES)
      .catch(() => null);
    const who = content && parseWhoAndWhere(content.text);
    if (!who || who.token === own) continue;
    const { within } = who as { readonly within?: unknown };
    const lines = Array.isArray(within) ? within.slice(0, MOST_LOCKS) : [];
    const held = lines.flatMap((line) => typeof line === "string" ? parseHeld(line) ?? [] : []);
    if (held.length === 0 || await lifeOf({ sys }, who) === "gone") continue;
    waiters.push({ slug: who.slug, token: who.token, held });
  }
  return waiters;
}

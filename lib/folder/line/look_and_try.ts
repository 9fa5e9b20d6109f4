/** One look of a waiter: a try for the lock, or for each of its slots, or only a look from further back in line. */

import { FolderUnusable } from "../../lock/failures.ts";
import { inTime, slotsInTurn, tryForGrant, tryInTime, type Wish } from "../grant.ts";
import { lookAtLock, refuseOther } from "../look.ts";
import { folderUnusable } from "../place/obstacles.ts";
import { breakLock } from "../removal/break.ts";
import type { Site } from "../site.ts";
import { folderItself, lastName } from "../state/layout.ts";
import { patiently } from "../unanswered_calls.ts";
import { judgeLock } from "../verdict/look_and_judge.ts";
import { viewHolder } from "../visit/holder_view.ts";
import type { Found, Look } from "./progress.ts";

export class Looks {
  readonly #site: Site;
  readonly #wish: Wish;
  /** Which slot a look from behind is at. */
  #at = 0;

  constructor(site: Site, wish: Wish) {
    this.#site = site;
    this.#wish = wish;
  }

  /**
   * An mkdir of each; then each that stands is judged, and a stale one broken. What has come free meanwhile is tried
   * again before anything is broken.
   */
  async tryAll(): Promise<Look> {
    const grant = await tryForGrant(this.#site, this.#wish);
    if (grant) return { kind: "granted", grant };
    const found: Found[] = [];
    for (const site of await slotsInTurn(this.#site)) {
      const judged = await judgeStanding(site, this.#wish);
      if (!judged) return { kind: "vanished" };
      found.push({ site, judged });
    }
    for (const one of found) {
      const look = await breakIfStale(one, this.#wish);
      if (look) return look;
    }
    return { kind: "standing", found };
  }

  /**
   * Whoever may not try needs to know only whether the first in line is frozen over something that it could have. Of
   * many slots one is judged at each look: a hundred waiters must not look at eight slots each.
   */
  async lookFromBehind(): Promise<Look> {
    const { slots } = this.#site;
    if (slots && await isAnyFree(this.#site, slots)) return { kind: "free" };
    const site = slots ? slots[this.#at % slots.length]! : this.#site;
    const judged = await judgeStanding(site, this.#wish);
    if (!judged) return await freeLook(this.#site);
    if (judged.verdict.verdict !== "stale") this.#at++;
    return { kind: "standing", found: [{ site, judged }] };
  }
}

/** @return null if nothing stands there */
async function judgeStanding(site: Site, { request }: Wish): Promise<Found["judged"] | null> {
  const look = await lookAtLock(site);
  refuseOther(site, look);
  return look.standing === "nothing" ? null : await judgeLock(site, look, request.staleMs);
}

/** @return null if it is held, or another has the right to remove it, and is at it */
async function breakIfStale({ site, judged }: Found, wish: Wish): Promise<Look | null> {
  if (judged.verdict.verdict === "held") return null;
  const { entries } = judged.look;
  if (entries.length > 0) {
    throw new FolderUnusable(site.paths.lock, { kind: "lock not empty", entries });
  }
  const { request, observer } = wish;
  const holder = await viewHolder(site, judged);
  const broken = breakLock(patiently(site), request.slug, judged, request.staleMs);
  const call = { operation: "rmdir", path: site.paths.lock };
  const { outcome } = await inTime(site, wish, broken, call);
  if (outcome !== "removed") return null;
  observer.broke?.(holder);
  const at = await tryInTime(site, wish);
  return at === null ? { kind: "vanished" } : { kind: "granted", grant: { site, at } };
}

/** One listing tells of all slots. */
async function isAnyFree(line: Site, slots: readonly Site[]): Promise<boolean> {
  const standing = new Set(await line.sys.files.list(folderItself(line.paths)) ?? []);
  return slots.some(({ paths }) => !standing.has(lastName(paths.lock)));
}

/** The lock is free; that its folder has gone away altogether must be an error, not an endless wait. */
async function freeLook(site: Site): Promise<Look> {
  const folder = await site.sys.files.entry(folderItself(site.paths));
  if (!folder) throw folderUnusable(site, "it went away during the wait", null);
  return { kind: "free" };
}

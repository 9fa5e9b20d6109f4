/**
 * Doing something with the right to remove the lock in hand: while it is ours, nobody that keeps to these rules
 * removes the lock.
 */

import {
  clearTakers,
  FIRST_PAUSE_MS,
  giveUpRight,
  isAlone,
  LONGEST_PAUSE_MS,
  type Right,
  settle,
  takeRight,
} from "./right.ts";
import type { Blocked, RightRequest } from "./request.ts";
import type { Site } from "../site.ts";
import { STRANGER_GONE_MS } from "./takers.ts";

/** What came of the use. `late`: it was held up for too long to be safe, and begins again. */
export type Used<T> = { readonly value: T; readonly lockIsGone: boolean } | "late";

/**
 * Takes the right, uses it once, and gives it up.
 * @param use called when no other taker can act; it begins again if it says that it was late
 * @throws what `use` throws; FileFault if the right cannot be written down. Nothing of ours is left behind then
 */
export async function withRight<T>(
  site: Site,
  request: RightRequest,
  use: (right: Right) => Promise<Used<T>>,
): Promise<{ readonly outcome: "used"; readonly value: T } | ({ outcome: "blocked" } & Blocked)> {
  const { clock, random } = site.sys;
  let sinceMs = await clock.monotonicMs();
  let latesLeft = LATE_TRIES;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { right, by, isMute } = await takeRight(site, request);
    const used = right ? await useOnce(site, request, right, use) : "contended";
    if (typeof used === "object") return { outcome: "used", value: used.value };
    // Our own slowness is nobody's fault: patience is with others.
    if (used === "late") sinceMs = await clock.monotonicMs();
    if (used === "late" && latesLeft-- > 0) continue;
    const forMs = await clock.monotonicMs() - sinceMs;
    if (forMs >= patienceWith(isMute, request.patienceMs)) {
      return { outcome: "blocked", by, isMute, forMs };
    }
    await clock.sleep(pauseMs * (0.5 + await random.fraction()));
  }
}

/** A machine that sleeps again and again in the middle of a removal is left to try anew later. */
const LATE_TRIES = 3;

/** One that nothing can be seen of is outwaited, unless we do not mean to wait at all. */
function patienceWith(isMute: boolean, patienceMs: number): number {
  return isMute && patienceMs > 0 ? patienceMs + STRANGER_GONE_MS : patienceMs;
}

/** Whatever comes of it, nobody must take our taking for a living one afterwards. */
async function useOnce<T>(
  site: Site,
  request: RightRequest,
  right: Right,
  use: (right: Right) => Promise<Used<T>>,
): Promise<Used<T> | "contended"> {
  try {
    if (request.mayBeAnothers) await settle(site, right);
    if (!await isAlone(site, right)) return "contended";
    const used = await use(right);
    if (used !== "late" && used.lockIsGone) await clearTakers(site, right);
    else await giveUpRight(site, right);
    return used;
  } catch (failure) {
    await giveUpRight(site, right);
    throw failure;
  } finally {
    site.sys.processes.takings.delete(right.token);
    await right.file.close();
  }
}

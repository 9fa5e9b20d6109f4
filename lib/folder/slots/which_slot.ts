/** Which slot a caller means that names itself by its slug, its fence or its tokens. */

import { NotHolder, UsageError } from "../../lock/failures.ts";
import type { Claimant } from "../../lock/service.ts";
import { showSlots } from "../../lock/slots.ts";
import type { HolderView } from "../../lock/views.ts";
import { NEVER_STALE_MS } from "../../lock/times.ts";
import { showForeign } from "../../words/slugs.ts";
import { lookAtLock } from "../look.ts";
import { checkFolder, explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import { type Judged, judgeLock } from "../verdict/look_and_judge.ts";
import { isTheirs } from "../visit/check.ts";
import { viewHolder } from "../visit/holder_view.ts";

/** A slot that is held. */
interface HeldSlot {
  readonly site: Site;
  readonly judged: Judged;
  readonly holder: HolderView;
}

/**
 * @param line of the lock
 * @param slot the one that was named, if one was
 * @param claimant null for anybody
 * @throws NotHolder if there is none, UsageError if there are several, or no such slot
 */
export async function slotOf(
  line: Site,
  slot: string | null,
  claimant: Claimant | null,
): Promise<Site> {
  if (slot !== null) return slotNamed(line, slot);
  const held = await slotsHeld(line);
  const theirs = held.filter(({ judged, holder }) => {
    return claimant === null || isTheirs(judged, holder, claimant);
  });
  const [first, second] = theirs;
  if (first && second) {
    const names = theirs.map(({ site }) => site.slot).sort().join(" and ");
    throw new UsageError(
      `${whoIs(claimant, first.holder)} holds slots ${names}: say which with --slot`,
    );
  }
  if (first) return first.site;
  const other = held[0];
  const present = other?.judged.record?.fence ?? null;
  const fences = claimant?.by === "fence" ? { asked: claimant.fence, present } : null;
  const problem = other ? "held by another" : "not held";
  throw new NotHolder(line.paths.lock, problem, other?.holder ?? null, fences);
}

/** @throws UsageError if the lock has no such slot */
export function slotNamed(line: Site, slot: string): Site {
  const named = line.slots!.find((one) => one.slot === slot);
  if (named) return named;
  const slots = line.slots!.map((one) => one.slot!);
  throw new UsageError(
    `--slot "${showForeign(slot)}" is not one of the slots of this lock: it has ${
      showSlots(slots)
    }`,
  );
}

function whoIs(claimant: Claimant | null, holder: HolderView): string {
  if (claimant?.by === "fence") return `fence ${claimant.fence}`;
  return claimant?.by === "slug" ? showForeign(holder.slug ?? "") : "somebody";
}

async function slotsHeld(line: Site): Promise<HeldSlot[]> {
  try {
    await checkFolder(line);
    const held: HeldSlot[] = [];
    for (const site of line.slots!) {
      const look = await lookAtLock(site);
      if (look.standing !== "lock") continue;
      const judged = await judgeLock(site, look, NEVER_STALE_MS);
      held.push({ site, judged, holder: await viewHolder(site, judged) });
    }
    return held;
  } catch (failure) {
    throw await explain(line, failure);
  }
}

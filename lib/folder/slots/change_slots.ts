/**
 * Changing the slots of a lock, while nobody holds one or waits.
 *
 * Guarantee: all slots that were, and all that will be, are taken while the file is replaced; and whoever is granted a slot
 * afterwards reads the file once more. So nobody holds a slot of the old list when the new one counts.
 */

import { UsageError } from "../../lock/failures.ts";
import { areSameSlots, slotsArgument, type SlotsInTheWay } from "../../lock/slots.ts";
import { CLAIM_WITHIN_MS, DEFAULT_STALE_MS } from "../../lock/times.ts";
import { elapsedMs, type Moment } from "../../sys/elapsed.ts";
import type { Sys } from "../../sys/sys.ts";
import { giveBackUnclaimed } from "../claim.ts";
import { tryMkdir } from "../grant.ts";
import { checkFolder, explain, siteOfFault } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import { replaceFile } from "../state/state_files.ts";
import { openLine } from "./counted_site.ts";
import { refusePlainUse } from "./plain_use.ts";
import { slotsText } from "./slots_file.ts";

/**
 * @param plain the lock of that name without slots
 * @param inUse its slots as they are; null if it has none
 * @param wanted those that it is to have
 * @return null once they are changed
 * @throws FolderUnusable; UsageError if the lock is used without slots
 */
export async function changeSlots(
  plain: Site,
  inUse: readonly string[] | null,
  wanted: readonly string[],
): Promise<SlotsInTheWay | null> {
  await checkFolder(plain);
  if (inUse && areSameSlots(inUse, wanted)) return null;
  if (!inUse) await refusePlainUse(plain, wanted);
  const all = [...new Set([...inUse ?? [], ...wanted])];
  refuseCase(all, wanted);
  return await replaceList(openLine(plain, all), wanted);
}

/** Two that differ by upper and lower case alone are one folder on some systems. */
function refuseCase(all: readonly string[], wanted: readonly string[]): void {
  const names = new Set(all.map((slot) => slot.toLowerCase()));
  if (names.size === all.length) return;
  throw new UsageError(
    `--set ${slotsArgument(wanted)} differs from the present slots by upper and lower case alone`,
  );
}

/** @param line of all slots, those that were and those that will be */
async function replaceList(
  line: Site,
  slots: readonly string[],
): Promise<SlotsInTheWay | null> {
  const taken: { readonly slot: Site; readonly at: Moment }[] = [];
  try {
    await checkFolder(line);
    for (const slot of line.slots!) {
      const at = await tryMkdir(slot);
      if (at === null) return { kind: "held", slot: slot.slot! };
      taken.push({ slot, at });
    }
    const waiting = await line.sys.files.list(line.paths.queue) ?? [];
    if (waiting.some((name) => !name.startsWith("."))) return { kind: "waiting" };
    const { sys, paths } = line;
    const inTime = () => isInTime(sys, taken[0]!.at);
    const replaced = await replaceFile(sys, paths, paths.slots, slotsText(slots), inTime);
    return replaced === null ? { kind: "too late" } : null;
  } catch (failure) {
    throw await explain(siteOfFault(line, failure), failure);
  } finally {
    for (const { slot, at } of taken) await letGo(slot, at);
  }
}

async function isInTime(sys: Sys, at: Moment): Promise<boolean> {
  return elapsedMs(at, await sys.clock.moment()) <= CLAIM_WITHIN_MS;
}

/** A bare lock is left alone by all for longer than this takes. */
async function letGo(slot: Site, at: Moment): Promise<void> {
  const token = await slot.sys.random.token();
  await giveBackUnclaimed(slot, { slug: "slots", staleMs: DEFAULT_STALE_MS }, token, at);
}

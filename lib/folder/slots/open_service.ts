/** Opens a lock with slots: those that a caller names, or those that the lock has. */

import type { Host } from "../../sys/sys.ts";
import type { Site } from "../site.ts";
import { faultCode } from "../../sys/faults.ts";
import { explain } from "../place/obstacles.ts";
import { openLine } from "./counted_site.ts";
import { CountedFolderService } from "./service.ts";
import { readSlots } from "./slots_file.ts";

/**
 * @param plain the lock of that name without slots
 * @param named the slots that the caller names; null if it names none
 * @return null if none are named, and the lock has none
 * @throws FolderUnusable if the file that should name them does not
 */
export async function openCountedService(
  plain: Site,
  host: Host,
  named: readonly string[] | null,
): Promise<CountedFolderService | null> {
  const slots = named ?? await slotsInUse(plain, host);
  return slots && new CountedFolderService(openLine(plain, slots), plain, host);
}

async function slotsInUse(plain: Site, host: Host): Promise<readonly string[] | null> {
  try {
    return await readSlots(host, plain.paths.slots);
  } catch (fault) {
    // There is no folder: whatever is asked of the lock tells that.
    if (faultCode(fault) === "ENOTDIR") return null;
    throw await explain(plain, fault);
  }
}

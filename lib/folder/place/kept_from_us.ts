/** A lock that the system keeps us from removing: in a sticky folder, and another user's. */

import { FolderUnusable } from "../../lock/failures.ts";
import { faultCode } from "../../sys/faults.ts";
import { folderItself, probeFolder } from "../state/layout.ts";
import type { Entry } from "../../sys/sys.ts";
import type { Site } from "../site.ts";

const STICKY = 0o1000;
const ROOT = 0;

/** A user as the file system sees it; null where it has none. */
interface Owned {
  readonly uid: number | null;
}

/**
 * Whether the system keeps us from removing what stands in a folder, though we may write there.
 * @param own something that we have just made there: on a share we may be another user than here
 */
export function isKeptFromUs(
  folder: Owned & { readonly mode: number | null },
  thing: Owned,
  own: Owned,
): boolean {
  if (!isSticky(folder) || thing.uid === null) return false;
  return own.uid !== ROOT && own.uid !== thing.uid && own.uid !== folder.uid;
}

export function isSticky({ mode }: { readonly mode: number | null }): boolean {
  return ((mode ?? 0) & STICKY) !== 0;
}

/**
 * To be asked before anything is done about a lock that is not ours: a log that tells of a removal which then
 * fails tells a lie.
 * @param holder whose lock it is, for the one who is told; asked for only if it is kept from us
 * @throws FolderUnusable if the system would not let us remove it
 */
export async function refuseKept(
  site: Site,
  holder: () => Promise<string | null>,
): Promise<void> {
  const { files } = site.sys;
  const folder = await files.entry(folderItself(site.paths));
  if (!folder || !isSticky(folder)) return;
  const lock = await files.entry(site.paths.lock);
  const own = lock && await madeByUs(site);
  if (!own || !isKeptFromUs(folder, lock, own)) return;
  throw new FolderUnusable(site.paths.lock, {
    kind: "kept from us",
    uid: lock.uid,
    folderUid: folder.uid,
    holder: await holder(),
  });
}

/** Only the file system can say who we are there. */
async function madeByUs(site: Site): Promise<Entry | null> {
  const { files, random } = site.sys;
  const probe = probeFolder(site.paths, await random.token());
  await files.makeFolder(probe);
  const entry = await files.entry(probe);
  try {
    await files.removeFolder(probe);
  } catch (fault) {
    // Held up for a minute, and somebody has tidied it away.
    if (faultCode(fault) !== "ENOENT") throw fault;
  }
  return entry;
}

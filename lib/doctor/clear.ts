/** Removing all that trials have made, through one mount or two that may not agree on what there is. */

import { FileFault } from "../sys/faults.ts";
import type { Files } from "../sys/sys.ts";

/**
 * Removes a folder of ours with all that is in it, and nothing through a link. What cannot be removed keeps
 * nothing else from being removed.
 * @return whether nothing is left of it
 */
export async function clearFolder(files: Files, path: string): Promise<boolean> {
  const names = await quietly(() => files.list(path)) ?? [];
  for (const name of names) {
    const inside = `${path}/${name}`;
    const entry = await quietly(() => files.entry(inside));
    if (entry?.kind === "folder") await clearFolder(files, inside);
    else await quietly(() => files.removeFile(inside));
  }
  await quietly(() => files.removeFolder(path));
  return await quietly(() => files.entry(path)) === null;
}

/** @return undefined if it fails */
async function quietly<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (fault) {
    if (fault instanceof FileFault) return undefined;
    throw fault;
  }
}

/** A lock folder for one trial: made fresh, and taken away with all that a lock leaves in it. */

import { FileFault } from "../../sys/faults.ts";
import type { Files, Sys } from "../../sys/sys.ts";

const PRIVATE_MODE = 0o700;

/**
 * @param parent where temporary folders go
 * @param purpose a word for its name
 * @return its path
 * @throws FileFault
 */
export async function makeScratchFolder(
  sys: Pick<Sys, "files" | "random">,
  parent: string,
  purpose: string,
): Promise<string> {
  const path = `${parent}/lock_folder_util-${purpose}-${(await sys.random.token()).slice(0, 8)}`;
  await sys.files.makeFolder(path, PRIVATE_MODE);
  return path;
}

/** Takes away what a lock leaves behind, and nothing through a link. */
export async function removeScratchFolder(files: Files, path: string): Promise<void> {
  for (const name of await files.list(path) ?? []) {
    const inside = `${path}/${name}`;
    const entry = await files.entry(inside);
    if (entry?.kind === "folder") await removeScratchFolder(files, inside);
    else await files.removeFile(inside);
  }
  try {
    await files.removeFolder(path);
  } catch (fault) {
    if (!(fault instanceof FileFault) || fault.code !== "ENOENT") throw fault;
  }
}

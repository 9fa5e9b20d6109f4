/** What kind of file system a folder is on. Known on Linux only, where the kernel lists all mounts. */

import type { LocalDisks } from "./local_disks.ts";
import type { Mount, Mounts } from "./sys.ts";

export class DenoMounts implements Mounts {
  readonly #disks: LocalDisks;

  /** @param disks told of each folder that is asked for: on a local disk, calls may stay on the thread */
  constructor(disks: LocalDisks) {
    this.#disks = disks;
  }

  async typeOf(folder: string): Promise<Mount> {
    const type = await readType(folder);
    return { type, isLocalDisk: this.#disks.note(folder, type) };
  }
}

async function readType(folder: string): Promise<string | null> {
  if (Deno.build.os !== "linux") return null;
  try {
    // The list of mounts is the kernel's own and never hangs; resolving the folder may.
    return mountTypeOf(Deno.readTextFileSync("/proc/self/mountinfo"), await Deno.realPath(folder));
  } catch {
    return null;
  }
}

/**
 * @param mountInfo content of `/proc/self/mountinfo`; see proc(5)
 * @param path absolute, without links
 * @return the type of the innermost mount that holds the path; of several at one place, the last is on top
 */
export function mountTypeOf(mountInfo: string, path: string): string | null {
  let innermost = { length: -1, type: null as string | null };
  for (const line of mountInfo.split("\n")) {
    const [before, after] = line.split(" - ");
    const point = before?.split(" ")[4];
    if (point === undefined || after === undefined) continue;
    const mountPoint = unescapeOctal(point);
    if (isAtOrBelow(path, mountPoint) && mountPoint.length >= innermost.length) {
      innermost = { length: mountPoint.length, type: after.split(" ")[0] ?? null };
    }
  }
  return innermost.type;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** A space in a mount point is written as `\\040`. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8)));
}

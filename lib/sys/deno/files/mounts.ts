/**
 * What kind of file system a folder is on, and so whether a file call there can hang. Known on Linux only, where
 * the kernel lists all mounts.
 */

import type { Mounted } from "../../diagnosis.ts";
import { type FileCalls, OFF_THREAD, ON_THREAD, WITHOUT_WAITING } from "./file_calls.ts";
import type { Mount, Mounts } from "../../sys.ts";

/**
 * File systems that are served by this machine's own kernel from its own disk or memory. Not among them:
 * anything behind a network or a FUSE server, which may be frozen and would freeze us with it.
 */
const SERVED_BY_THIS_KERNEL: ReadonlySet<string> = new Set([
  "btrfs",
  "ext2",
  "ext3",
  "ext4",
  "f2fs",
  "overlay",
  "tmpfs",
  "xfs",
  "zfs",
]);

/** Where who waits for a file lock may wait for ever, though it was let go. */
const MAY_NEVER_GRANT: ReadonlySet<string> = new Set(["cifs", "smb3"]);

/** Whether no call to such a file system can hang. */
export function isLocalType(type: string | null): boolean {
  return type !== null && SERVED_BY_THIS_KERNEL.has(type);
}

/** The folders that are known to be on a disk of this machine, where no file call can hang. */
export class LocalDisks {
  readonly #folders: string[] = [];
  readonly #slowToGrant: string[] = [];

  /**
   * Notes what kind of file system a folder is on.
   * @return whether it is a disk of this machine
   */
  note(folder: string, type: string | null): boolean {
    const local = isLocalType(type);
    const below = folder.endsWith("/") ? folder : `${folder}/`;
    if (local) this.#folders.push(below);
    if (MAY_NEVER_GRANT.has(type ?? "")) this.#slowToGrant.push(below);
    return local;
  }

  /** Whether what is at this path is known to be on a disk of this machine. */
  has(path: string): boolean {
    return isBelowOne(this.#folders, path);
  }

  /** How to call for what is at this path. */
  callsFor(path: string): FileCalls {
    if (this.has(path)) return ON_THREAD;
    return isBelowOne(this.#slowToGrant, path) ? WITHOUT_WAITING : OFF_THREAD;
  }
}

function isBelowOne(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder));
}

export class DenoMounts implements Mounts {
  readonly #disks: LocalDisks;

  /** @param disks told of each folder that is asked for: on a local disk, calls may stay on the thread */
  constructor(disks: LocalDisks) {
    this.#disks = disks;
  }

  async typeOf(folder: string): Promise<Mount> {
    const mount = await readMount(folder);
    const type = mount?.type ?? null;
    return {
      type,
      isLocalDisk: this.#disks.note(folder, type),
      options: mount?.options ?? [],
    };
  }
}

async function readMount(folder: string): Promise<Innermost | null> {
  if (Deno.build.os !== "linux") return null;
  try {
    // The list of mounts is the kernel's own: reading it never hangs.
    const mounts = Deno.readTextFileSync("/proc/self/mountinfo");
    const mount = innermostMount(mounts, folder);
    if (isLocalType(mount?.type ?? null) && isWithoutLinks(mounts, folder)) return mount;
    // Off the thread: on a frozen share this may take for ever.
    return innermostMount(mounts, await Deno.realPath(folder));
  } catch {
    return null;
  }
}

/**
 * Whether no part of the path is a link that may lead elsewhere. Each part is looked at only after those
 * before it were found to be on a local disk, where looking cannot hang.
 */
function isWithoutLinks(mounts: string, path: string): boolean {
  for (let end = path.indexOf("/", 1); end !== -1; end = path.indexOf("/", end + 1)) {
    const part = path.slice(0, end);
    if (!isLocalType(mountTypeOf(mounts, part)) || Deno.lstatSync(part).isSymlink) return false;
  }
  return !Deno.lstatSync(path).isSymlink;
}

/** What is mounted where a path is, and with which options. */
export interface Innermost extends Mounted {
  readonly options: readonly string[];
}

function mountTypeOf(mountInfo: string, path: string): string | null {
  return innermostMount(mountInfo, path)?.type ?? null;
}

/** As `innermostMount()`, without its options. */
export function mountOf(mountInfo: string, path: string): Mounted | null {
  const mount = innermostMount(mountInfo, path);
  return mount && { type: mount.type, source: mount.source };
}

/**
 * @param mountInfo content of `/proc/self/mountinfo`; see proc(5)
 * @param path absolute, without links
 * @return the innermost mount that holds the path; of several at one place, the last is on top
 */
export function innermostMount(mountInfo: string, path: string): Innermost | null {
  let innermost = { length: -1, mount: null as Innermost | null };
  for (const line of mountInfo.split("\n")) {
    const [before, after] = line.split(" - ");
    const point = before?.split(" ")[4];
    if (point === undefined || after === undefined) continue;
    const mountPoint = unescapeOctal(point);
    if (isAtOrBelow(path, mountPoint) && mountPoint.length >= innermost.length) {
      const [type = "", source = "", options = ""] = after.split(" ");
      const mount = { type, source: unescapeOctal(source), options: options.split(",") };
      innermost = { length: mountPoint.length, mount };
    }
  }
  return innermost.mount;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** A space in a mount point is written as `\\040`. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8)));
}

/** From what stands around a folder to PASS, WARN or FAIL. */

import { isWindowsDrive, kindOf, syncClientOf } from "../../folder/place/mount_trust.ts";
import {
  type CleanerFound,
  fail,
  type FileSystemFound,
  type GitReachFound,
  type InotifyFound,
  type InTheWayFound,
  type Judgement,
  type OtherLockFound,
  pass,
  type SpaceFound,
  warn,
} from "./judgement.ts";
import { countOf } from "../../words/columns.ts";
import { showDuration } from "../../words/durations.ts";

/** @param acrossTried whether the same trials were made between two mounts of the folder */
export function judgeFileSystem(found: FileSystemFound, acrossTried: boolean): Judgement {
  const across = acrossTried ? "see how it does across two mounts" : "try two mounts with --peer";
  const { type, source, path, markers } = found;
  const kind = kindOf(type);
  if (kind === "no exclusion") {
    return fail(
      `${type}: its mkdir does not exclude, so two machines both get the lock; use another folder`,
    );
  }
  const client = markers[0] ?? syncClientOf(path);
  if (client !== null || kind === "sync client") {
    return warn(
      `${
        client ?? type
      } keeps this folder in step with other machines, long after the fact: a lock for this machine only`,
    );
  }
  if (isWindowsDrive(type, source, path)) {
    return warn(
      `${type}, a Windows drive seen from WSL: slow, and the watch does not work; better a folder of Linux's own`,
    );
  }
  const shown = source === null ? `${type}` : `${type} (${source})`;
  switch (kind) {
    case "local":
      return pass(`${shown}, a local disk`);
    case "memory":
      return pass(`${type}, in memory: a restart empties it, which frees all locks`);
    case "overlay":
      return pass(`${type}: seen by this container or system only`);
    case "network":
      return warn(
        `${shown}, a network file system: ${across}, and try it from each machine`,
      );
    case "host share":
      return warn(
        `${shown}, shared between a virtual machine or container and its host: try it from both`,
      );
    case "object store":
      return warn(
        `${shown}, an object store: its mkdir seldom excludes between machines: ${across}`,
      );
    case "fuse":
      return warn(
        `${shown}, a FUSE file system, of which two mounts may not agree: ${across}`,
      );
    case "unknown":
      return type === null
        ? warn(`its kind cannot be found out on this system; if it is a share, ${across}`)
        : warn(`${shown}, of which nothing is known here; if it is a share, ${across}`);
  }
}

/** A record, a ticket, a log line and their temporary copies, for a fleet of a hundred. */
const TIGHT_BYTES = 4 * 2 ** 20;
const TIGHT_FILES = 1000;

/** @param isRefused whether writing there failed for want of space */
export function judgeSpace({ freeBytes, freeFiles }: SpaceFound, isRefused: boolean): Judgement {
  if (isRefused && freeFiles === 0) return fail("no inode is free: no file or folder can be made");
  if (freeBytes <= 0) {
    return fail(
      isRefused
        ? "no space is free: no hold can be recorded, and the log ends here"
        : "no space is free but what is kept for root, or left in a half-used block: free some",
    );
  }
  if (isRefused) return fail(`a quota is used up; ${showBytes(freeBytes)} are free besides`);
  // Some file systems count no files and say that none is free.
  const countsFiles = freeFiles !== null && freeFiles > 0;
  const files = countsFiles ? ` and ${countOf(freeFiles, "inode")}` : "";
  const text = `${showBytes(freeBytes)}${files} free`;
  const isTight = freeBytes < TIGHT_BYTES || (countsFiles && freeFiles < TIGHT_FILES);
  return isTight ? warn(`only ${text}`) : pass(text);
}

function showBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let amount = bytes;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${amount < 10 && unit > 0 ? Math.round(amount * 10) / 10 : Math.round(amount)} ${
    units[unit]
  }`;
}

/** Each waiting process takes one; fleets of this size are usual. */
const FEW_INSTANCES = 16;

export function judgeInotify({ limit }: InotifyFound): Judgement {
  const text = `${countOf(limit, "inotify instance")} for this user, one a waiter`;
  if (limit >= FEW_INSTANCES) return pass(text);
  return warn(`${text}: waiters beyond that poll; raise fs.inotify.max_user_instances`);
}

export function judgeCleaner({ below }: CleanerFound): Judgement {
  if (below === null) return pass("not in a temporary folder, which a cleaner would empty");
  return warn(
    `many systems remove what lies idle below ${below} for days (see tmpfiles.d(5)): a hold that is not freshened, and this folder itself`,
  );
}

/** What is not tracked and not ignored is in git's way, and a lock is: others then hold while its holder works. */
export function judgeGitReach({ workTree, below, ignored }: GitReachFound): Judgement {
  if (ignored) {
    return pass(`git ignores it: of what git does in ${workTree}, only git clean -x reaches it`);
  }
  // What can stand in a name and would be a pattern.
  const line = `/${below.replace(/[*?[\\]/g, "\\$&")}/`;
  const orIgnore = below === "" ? "" : `, or add ${line} to ${workTree}/.gitignore`;
  return warn(
    `git clean -fd, git stash -u and git add -A in ${workTree} reach the lock here: use --dir @git${orIgnore}`,
  );
}

/** Some of a repository's agents name `@git`, and others nothing: both hold at once. */
export function judgeOtherLock({ lock, held, loggedAgoMs }: OtherLockFound): Judgement {
  const use = held ? "is held" : `was last used ${showDuration(loggedAgoMs ?? 0)} ago`;
  return warn(
    `the lock of @git (${lock}), which ${use}, is another one, and each lets one in: use --dir @git to share that one`,
  );
}

export function judgeInTheWay({ things }: InTheWayFound): Judgement {
  if (things.length === 0) return pass("nothing of anybody else's is in the way");
  const text = things.map(({ path, problem }) => `${path} ${problem}`).join("; ");
  return things.some(({ blocks }) => blocks) ? fail(text) : warn(text);
}

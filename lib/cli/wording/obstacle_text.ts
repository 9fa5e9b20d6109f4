/** What about the lock folder, or what is in it, is in the way: one line each, with its cause and a way out. */

import { type BlockedRemoval, type Obstacle, removalWord } from "../../lock/failures.ts";
import { shellWord, showForeign } from "../../words/slugs.ts";
import { DIR_VARIABLE, TRUST_MOUNT_VARIABLE } from "../../lock/variables.ts";

/** @param noInodes it is known that no file can be made any more where the failure was, though bytes are free */
export function describeObstacle(path: string, obstacle: Obstacle, noInodes: boolean): string {
  switch (obstacle.kind) {
    case "folder":
      return `lock dir ${path} is not a writable directory; ${obstacle.reason}${
        ownership(obstacle)
      }: ${folderAdvice(path, obstacle.reason)}`;
    case "not a lock":
      return `${path} is ${obstacle.found}, not a folder; a lock is an empty folder: move it away or use another --name`;
    case "lock not empty":
      return `${path} is not empty (it holds ${
        obstacle.entries.slice(0, 3).map(showForeign).join(", ")
      }); a lock is never removed with its contents: move them away, then try again`;
    case "file":
      return `${path} cannot be used: ${obstacle.reason}${
        ownership(obstacle)
      }; ask its owner, or move it away if that is you, or use another --dir or --name`;
    case "document":
      return `${path} cannot be ${
        obstacle.operation === "write" ? "written" : "read"
      }: ${obstacle.reason}; check its name and its folder`;
    case "io":
      return `${path} could not be ${
        obstacle.operation === "read" ? "read" : "written"
      }: ${obstacle.operation} failed, ${obstacle.reason}; ${
        noInodes
          ? "no inode is free there (see df -i): remove some files"
          : ioAdvice(obstacle.reason)
      }, then try again`;
    case "not given back":
      if (obstacle.folderIsGone) {
        return `${path} could not be given back: ${obstacle.reason}; once it is back, the lock in it is broken as stale`;
      }
      if (obstacle.removal) {
        return `${path} could not be ${removalWord(obstacle.removal)}: ${obstacle.reason}${
          blockedAdvice(obstacle.removal)
        }`;
      }
      return `${path} could not be given back: ${obstacle.reason}; it stands until it is broken as stale, or remove it by hand: ${
        obstacle.closedFolder === undefined
          ? ""
          : `chmod u+wx ${shellWord(obstacle.closedFolder)} && `
      }rmdir ${shellWord(path)}`;
    case "kept from us":
      return keptWords(path, obstacle);
    case "no shared folder":
      return `--dir ${obstacle.word} names no folder: ${obstacle.missing}; ${
        obstacle.word === "@git" ? "start this inside a repository" : "set it"
      }, or name a folder with --dir or ${DIR_VARIABLE}`;
    case "mount":
      return `${path} is on a ${obstacle.fileSystem} mount, whose mkdir is known to let two in; use another --dir, or set ${TRUST_MOUNT_VARIABLE}=1 to use it all the same`;
  }
}

/** Never rmdir: the one in the way goes on some day, and then removes whatever lock stands there. */
function blockedAdvice({ blockedBy, mayTryAgain }: BlockedRemoval): string {
  const then = mayTryAgain ? "then try again" : "then the lock is broken as stale";
  const pid = blockedBy?.pid;
  switch (blockedBy?.sight) {
    case undefined:
      return `; ${mayTryAgain ? "try again" : "the lock is broken as stale"} once that is over`;
    case "stopped":
      return ` and is stopped; let it go on with kill -CONT ${pid}, or have the next one pass it over at once with kill -9 ${pid}; ${then}`;
    case "lives":
      return `; wait for it, or end it with kill -9 ${pid}; ${then}`;
    case "away":
      return ` and is perhaps stopped; look after it there (kill -CONT ${pid}, or kill -9 ${pid}); ${then}`;
    case "mute":
      return ` and cannot be seen from here; it is passed over once it has stood there for a minute; ${then}`;
  }
}

function keptWords(
  path: string,
  { uid, folderUid, holder }: Extract<Obstacle, { kind: "kept from us" }>,
): string {
  const name = holder === null ? "a peer that is not in the log" : showForeign(holder);
  const others = folderUid === null || folderUid === uid || folderUid === 0
    ? ""
    : `, uid ${folderUid}`;
  return `${path}, held by ${name}, is uid ${uid}'s, and its folder is sticky: nobody but that user${others} and root can remove it; ask one of them for rmdir ${
    shellWord(path)
  }, or use another --name`;
}

function ownership(
  { uid, mode }: { readonly uid: number | null; readonly mode: number | null },
): string {
  return uid === null || mode === null
    ? ""
    : ` (owner uid ${uid}, mode ${mode.toString(8).padStart(3, "0")})`;
}

function ioAdvice(reason: string): string {
  if (/open files/.test(reason)) return "let more files be open (ulimit -n)";
  if (/too large/.test(reason)) return "let files grow larger (ulimit -f), or move the log away";
  if (/no answer/.test(reason)) return "look after the share, or what serves it";
  if (/file lock/.test(reason)) return "find that process, perhaps on another machine, and end it";
  // A folder that was made and taken away again may have had the last inode: by now one is free.
  if (/^no space left/.test(reason)) return "free some space, or some inodes (see df and df -i)";
  return "free some space or check the disk";
}

function folderAdvice(path: string, reason: string): string {
  if (reason.includes("link to nothing")) {
    return `make the folder that it points to, or name another with --dir or ${DIR_VARIABLE}`;
  }
  return reason.includes("not exist")
    ? `make it with mkdir -p ${shellWord(path)}, or name another with --dir or ${DIR_VARIABLE}`
    : `make it one you can write to, or name another with --dir or ${DIR_VARIABLE}`;
}

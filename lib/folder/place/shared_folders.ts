/**
 * The rules for lock folders that are named by a word: `@git`, one folder for all worktrees of a repository,
 * and `@user`, one for all that a user runs on this machine.
 *
 * git itself is not asked: it may not be there, and its `GIT_*` variables, which hooks and wrappers set,
 * would lead two agents to two folders. What is on disk is the same for all.
 */

import { absolutePath } from "../../words/paths.ts";

/** What our folder is called, inside git's or the user's. */
const OUR_FOLDER = "lock_folder_util";

export function ownFolderIn(folder: string): string {
  return `${folder === "/" ? "" : folder}/${OUR_FOLDER}`;
}

/** A folder and all that it is in, the nearest first. */
export function foldersUpwards(folder: string): string[] {
  const found = [folder];
  for (let at = folder; at.lastIndexOf("/") > 0;) {
    at = at.slice(0, at.lastIndexOf("/"));
    // What is left of a Windows path in the end is its drive.
    found.push(/^[A-Za-z]:$/.test(at) ? `${at}/` : at);
  }
  if (folder.startsWith("/") && folder !== "/") found.push("/");
  return found;
}

/**
 * Where a file called `.git` leads: that of a worktree or a submodule.
 * @param text its content
 * @param folder the folder it stands in
 * @return an absolute path, or null if it is no such file
 */
export function gitFileTarget(text: string, folder: string): string | null {
  const target = /^gitdir: ([^\0\r\n]+)[\r\n]*$/.exec(text)?.[1];
  return target === undefined ? null : absolutePath(target, folder);
}

/**
 * Where a file called `commondir` leads, from a worktree's own git folder to the one of all worktrees.
 * @param text its content
 * @param gitFolder the folder it stands in
 * @return an absolute path, or null if it is no such file
 */
export function commonFolderTarget(text: string, gitFolder: string): string | null {
  const target = /^([^\0\r\n]+)[\r\n]*$/.exec(text)?.[1];
  return target === undefined ? null : absolutePath(target, gitFolder);
}

export type UserFolder =
  | { readonly path: string }
  /** Why there is none. */
  | { readonly missing: string };

/**
 * Where programs of a user keep what outlives them on this machine.
 * @param os as the system calls itself
 * @param get an environment variable
 */
export function userFolder(
  os: string,
  get: (name: string) => string | undefined,
): UserFolder {
  if (os === "windows") {
    const local = absoluteOrNull(get("LOCALAPPDATA"));
    return local === null ? { missing: "LOCALAPPDATA is not set" } : { path: local };
  }
  // The XDG rules say that a relative path there is to be passed over.
  const state = os === "darwin" ? null : absoluteOrNull(get("XDG_STATE_HOME"));
  if (state !== null) return { path: state };
  const home = get("HOME");
  if (!home) return { missing: "HOME is not set" };
  const absolute = absoluteOrNull(home);
  if (absolute === null) return { missing: "HOME is not an absolute path" };
  const below = os === "darwin" ? "Library/Application Support" : ".local/state";
  return { path: absolutePath(below, absolute) };
}

/** Where programs keep what need not outlive them. */
export function temporaryFolder(os: string, get: (name: string) => string | undefined): string {
  if (os !== "windows") return absoluteOrNull(get("TMPDIR")) ?? "/tmp";
  return absoluteOrNull(get("TEMP")) ?? absoluteOrNull(get("TMP")) ?? "C:/Windows/Temp";
}

function absoluteOrNull(path: string | undefined): string | null {
  if (path === undefined || !/^([A-Za-z]:)?[\\/]/.test(path)) return null;
  return absolutePath(path, /^[A-Za-z]:/.test(path) ? path : "/");
}

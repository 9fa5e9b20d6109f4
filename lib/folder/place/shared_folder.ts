/**
 * Finding and making the lock folders that are named by a word (see `core/shared_folders.ts`), by reading
 * files alone.
 *
 * git passes over an empty or half-made `.git` folder and looks further up; so do we. A `.git` file that
 * leads nowhere is an error there and here: to go on upwards would find another repository's lock.
 */

import { FolderUnusable, type SharedWord } from "../../lock/failures.ts";
import { FileFault } from "../../sys/faults.ts";
import {
  commonFolderTarget,
  foldersUpwards,
  gitFileTarget,
  ownFolderIn,
  userFolder,
} from "./shared_folders.ts";
import { absolutePath } from "../../words/paths.ts";
import type { Environment, Files } from "../../sys/sys.ts";

/** Paths are short; git itself refuses more than a megabyte. */
const LARGEST_GIT_FILE_BYTES = 64 * 1024;

/** What is the user's alone: nobody else's program may hold their locks. */
const PRIVATE_MODE = 0o700;

/**
 * The path that a word stands for.
 * @throws FolderUnusable that names what is missing
 */
async function findSharedFolder(
  word: SharedWord,
  files: Files,
  environment: Environment,
): Promise<string> {
  const not = (missing: string) =>
    new FolderUnusable(word, { kind: "no shared folder", word, missing });
  if (word === "@user") {
    const found = userFolder(environment.os, environment.get);
    if ("missing" in found) throw not(found.missing);
    return ownFolderIn(found.path);
  }
  const { workingFolder } = environment;
  if (workingFolder === null) throw not("the folder this was started in has been removed");
  try {
    const found = await new GitFolders(files).commonOf(absolutePath(".", workingFolder));
    if ("missing" in found) throw not(found.missing);
    return ownFolderIn(found.path);
  } catch (fault) {
    if (fault instanceof FileFault) throw not(`${fault.path} cannot be read: ${fault.reason}`);
    throw fault;
  }
}

/**
 * Finds it, and makes it if nobody has used it before.
 * @throws FolderUnusable
 */
export async function openSharedFolder(
  word: SharedWord,
  files: Files,
  environment: Environment,
): Promise<string> {
  const path = await findSharedFolder(word, files, environment);
  try {
    if (word === "@user") await makeWithParents(files, path);
    else await makeIfMissing(files, path);
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    const reason = `it could not be made: ${fault.reason}`;
    throw new FolderUnusable(path, { kind: "folder", reason, uid: null, mode: null });
  }
  return path;
}

async function makeIfMissing(files: Files, path: string, mode?: number): Promise<void> {
  try {
    await files.makeFolder(path, mode);
  } catch (fault) {
    // Whether it is a folder that can be used is seen where the lock is taken.
    if (!(fault instanceof FileFault) || fault.code !== "EEXIST") throw fault;
  }
}

/** A fresh account has no `.local/state` yet. */
async function makeWithParents(files: Files, path: string): Promise<void> {
  try {
    await makeIfMissing(files, path, PRIVATE_MODE);
  } catch (fault) {
    const [, parent] = foldersUpwards(path);
    if (!(fault instanceof FileFault) || fault.code !== "ENOENT" || parent === undefined) {
      throw fault;
    }
    await makeWithParents(files, parent);
    await makeIfMissing(files, path, PRIVATE_MODE);
  }
}

type Missing = { readonly missing: string };
type Found = { readonly path: string } | Missing;

/** A worktree's own git folder. */
interface OwnGitFolder {
  readonly path: string;
  /** What git works on; null for a folder that lies in the git folder itself. */
  readonly workTree: string | null;
}

/**
 * The root of the git work tree that a folder lies in; null if it lies in none, or in git's own folder.
 * @param folder absolute, without links
 */
export async function workTreeAround(files: Files, folder: string): Promise<string | null> {
  try {
    const own = await new GitFolders(files).around(folder);
    return "missing" in own ? null : own.workTree;
  } catch (fault) {
    if (fault instanceof FileFault) return null;
    throw fault;
  }
}

/**
 * Where `@git` is for who works in a folder, be it there or not; null outside of repositories.
 * @param folder absolute
 */
export async function gitLockFolder(files: Files, folder: string): Promise<string | null> {
  try {
    const found = await new GitFolders(files).commonOf(folder);
    return "missing" in found ? null : ownFolderIn(found.path);
  } catch (fault) {
    if (fault instanceof FileFault) return null;
    throw fault;
  }
}

class GitFolders {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  /** The git folder that all worktrees of the repository around `folder` share. */
  async commonOf(folder: string): Promise<Found> {
    const own = await this.around(folder);
    if ("missing" in own) return own;
    const file = `${own.path}/commondir`;
    const content = await this.#files.read(file, LARGEST_GIT_FILE_BYTES);
    if (!content) return own;
    const path = commonFolderTarget(content.text, own.path);
    if (path === null) return { missing: `${file} names no folder` };
    return await this.#stands(`${path}/objects`)
      ? { path }
      : { missing: `${file} leads to ${path}, and no repository is there` };
  }

  /** The git folder of the worktree around `folder`, which may itself be one: bare, or a hook's. */
  async around(folder: string): Promise<OwnGitFolder | Missing> {
    for (const at of foldersUpwards(folder)) {
      const found = await this.#at(at);
      if (found) return found;
    }
    return { missing: `there is no git repository at or above ${folder}` };
  }

  async #at(folder: string): Promise<OwnGitFolder | Missing | null> {
    const root = folder.endsWith("/") ? folder.slice(0, -1) : folder;
    const git = `${root}/.git`;
    const entry = await this.#files.entry(git);
    if (entry?.kind === "file") return await this.#behind(git, folder);
    if (entry && await this.#isGitFolder(git)) return { path: git, workTree: folder };
    return await this.#isGitFolder(root) ? { path: root, workTree: null } : null;
  }

  async #behind(file: string, folder: string): Promise<OwnGitFolder | Missing> {
    const content = await this.#files.read(file, LARGEST_GIT_FILE_BYTES);
    const path = gitFileTarget(content?.text ?? "", folder);
    if (path === null) return { missing: `${file} is a file without a line "gitdir: FOLDER"` };
    return await this.#isGitFolder(path)
      ? { path, workTree: folder }
      : { missing: `${file} leads to ${path}, and no git folder is there` };
  }

  async #isGitFolder(path: string): Promise<boolean> {
    return await this.#stands(`${path}/HEAD`) &&
      (await this.#stands(`${path}/objects`) || await this.#stands(`${path}/commondir`));
  }

  /** A file in the middle of the path, or a link to nothing: not there. */
  async #stands(path: string): Promise<boolean> {
    try {
      return await this.#files.entry(path) !== null;
    } catch (fault) {
      if (fault instanceof FileFault && fault.code === "ENOTDIR") return false;
      throw fault;
    }
  }
}

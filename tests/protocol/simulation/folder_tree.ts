/**
 * The shared folder tree of the simulated world, with the answers and error codes of Linux.
 *
 * Guarantee: every operation is atomic; mkdir succeeds once; making, removing or renaming a child moves
 * its folder's mtime; times are cut to the granularity of the file system.
 * Non-guarantee: no permissions, no quotas, no hard links, no case folding.
 * Assumption: paths are absolute and without `..`.
 */

import { FileFault } from "../../../lib/sys/faults.ts";
import { type Inode, InodeNumbers } from "./inode.ts";

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "File exists",
  ENOENT: "No such file or directory",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  EFBIG: "File too large",
  EINVAL: "Invalid argument",
};

/** Without a stack: taking one down costs more than the rest of a step. */
export function fault(code: string, operation: string, path: string): FileFault {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const made = new FileFault(code, operation, path, REASONS[code] ?? code);
  Error.stackTraceLimit = limit;
  return made;
}

interface Place {
  readonly parent: Inode;
  readonly name: string;
  readonly inode: Inode | undefined;
}

export interface TreeSetup {
  /** The file system's own clock, uncut. */
  readonly nowMs: () => number;
  readonly granularityMs: number;
  readonly birthtimes: boolean;
  /** Told of each change of a folder's content, or of a child's times or content. */
  readonly onChange: (folder: Inode, name: string) => void;
}

const splitPaths = new Map<string, readonly string[]>();

function parts(path: string): readonly string[] {
  let found = splitPaths.get(path);
  if (found === undefined) {
    found = path.split("/").slice(1).filter((part) => part !== "" && part !== ".");
    if (splitPaths.size > 100_000) splitPaths.clear();
    splitPaths.set(path, found);
  }
  return found;
}

export class FolderTree {
  readonly numbers = new InodeNumbers();
  readonly root: Inode;
  /** Moves with every change; lets a state's text be kept until then. */
  version = 0;
  readonly #setup: TreeSetup;

  constructor(setup: TreeSetup) {
    this.#setup = setup;
    this.root = this.numbers.make("folder", "/", "", this.stampMs(), setup.birthtimes);
  }

  /** The file system's now, as it would be written to a file. */
  stampMs(): number {
    return this.cut(this.#setup.nowMs());
  }

  cut(ms: number): number {
    const grain = this.#setup.granularityMs;
    return Math.floor(ms / grain) * grain;
  }

  /** What stands at the path itself (a link is not followed); undefined if nothing does. */
  find(path: string, operation: string): Inode | undefined {
    const names = parts(path);
    if (names.length === 0) return this.root;
    let at: Inode | undefined = this.root;
    for (const name of names) {
      if (at === undefined) return undefined;
      if (at.kind === "link") throw fault("ELOOP", operation, path);
      if (at.kind === "file") throw fault("ENOTDIR", operation, path);
      at = at.children.get(name);
    }
    return at;
  }

  #place(path: string, operation: string): Place {
    const names = parts(path);
    const name = names[names.length - 1];
    if (name === undefined) throw fault("EINVAL", operation, path);
    let parent = this.root;
    for (let depth = 0; depth < names.length - 1; depth++) {
      const next = parent.children.get(names[depth]!);
      if (next === undefined) throw fault("ENOENT", operation, path);
      if (next.kind === "link") throw fault("ELOOP", operation, path);
      if (next.kind === "file") throw fault("ENOTDIR", operation, path);
      parent = next;
    }
    return { parent, name, inode: parent.children.get(name) };
  }

  #changed(folder: Inode, name: string, contentOfFolder: boolean): void {
    this.version++;
    if (contentOfFolder) folder.mtimeMs = this.stampMs();
    this.#setup.onChange(folder, name);
  }

  #make(kind: Inode["kind"], path: string, text: string, operation: string): Inode {
    const { parent, name, inode } = this.#place(path, operation);
    if (inode) throw fault("EEXIST", operation, path);
    const made = this.numbers.make(kind, path, text, this.stampMs(), this.#setup.birthtimes);
    parent.children.set(name, made);
    this.#changed(parent, name, true);
    return made;
  }

  #unname(inode: Inode): void {
    inode.named = false;
    this.numbers.letGo(inode);
  }

  makeFolder(path: string): Inode {
    return this.#make("folder", path, "", "mkdir");
  }

  makeFile(path: string, text: string): Inode {
    return this.#make("file", path, text, "open");
  }

  makeLink(path: string, target: string): Inode {
    return this.#make("link", path, target, "symlink");
  }

  removeFolder(path: string): void {
    const { parent, name, inode } = this.#place(path, "rmdir");
    if (!inode) throw fault("ENOENT", "rmdir", path);
    if (inode.kind !== "folder") throw fault("ENOTDIR", "rmdir", path);
    if (inode.children.size > 0) throw fault("ENOTEMPTY", "rmdir", path);
    parent.children.delete(name);
    this.#unname(inode);
    this.#changed(parent, name, true);
  }

  removeFile(path: string): boolean {
    let place: Place;
    try {
      place = this.#place(path, "unlink");
    } catch (thrown) {
      if (thrown instanceof FileFault && thrown.code === "ENOENT") return false;
      throw thrown;
    }
    const { parent, name, inode } = place;
    if (!inode) return false;
    if (inode.kind === "folder") throw fault("EISDIR", "unlink", path);
    parent.children.delete(name);
    this.#unname(inode);
    this.#changed(parent, name, true);
    return true;
  }

  rename(from: string, to: string): void {
    const source = this.#place(from, "rename");
    const target = this.#place(to, "rename");
    const moved = source.inode;
    if (!moved) throw fault("ENOENT", "rename", from);
    if (`${to}/`.startsWith(`${from}/`) && from !== to) throw fault("EINVAL", "rename", from);
    const replaced = target.inode;
    if (replaced === moved) return;
    if (from.startsWith(`${to}/`)) throw fault("ENOTEMPTY", "rename", to);
    if (replaced) {
      if (moved.kind === "folder" && replaced.kind !== "folder") {
        throw fault("ENOTDIR", "rename", to);
      }
      if (moved.kind !== "folder" && replaced.kind === "folder") {
        throw fault("EISDIR", "rename", to);
      }
      if (replaced.children.size > 0) throw fault("ENOTEMPTY", "rename", to);
    }
    source.parent.children.delete(source.name);
    target.parent.children.set(target.name, moved);
    if (replaced) this.#unname(replaced);
    this.#changed(source.parent, source.name, true);
    this.#changed(target.parent, target.name, true);
  }

  setMtime(path: string, mtimeMs: number): void {
    const { parent, name, inode } = this.#place(path, "utime");
    if (!inode) throw fault("ENOENT", "utime", path);
    inode.mtimeMs = this.cut(mtimeMs);
    this.#changed(parent, name, false);
  }

  /** A regular file to be opened; undefined if nothing stands there. */
  file(path: string): Inode | undefined {
    let inode: Inode | undefined;
    try {
      inode = this.find(path, "open");
    } catch (thrown) {
      if (thrown instanceof FileFault && thrown.code === "ENOENT") return undefined;
      throw thrown;
    }
    if (inode?.kind === "link") throw fault("ELOOP", "open", path);
    if (inode?.kind === "folder") throw fault("EISDIR", "open", path);
    return inode;
  }

  /** Fills an open file, wherever its name is by now. */
  write(path: string, inode: Inode, text: string): void {
    inode.text = text;
    inode.mtimeMs = this.stampMs();
    this.version++;
    if (this.find(path, "write") !== inode) return;
    const { parent, name } = this.#place(path, "write");
    this.#changed(parent, name, false);
  }

  append(path: string, text: string): void {
    const { parent, name } = this.#place(path, "append");
    const inode = this.file(path) ?? this.makeFile(path, "");
    inode.text += text;
    inode.mtimeMs = this.stampMs();
    this.#changed(parent, name, false);
  }

  /**
   * Everything that any process could ever tell apart, as one line of text.
   * @param numbered whether inode numbers can be told apart
   */
  describe(numbered: boolean): string {
    return (numbered ? this.numbers.describe() : "") + describeInode(this.root, numbered);
  }
}

function describeInode(inode: Inode, numbered: boolean): string {
  let text = `${numbered ? inode.number : ""}:${inode.mtimeMs}:${inode.birthtimeMs ?? ""}`;
  if (inode.kind !== "folder") return `${text}:${inode.kind}:${JSON.stringify(inode.text)}`;
  for (const name of [...inode.children.keys()].sort()) {
    text += `(${name} ${describeInode(inode.children.get(name)!, numbered)})`;
  }
  return text;
}

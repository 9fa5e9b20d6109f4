/**
 * What a network mount remembers of files: attributes, names that were not there, contents, listings. Each may be
 * told for as long as its own limit says, though it has changed by then.
 *
 * Guarantee: what this machine itself changed just now is true. Without a limit for listings, listing a folder
 * also makes the mount ask anew for its children's absence and contents, and for children that came, went or were
 * replaced. Nothing is older than its limit.
 * Non-guarantee: only the last answer is remembered, so an old answer never follows a newer one.
 * Assumption: rmdir, rename and what makes a file ask the server always; so does mkdir, unless listings may
 * be old: then it is refused where the mount remembers something.
 */

import type { Content } from "../../../lib/sys/sys.ts";
import { entryOf, type Inode, type NumberedEntry } from "./inode.ts";

export interface Lags {
  readonly attributesMs: number;
  readonly absenceMs: number;
  readonly contentsMs: number;
  readonly listingsMs: number;
}

interface Remembered {
  readonly entry: NumberedEntry | null;
  readonly generation: number;
  readonly atMs: number;
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

export class AttributeCache {
  readonly #seen = new Map<string, Remembered>();
  /** When each name was last found not to be there. */
  readonly #absent = new Map<string, number>();
  readonly #contents = new Map<string, { readonly content: Content; readonly atMs: number }>();
  readonly #listings = new Map<string, { readonly names: string[]; readonly atMs: number }>();

  constructor(readonly lags: Lags) {}

  /** Takes up the truth about a path. */
  refresh(path: string, inode: Inode | undefined, nowMs: number, numbered: boolean): void {
    this.#seen.set(path, {
      entry: inode ? entryOf(inode, numbered) : null,
      generation: inode?.generation ?? 0,
      atMs: nowMs,
    });
    if (inode) this.#absent.delete(path);
    else this.#absent.set(path, nowMs);
  }

  /** This machine has changed what stands there, so it knows of the folders above as well. */
  changed(path: string): void {
    this.#contents.delete(path);
    this.#listings.delete(parentOf(path));
    this.stands(path);
  }

  /** The server has just said that this stands there, and so do the folders above. */
  stands(path: string): void {
    for (let at = path; at !== ""; at = parentOf(at)) this.#absent.delete(at);
  }

  read(path: string, content: Content, nowMs: number): void {
    this.#contents.set(path, { content, atMs: nowMs });
  }

  /** After a listing: see the guarantee. */
  listed(path: string, folder: Inode | undefined, nowMs: number): void {
    if (this.lags.listingsMs > 0) {
      if (folder) this.#listings.set(path, { names: [...folder.children.keys()], atMs: nowMs });
      return;
    }
    const isChild = (seenPath: string) => parentOf(seenPath) === path;
    for (const [seenPath, seen] of this.#seen) {
      if (!isChild(seenPath)) continue;
      const standing = folder?.children.get(seenPath.slice(path.length + 1));
      if ((standing?.generation ?? 0) !== seen.generation) this.#seen.delete(seenPath);
    }
    for (const memory of [this.#absent, this.#contents]) {
      for (const seenPath of memory.keys()) if (isChild(seenPath)) memory.delete(seenPath);
    }
  }

  /** An entry that is still allowed and differs from the truth; undefined if there is none. */
  olderEntry(
    path: string,
    truth: Inode | undefined,
    nowMs: number,
  ): NumberedEntry | null | undefined {
    const { attributesMs, absenceMs } = this.lags;
    const seen = this.#seen.get(path);
    const mostMs = seen?.entry ? attributesMs : Math.max(attributesMs, absenceMs);
    if (!seen || nowMs - seen.atMs >= mostMs) return undefined;
    const same = seen.generation === (truth?.generation ?? 0) &&
      (!truth || seen.entry?.mtimeMs === truth.mtimeMs);
    return same ? undefined : seen.entry;
  }

  /** Whether the mount takes this path not to be there, without asking: it, or a folder above it. */
  isAbsent(path: string, nowMs: number): boolean {
    for (let at = path; at !== ""; at = parentOf(at)) {
      const atMs = this.#absent.get(at);
      if (atMs !== undefined && nowMs - atMs < this.lags.absenceMs) return true;
    }
    return false;
  }

  olderContent(path: string, truth: Inode | undefined, nowMs: number): Content | undefined {
    const seen = this.#contents.get(path);
    if (!seen || nowMs - seen.atMs >= this.lags.contentsMs) return undefined;
    const same = truth?.text === seen.content.text && truth.mtimeMs === seen.content.mtimeMs;
    return same ? undefined : seen.content;
  }

  olderNames(path: string, truth: Inode | undefined, nowMs: number): string[] | undefined {
    const seen = this.#listings.get(path);
    if (!seen || nowMs - seen.atMs >= this.lags.listingsMs) return undefined;
    const now = [...truth?.children.keys() ?? []];
    const same = truth && now.length === seen.names.length &&
      now.every((name) => seen.names.includes(name));
    return same ? undefined : [...seen.names];
  }

  /** Whether mkdir is refused without asking: something is remembered to stand there. */
  refusesFolder(path: string, nowMs: number): boolean {
    if (this.lags.listingsMs === 0) return false;
    const seen = this.#seen.get(path);
    return !!seen?.entry && nowMs - seen.atMs < this.lags.attributesMs;
  }

  describe(nowMs: number): string {
    let text = "";
    const { attributesMs, absenceMs, contentsMs, listingsMs } = this.lags;
    for (const [path, seen] of this.#seen) {
      if (nowMs - seen.atMs >= Math.max(attributesMs, absenceMs)) continue;
      text += `${path}@${seen.atMs}=${seen.entry?.inode ?? ""}:${seen.entry?.mtimeMs ?? ""};`;
    }
    for (const [path, atMs] of this.#absent) {
      if (nowMs - atMs < absenceMs) text += `-${path}@${atMs};`;
    }
    for (const [path, { content, atMs }] of this.#contents) {
      if (nowMs - atMs < contentsMs) text += `=${path}@${atMs}${content.mtimeMs}${content.text};`;
    }
    for (const [path, { names, atMs }] of this.#listings) {
      if (nowMs - atMs < listingsMs) text += `*${path}@${atMs}${names};`;
    }
    return text;
  }
}

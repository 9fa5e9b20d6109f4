/**
 * What a network mount remembers of attributes: `entry` may answer from here, with an mtime or an
 * existence that is up to some seconds old.
 *
 * Guarantee: what this machine itself changed, listed, opened or read just now is true; listing a
 * folder also corrects which children exist. Everything else may be old up to the limit, not beyond.
 * Non-guarantee: only the last answer is remembered, so an old answer never follows a newer one.
 * Assumption: mkdir, rmdir, rename, open and read always ask the server (they do on NFS).
 */

import { entryOf, type Inode, type NumberedEntry } from "./inode.ts";

interface Remembered {
  readonly entry: NumberedEntry | null;
  readonly generation: number;
  readonly atMs: number;
}

export class AttributeCache {
  readonly #seen = new Map<string, Remembered>();

  constructor(readonly lagMs: number) {}

  /** Takes up the truth about a path. */
  refresh(path: string, inode: Inode | undefined, nowMs: number, numbered: boolean): void {
    this.#seen.set(path, {
      entry: inode ? entryOf(inode, numbered) : null,
      generation: inode?.generation ?? 0,
      atMs: nowMs,
    });
  }

  /** After a listing: children that came, went or were replaced are no longer remembered. */
  refreshChildren(path: string, folder: Inode | undefined): void {
    for (const [seenPath, seen] of this.#seen) {
      if (!seenPath.startsWith(`${path}/`)) continue;
      const rest = seenPath.slice(path.length + 1);
      if (rest.includes("/")) continue;
      if ((folder?.children.get(rest)?.generation ?? 0) !== seen.generation) {
        this.#seen.delete(seenPath);
      }
    }
  }

  /** An answer that is still allowed and differs from the truth; undefined if there is none. */
  older(path: string, truth: Inode | undefined, nowMs: number): NumberedEntry | null | undefined {
    const seen = this.#seen.get(path);
    if (!seen || nowMs - seen.atMs >= this.lagMs) return undefined;
    const same = seen.generation === (truth?.generation ?? 0) &&
      (!truth || seen.entry?.mtimeMs === truth.mtimeMs);
    return same ? undefined : seen.entry;
  }

  describe(nowMs: number): string {
    let text = "";
    for (const [path, seen] of this.#seen) {
      if (nowMs - seen.atMs >= this.lagMs) continue;
      text += `${path}@${seen.atMs}=${seen.entry?.inode ?? ""}:${seen.entry?.mtimeMs ?? ""};`;
    }
    return text;
  }
}

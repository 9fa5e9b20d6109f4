/**
 * What stands in the simulated folder tree.
 *
 * Guarantee: an inode number is handed out again at once, to the next thing made, as ext4 and tmpfs do;
 * `generation` never comes back, and belongs to the simulation alone.
 * Non-guarantee: there are no hard links, no special files, no free-space accounting.
 * Assumption: nobody changes an inode but the tree, the file locks and the handles of this folder.
 */

import type { Entry } from "../../../lib/sys/sys.ts";
import type { FileLock } from "./file_locks.ts";

export interface Inode {
  readonly kind: "folder" | "file" | "link";
  readonly number: number;
  readonly generation: number;
  /** The path at which it was made: a name for what hangs on it when it is renamed. */
  readonly label: string;
  readonly birthtimeMs: number | null;
  /** Only of a folder. */
  readonly children: Map<string, Inode>;
  /** Content of a file; target of a link. */
  text: string;
  mtimeMs: number;
  /** False once its name is gone; open handles may still hold it. */
  named: boolean;
  openHandles: number;
  readonly locks: FileLock[];
}

/** An entry with the number that `stat` gives besides, if the world shows it: wrong code may believe in it. */
export interface NumberedEntry extends Entry {
  readonly inode?: number;
}

export function entryOf(inode: Inode, numbered: boolean): NumberedEntry {
  const entry: Entry = {
    kind: inode.kind,
    mtimeMs: inode.mtimeMs,
    birthtimeMs: inode.birthtimeMs,
    sizeBytes: inode.kind === "folder" ? 4096 : inode.text.length,
    uid: 1000,
    mode: inode.kind === "folder" ? 0o755 : 0o644,
  };
  return numbered ? { ...entry, inode: inode.number } : entry;
}

/** Gives out inode numbers, the last one freed first. */
export class InodeNumbers {
  readonly #free: number[] = [];
  #next = 1;
  #generation = 0;

  make(
    kind: Inode["kind"],
    label: string,
    text: string,
    stampMs: number,
    keepBirth: boolean,
  ): Inode {
    return {
      kind,
      number: this.#free.pop() ?? this.#next++,
      generation: ++this.#generation,
      label,
      birthtimeMs: keepBirth ? stampMs : null,
      children: new Map(),
      text,
      mtimeMs: stampMs,
      named: true,
      openHandles: 0,
      locks: [],
    };
  }

  /** Called whenever a name or a handle goes; frees the number once nothing is left. */
  letGo(inode: Inode): void {
    if (!inode.named && inode.openHandles === 0) this.#free.push(inode.number);
  }

  /** Part of a state's text: it decides which number comes next. */
  describe(): string {
    return `${this.#next}/${this.#free.join(",")}`;
  }
}

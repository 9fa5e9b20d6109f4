/** Files on a real machine. */

import { FileFault } from "../../faults.ts";
import { appendLine } from "./append_line.ts";
import { DenoOpenFile, openRegular } from "./open_file.ts";
import {
  type FileCalls,
  readUpTo,
  REFUSED_FOR_UP_TO_MS,
  renameFile,
  writeAll,
} from "./file_calls.ts";
import type { LocalDisks } from "./mounts.ts";
import { faulting, orNull } from "../os_faults.ts";
import type { Closable, Content, Entry, Files, OpenFile } from "../../sys.ts";

/** Readable by all who share the lock: what is in these files is no secret, and errors name it. */
const FILE_MODE = 0o666;

export class DenoFiles implements Files {
  readonly #disks: LocalDisks;

  constructor(disks: LocalDisks) {
    this.#disks = disks;
  }

  async entry(path: string): Promise<Entry | null> {
    const calls = this.#disks.callsFor(path);
    return await orNull("stat", path, async () => asEntry(await calls.lstat(path)));
  }

  async list(path: string): Promise<string[] | null> {
    const calls = this.#disks.callsFor(path);
    return await orNull("list", path, async () => {
      await refuseLink(calls, "list", path);
      return await calls.names(path);
    });
  }

  makeFolder(path: string, mode?: number): Promise<void> {
    const calls = this.#disks.callsFor(path);
    return faulting("mkdir", path, async () => await calls.mkdir(path, mode));
  }

  removeFolder(path: string): Promise<void> {
    const calls = this.#disks.callsFor(path);
    return faulting("rmdir", path, async () => {
      // Deno.remove takes files and links away as well; a lock must only ever go as a folder.
      const { isDirectory } = await calls.lstat(path);
      if (!isDirectory) throw new FileFault("ENOTDIR", "rmdir", path, "not a directory");
      await calls.remove(path);
    });
  }

  async removeFile(path: string): Promise<boolean> {
    const calls = this.#disks.callsFor(path);
    const removed = await orNull("remove", path, async () => {
      const { isDirectory } = await calls.lstat(path);
      if (isDirectory) throw new FileFault("EISDIR", "remove", path, "is a directory");
      await calls.remove(path);
      return true;
    });
    return removed ?? false;
  }

  async read(path: string, maxBytes: number): Promise<Content | null> {
    return await this.#reading(path, async (calls, file) => {
      const { size, mtime } = await calls.stat(file);
      if (size > maxBytes) {
        throw new FileFault("EFBIG", "read", path, `larger than ${maxBytes} bytes`);
      }
      // One byte more: it may have grown since.
      const bytes = await readUpTo(calls, file, size + 1);
      return { text: new TextDecoder().decode(bytes), mtimeMs: mtime?.getTime() ?? 0 };
    });
  }

  async readTail(path: string, maxBytes: number): Promise<string | null> {
    return await this.#reading(path, async (calls, file) => {
      const { size } = await calls.stat(file);
      await calls.seek(file, Math.max(0, size - maxBytes), Deno.SeekMode.Start);
      return new TextDecoder().decode(await readUpTo(calls, file, Math.min(size, maxBytes)));
    });
  }

  async #reading<T>(
    path: string,
    use: (calls: FileCalls, file: Deno.FsFile) => Promise<T>,
  ): Promise<T | null> {
    const calls = this.#disks.callsFor(path);
    const file = await openRegular(calls, path, { read: true });
    if (!file) return null;
    try {
      return await faulting("read", path, () => use(calls, file));
    } finally {
      file.close();
    }
  }

  async create(path: string, text: string): Promise<number> {
    const calls = this.#disks.callsFor(path);
    const file = await createWith(calls, path, text);
    file.close();
    // By path and after closing: some servers set the mtime only then.
    const { mtime } = await faulting("stat", path, async () => await calls.lstat(path));
    return mtime?.getTime() ?? 0;
  }

  async overwrite(path: string, text: string): Promise<boolean> {
    const calls = this.#disks.callsFor(path);
    const file = await openRegular(calls, path, { write: true });
    if (!file) return false;
    try {
      await faulting("write", path, () => writeAll(calls, file, text));
      return true;
    } finally {
      file.close();
    }
  }

  rename(from: string, to: string): Promise<void> {
    const patienceMs = this.#disks.has(from) ? 0 : REFUSED_FOR_UP_TO_MS;
    return renameFile(this.#disks.callsFor(from), from, to, patienceMs);
  }

  setMtime(path: string, mtimeMs: number): Promise<void> {
    const calls = this.#disks.callsFor(path);
    return faulting("utime", path, async () => {
      await refuseLink(calls, "utime", path);
      await calls.utime(path, new Date(mtimeMs));
    });
  }

  append(path: string, line: string): Promise<void> {
    return appendLine(this.#disks.callsFor(path), path, line);
  }

  async openNew(path: string, text: string): Promise<OpenFile> {
    const calls = this.#disks.callsFor(path);
    return new DenoOpenFile(calls, await createWith(calls, path, text), path);
  }

  async open(path: string): Promise<OpenFile | null> {
    const calls = this.#disks.callsFor(path);
    const file = await openRegular(calls, path, { read: true });
    return file && new DenoOpenFile(calls, file, path);
  }

  async watch(
    path: string,
    onChange: (changedPaths: readonly string[]) => void,
  ): Promise<Closable> {
    const watcher = await faulting(
      "watch",
      path,
      () => Promise.resolve().then(() => Deno.watchFs(path, { recursive: false })),
    );
    void (async () => {
      try {
        for await (const event of watcher) onChange(event.paths);
      } catch {
        // A watch that breaks off is a watch that reports nothing: the timer does.
      }
    })();
    let open = true;
    return {
      close: () => {
        if (open) watcher.close();
        open = false;
        return Promise.resolve();
      },
    };
  }
}

/** These calls follow a link: one that stands there leads to what is not ours. */
async function refuseLink(calls: FileCalls, operation: string, path: string): Promise<void> {
  const { isSymlink } = await calls.lstat(path);
  if (isSymlink) throw new FileFault("ELOOP", operation, path, "is a symbolic link");
}

/** Makes a file with this content, and leaves none behind if the disk fills up in the middle. */
async function createWith(calls: FileCalls, path: string, text: string): Promise<Deno.FsFile> {
  const options = { createNew: true, read: true, write: true, mode: FILE_MODE };
  const file = await faulting("create", path, async () => await calls.open(path, options));
  try {
    await faulting("write", path, () => writeAll(calls, file, text));
    return file;
  } catch (fault) {
    file.close();
    await Deno.remove(path).catch(() => {});
    throw fault;
  }
}

function asEntry(info: Deno.FileInfo): Entry {
  const kind = info.isSymlink
    ? "link"
    : info.isDirectory
    ? "folder"
    : info.isFile
    ? "file"
    : "other";
  return {
    kind,
    mtimeMs: info.mtime?.getTime() ?? 0,
    birthtimeMs: info.birthtime?.getTime() || null,
    sizeBytes: info.size,
    uid: info.uid,
    mode: info.mode === null ? null : info.mode & 0o7777,
  };
}

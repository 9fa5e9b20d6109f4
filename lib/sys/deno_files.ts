/** Files on a real machine. */

import { FileFault } from "../core/faults.ts";
import { appendLine } from "./append_line.ts";
import { DenoOpenFile } from "./deno_open_file.ts";
import { asFault, faulting } from "./os_faults.ts";
import type { Closable, Content, Entry, Files, OpenFile } from "./sys.ts";

/** Readable by all who share the lock: what is in these files is no secret, and errors name it. */
const FILE_MODE = 0o644;

export class DenoFiles implements Files {
  async entry(path: string): Promise<Entry | null> {
    try {
      return asEntry(await Deno.lstat(path));
    } catch (thrown) {
      const fault = asFault(thrown, "stat", path);
      if (fault.code === "ENOENT") return null;
      throw fault;
    }
  }

  async list(path: string): Promise<string[] | null> {
    try {
      const names: string[] = [];
      for await (const entry of Deno.readDir(path)) names.push(entry.name);
      return names;
    } catch (thrown) {
      const fault = asFault(thrown, "list", path);
      if (fault.code === "ENOENT") return null;
      throw fault;
    }
  }

  makeFolder(path: string): Promise<void> {
    return faulting("mkdir", path, () => Deno.mkdir(path));
  }

  removeFolder(path: string): Promise<void> {
    return faulting("rmdir", path, async () => {
      // Deno.remove takes files and links away as well; a lock must only ever go as a folder.
      const { isDirectory } = await Deno.lstat(path);
      if (!isDirectory) throw new FileFault("ENOTDIR", "rmdir", path, "not a directory");
      await Deno.remove(path);
    });
  }

  async removeFile(path: string): Promise<boolean> {
    try {
      const { isDirectory } = await Deno.lstat(path);
      if (isDirectory) throw new FileFault("EISDIR", "remove", path, "is a directory");
      await Deno.remove(path);
      return true;
    } catch (thrown) {
      const fault = asFault(thrown, "remove", path);
      if (fault.code === "ENOENT") return false;
      throw fault;
    }
  }

  async read(path: string, maxBytes: number): Promise<Content | null> {
    const file = await openRegular(path, { read: true });
    if (!file) return null;
    try {
      const { size, mtime } = await faulting("read", path, () => file.stat());
      if (size > maxBytes) {
        throw new FileFault("EFBIG", "read", path, `larger than ${maxBytes} bytes`);
      }
      const bytes = await faulting("read", path, () => readUpTo(file, size + 1));
      return { text: new TextDecoder().decode(bytes), mtimeMs: mtime?.getTime() ?? 0 };
    } finally {
      file.close();
    }
  }

  async readTail(path: string, maxBytes: number): Promise<string | null> {
    const file = await openRegular(path, { read: true });
    if (!file) return null;
    try {
      return await faulting("read", path, async () => {
        const { size } = await file.stat();
        await file.seek(Math.max(0, size - maxBytes), Deno.SeekMode.Start);
        return new TextDecoder().decode(await readUpTo(file, Math.min(size, maxBytes)));
      });
    } finally {
      file.close();
    }
  }

  async create(path: string, text: string): Promise<number> {
    await faulting("create", path, async () => {
      try {
        await Deno.writeTextFile(path, text, { createNew: true, mode: FILE_MODE });
      } catch (thrown) {
        await removePartly(path, thrown);
        throw thrown;
      }
    });
    // By path and after closing: some servers set the mtime only then.
    return (await faulting("stat", path, () => Deno.lstat(path))).mtime?.getTime() ?? 0;
  }

  rename(from: string, to: string): Promise<void> {
    return faulting("rename", from, () => Deno.rename(from, to));
  }

  setMtime(path: string, mtimeMs: number): Promise<void> {
    const time = new Date(mtimeMs);
    return faulting("utime", path, () => Deno.utime(path, time, time));
  }

  append(path: string, line: string): Promise<void> {
    return appendLine(path, line);
  }

  async openNew(path: string, text: string): Promise<OpenFile> {
    const file = await faulting(
      "create",
      path,
      () => Deno.open(path, { createNew: true, read: true, write: true, mode: FILE_MODE }),
    );
    try {
      await faulting("write", path, () => writeAll(file, text));
    } catch (fault) {
      file.close();
      await Deno.remove(path).catch(() => {});
      throw fault;
    }
    return new DenoOpenFile(file, path);
  }

  async open(path: string): Promise<OpenFile | null> {
    const file = await openRegular(path, { read: true });
    return file && new DenoOpenFile(file, path);
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

/** A disk that fills up in mid-write leaves an empty file; EEXIST means that the file was never ours. */
async function removePartly(path: string, thrown: unknown): Promise<void> {
  const { code } = asFault(thrown, "create", path);
  if (code !== "EEXIST" && code !== "ENOENT") await Deno.remove(path).catch(() => {});
}

/** Opens what is a regular file, and no link to one: links in a folder that others write are traps. */
export async function openRegular(
  path: string,
  options: Deno.OpenOptions,
): Promise<Deno.FsFile | null> {
  try {
    const named = await Deno.lstat(path);
    if (named.isSymlink) throw new FileFault("ELOOP", "open", path, "is a symbolic link");
    if (!named.isFile) throw new FileFault("EISDIR", "open", path, "is not a regular file");
    const file = await Deno.open(path, options);
    const opened = await file.stat();
    if (named.ino === opened.ino || named.ino === null) return file;
    file.close();
    // Replaced between the two calls, perhaps by a rename of ours: take the new one on its own merits.
    return await openRegular(path, options);
  } catch (thrown) {
    const fault = asFault(thrown, "open", path);
    if (fault.code === "ENOENT") return null;
    throw fault;
  }
}

async function readUpTo(file: Deno.FsFile, maxBytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const count = await file.read(buffer.subarray(length));
    if (count === null) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

export async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += await file.write(bytes.subarray(written));
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

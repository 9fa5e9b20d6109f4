/** The user's own files: read and written as any program does, links and all. */

import { FileFault } from "../faults.ts";
import { asFault } from "./os_faults.ts";
import type { Documents } from "../sys.ts";

/** Large enough that a log of any size is read at the speed of the disk. */
const PIECE_BYTES = 256 * 1024;

async function readAll(
  source: Pick<Deno.FsFile, "read">,
  onPiece: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(PIECE_BYTES);
  for (;;) {
    const count = await source.read(buffer);
    if (count === null) break;
    onPiece(decoder.decode(buffer.subarray(0, count), { stream: true }));
  }
  onPiece(decoder.decode());
}

export const denoDocuments: Documents = {
  async read(path, onPiece) {
    try {
      const { isFile, isDirectory } = await Deno.stat(path);
      if (isDirectory) throw new FileFault("EISDIR", "read", path, "is a folder");
      // A pipe would be waited for.
      if (!isFile) throw new FileFault("EINVAL", "read", path, "is not a regular file");
      using file = await Deno.open(path, { read: true });
      await readAll(file, onPiece);
    } catch (thrown) {
      throw asFault(thrown, "read", path);
    }
  },
  async readInput(onPiece) {
    try {
      await readAll(Deno.stdin, onPiece);
    } catch (thrown) {
      throw asFault(thrown, "read", "standard input");
    }
  },
  async isSame(path, other) {
    const stats = await Promise.all([path, other].map((each) => Deno.stat(each).catch(() => null)));
    const [one, two] = stats;
    if (!one || !two) return false;
    if (one.ino !== null && one.ino !== 0) return one.ino === two.ino && one.dev === two.dev;
    // Where files have no numbers, their paths without links must do.
    return await Deno.realPath(path) === await Deno.realPath(other);
  },
  async copyFrom(path, fromByte, to) {
    const target = to === "out" ? Deno.stdout : Deno.stderr;
    let at = fromByte;
    try {
      using file = await Deno.open(path, { read: true });
      await file.seek(fromByte, Deno.SeekMode.Start);
      const buffer = new Uint8Array(PIECE_BYTES);
      for (let count; (count = await file.read(buffer)) !== null; at += count) {
        for (let done = 0; done < count;) done += await target.write(buffer.subarray(done, count));
      }
    } catch (thrown) {
      const fault = asFault(thrown, "read", path);
      // A reader who has gone is no failure.
      if (fault.code !== "ENOENT" && fault.code !== "EPIPE") throw fault;
    }
    return at;
  },
  async write(path, text) {
    try {
      await Deno.writeTextFile(path, text);
    } catch (thrown) {
      throw asFault(thrown, "write", path);
    }
  },
};

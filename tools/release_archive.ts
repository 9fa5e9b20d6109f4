/**
 * Archives whose bytes depend on nothing but what goes in: entries sorted, one time for all, nobody's user
 * and group. Tar is POSIX's ustar; zip is the plain one, without its 64-bit extension.
 */
import { gzipSync } from "node:zlib";
import { type Zippable, zipSync } from "fflate";

/** A file to put into an archive. */
export interface Entry {
  /** With forward slashes; ASCII, 100 characters at most. */
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly executable: boolean;
}

const TAR_BLOCK_BYTES = 512;
/** Two empty blocks end a tar; more of them are the custom of tape drives. */
const TAR_END_BYTES = 2 * TAR_BLOCK_BYTES;
const TAR_PATH_CHARACTERS = 100;

/** The smallest archive: one is made once and fetched often. */
const COMPRESSION = { level: 9 } as const;

/** The file attributes are Unix's. */
const ZIP_MADE_ON_UNIX = 3;
/** An ordinary file, in the mode's upper bits. */
const ZIP_REGULAR_FILE = 0o100000;

/**
 * A gzipped tar.
 *
 * @param entries in any order
 * @param timeSeconds the modification time of all, in seconds since 1970
 * @return the archive
 * @throws Error if a path cannot be in one
 */
export function tarGz(entries: readonly Entry[], timeSeconds: number): Uint8Array<ArrayBuffer> {
  const pieces = sorted(entries).flatMap((entry) => [
    tarHeader(entry, timeSeconds),
    entry.content,
    new Uint8Array(-entry.content.length & (TAR_BLOCK_BYTES - 1)),
  ]);
  const packed = joined(gzipSync(joined(...pieces, new Uint8Array(TAR_END_BYTES)), COMPRESSION));
  // Which system compressed it: 255, "unknown", whatever zlib says.
  packed[9] = 255;
  return packed;
}

function tarHeader(entry: Entry, timeSeconds: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(TAR_BLOCK_BYTES);
  const put = (offset: number, text: string) => header.set(new TextEncoder().encode(text), offset);
  const octal = (offset: number, digits: number, value: number) =>
    put(offset, value.toString(8).padStart(digits, "0"));
  put(0, entry.path);
  octal(100, 7, modeOf(entry));
  octal(108, 7, 0); // user
  octal(116, 7, 0); // group
  octal(124, 11, entry.content.length);
  octal(136, 11, timeSeconds);
  put(148, " ".repeat(8)); // the checksum counts as blanks in itself
  put(156, "0"); // an ordinary file
  put(257, "ustar\x0000");
  octal(148, 6, header.reduce((sum, byte) => sum + byte, 0));
  header[154] = 0;
  return header;
}

/**
 * A zip.
 *
 * @param entries in any order
 * @param timeSeconds the modification time of all, in seconds since 1970
 * @return the archive
 * @throws Error if a path cannot be in one, or the time
 */
export function zip(entries: readonly Entry[], timeSeconds: number): Uint8Array<ArrayBuffer> {
  const all = { ...COMPRESSION, os: ZIP_MADE_ON_UNIX, mtime: asLocalTime(timeSeconds) };
  const files: Zippable = {};
  for (const entry of sorted(entries)) {
    const attrs = (ZIP_REGULAR_FILE | modeOf(entry)) * 0x10000;
    files[entry.path] = [entry.content, { ...all, attrs }];
  }
  return zipSync(files);
}

/** A zip has the time of a clock on the wall: here that of UTC, in whatever zone this runs. */
function asLocalTime(timeSeconds: number): Date {
  const at = new Date(timeSeconds * 1000);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return new Date(year, month, day, at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds());
}

function modeOf({ executable }: Entry): number {
  return executable ? 0o755 : 0o644;
}

function sorted(entries: readonly Entry[]): Entry[] {
  for (const { path } of entries) {
    if (!/^[\x21-\x7e]+$/.test(path) || path.length > TAR_PATH_CHARACTERS) {
      throw new Error(`This path cannot go into an archive: "${path}"`);
    }
  }
  return [...entries].sort((a, b) => a.path < b.path ? -1 : 1);
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

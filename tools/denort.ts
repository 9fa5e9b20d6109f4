/**
 * Finds a denort: the run-time without the tools, which `deno compile` puts before the program.
 * Deno downloads its own when it compiles; whether it will manage is asked here first, because its
 * own attempt may hang on a network that swallows packets.
 */
import { denoFolders } from "./deno_command.ts";
import { Unavailable } from "./plain.ts";

/**
 * Time for Deno's download server to answer one request. It answers in well under a second where it
 * answers at all; who works offline pays this once per compilation at most.
 */
const PROBE_TIMEOUT_MS = 5_000;

/** A denort for `deno compile`: a file, or Deno's own, which it finds or downloads by itself. */
export type Denort = { readonly kind: "file"; readonly path: string } | { readonly kind: "own" };

/**
 * Where Deno keeps the denort of one version and machine, below its cache folder and below the
 * address it downloads from alike.
 *
 * @param version Deno's version, such as `2.8.3`
 * @param target Rust's name of the machine, such as `x86_64-unknown-linux-gnu`
 * @return a relative path
 */
export function releasePath(version: string, target: string): string {
  return `release/v${version}/denort-${target}.zip`;
}

/**
 * What to tell a person for whom no denort could be found.
 *
 * @param version Deno's version
 * @return one line
 */
export function noDenortMessage(version: string): string {
  return `Cannot get Deno's run-time for compiled programs (denort ${version}): ` +
    "go online and try again, or set DENORT_BIN to a denort file that you have, of that version or one " +
    "near it (a release for one machine: name that by --target); the program then runs on that one's Deno";
}

/**
 * On which Deno a program runs: that of its denort, which may be another than the one that compiled it.
 *
 * @param said what the finished program says to `--version --verbose`; null if this machine cannot run it
 * @param denort what it was compiled onto
 * @param compiling the version of the Deno that compiled it
 * @return one line
 */
export function runtimeNote(said: string | null, denort: Denort, compiling: string): string {
  const told = said === null ? undefined : /^deno (\S+)$/m.exec(said)?.[1];
  if (denort.kind === "own") {
    return `the program's run-time is Deno ${told ?? compiling}, by which it was compiled`;
  }
  const version = told ?? "of an unknown version";
  return `the program's run-time is Deno ${version}, that of ${denort.path}; it was compiled by Deno ${compiling}`;
}

/**
 * The denort that `DENORT_BIN` names, else Deno's own if it is cached or can be downloaded.
 *
 * @param target the machine it is for: Rust's name, by default this one's
 * @return the denort, or undefined if none can be had
 * @throws Unavailable if `DENORT_BIN` names no file
 */
export async function findDenort(
  target: string = Deno.build.target,
): Promise<Denort | undefined> {
  const path = Deno.env.get("DENORT_BIN");
  if (path !== undefined) {
    if (!await isFile(path)) throw new Unavailable(`DENORT_BIN is not a file: "${path}"`);
    return { kind: "file", path: await Deno.realPath(path) };
  }
  return await ownIsCached(target) || await ownCanBeDownloaded(target)
    ? { kind: "own" }
    : undefined;
}

async function ownIsCached(target: string): Promise<boolean> {
  const { denoDir } = await denoFolders();
  return await isFile(`${denoDir}/dl/${releasePath(Deno.version.deno, target)}`);
}

async function ownCanBeDownloaded(target: string): Promise<boolean> {
  const url = `https://dl.deno.land/${releasePath(Deno.version.deno, target)}`;
  try {
    const response = await fetch(url, {
      method: "HEAD",
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // No name service, no route, a proxy that refuses, no answer in time: all mean the same here.
    return false;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

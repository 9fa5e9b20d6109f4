/**
 * What `deno task test` runs first: the compiled program that the tests run, at
 * `.cache/test-binary/lock_folder_util`. Compiled again only if what it is made of has changed; says
 * where it is. Two runs at once do no harm: each builds in a folder of its own and renames the result into place.
 */
import { buildProgram, programName } from "./build.ts";
import { type Denort, findDenort, noDenortMessage } from "./denort.ts";
import { runTool, Unavailable } from "./plain.ts";
import { filesBelow, projectFolder } from "./project.ts";
import { standInDenort } from "./stand_in_denort.ts";

/** Files besides `lib/` that decide what the program is. */
const SINGLE_SOURCES = ["main.ts", "deno.json", "deno.lock", "tools/build.ts"];

/**
 * What the stamp beside the program says. The program's own time is part of it: if two runs replace
 * the program and the stamp crosswise, the stamp fits no program and the next run compiles again.
 *
 * @param sources checksum of what the program is made of
 * @param program the program's size in bytes and its modification time
 * @return one line
 */
export function stampOf(
  sources: string,
  program: Pick<Deno.FileInfo, "size" | "mtime">,
): string {
  return `${sources} ${program.size} ${program.mtime?.getTime() ?? 0}\n`;
}

/**
 * One checksum over files and everything else that decides what is built.
 *
 * @param files path and content, in a fixed order
 * @param circumstances the versions of what builds
 * @return a SHA-256 in hexadecimal
 */
export async function checksumOf(
  files: readonly (readonly [path: string, content: string])[],
  circumstances: readonly string[],
): Promise<string> {
  const text = JSON.stringify([files, circumstances]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

async function makeTestBinary(): Promise<void> {
  const root = projectFolder();
  const program = `${root}/.cache/test-binary/${programName(Deno.build.os)}`;
  const stamp = `${root}/.cache/test-binary/stamp`;
  const sources = await checksumOf(await readSources(root), [
    Deno.version.deno,
    Deno.env.get("DENORT_BIN") ?? "",
  ]);
  if (await isFresh(program, stamp, sources)) return console.log(`${program} is up to date`);
  await buildProgram({ root, output: program, denort: await denortForTests(root) });
  const temporary = `${stamp}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(temporary, stampOf(sources, await Deno.stat(program)));
  await Deno.rename(temporary, stamp);
  console.log(program);
}

/** Deno's own denort if it can be had, else the stand-in. */
export async function denortForTests(root: string): Promise<Denort> {
  const denort = await findDenort();
  if (denort !== undefined) return denort;
  try {
    return { kind: "file", path: await standInDenort(root) };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    throw new Unavailable(`${noDenortMessage(Deno.version.deno)}. ${error.message}`);
  }
}

async function readSources(root: string): Promise<[string, string][]> {
  const paths = [...SINGLE_SOURCES, ...await filesBelow(root, "lib")];
  return await Promise.all(
    paths.map(async (path): Promise<[string, string]> => [
      path,
      await textOrNothing(`${root}/${path}`),
    ]),
  );
}

async function isFresh(program: string, stamp: string, sources: string): Promise<boolean> {
  try {
    return await textOrNothing(stamp) === stampOf(sources, await Deno.stat(program));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function textOrNothing(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

if (import.meta.main) await runTool("test_binary", makeTestBinary);

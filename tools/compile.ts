/** `deno task compile`: compiles the program for this machine into `dist/`. */
import { buildProgram, programName } from "./build.ts";
import { findDenort, noDenortMessage } from "./denort.ts";
import { runTool, Unavailable } from "./plain.ts";
import { projectFolder } from "./project.ts";

async function compile(): Promise<void> {
  const root = projectFolder();
  const output = `${root}/dist/${programName(Deno.build.os)}`;
  const denort = await findDenort();
  if (denort === undefined) throw new Unavailable(noDenortMessage(Deno.version.deno));
  await buildProgram({ root, output, denort });
  const said = await refuseStranger(output);
  console.log(output);
  if (denort.kind === "file") console.error(`compile: ${runtimeNote(said, Deno.version.deno)}`);
}

/**
 * DENORT_BIN may be of another version than the Deno that compiles, and mostly works all the same.
 *
 * @param said what the finished program says to `--version --verbose`
 * @param compiling the version of the Deno that compiled it
 * @returns one line
 */
export function runtimeNote(said: string, compiling: string): string {
  const version = /^deno (\S+)$/m.exec(said)?.[1] ?? "of an unknown version";
  return `the program's run-time is Deno ${version}, that of DENORT_BIN; it was compiled by Deno ${compiling}`;
}

/**
 * DENORT_BIN may name any file, and `deno compile` appends to any: does what came out run as our program?
 *
 * @returns what it says to `--version --verbose`
 */
async function refuseStranger(program: string): Promise<string> {
  const args = ["--version", "--verbose"];
  const { success, stdout } = await new Deno.Command(program, { args }).output();
  const said = new TextDecoder().decode(stdout);
  if (success && said.startsWith("lock_folder_util ")) return said;
  await Deno.remove(program);
  throw new Error("what was compiled does not run as this program: is DENORT_BIN really a denort?");
}

if (import.meta.main) await runTool("compile", compile);

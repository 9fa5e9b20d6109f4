/**
 * `deno task compile [--if-possible]`: compiles the program for this machine into `dist/`.
 *
 * `--if-possible` skips that, with a word and the status 0, where Deno's run-time cannot be had.
 */
import { parseArgs } from "@std/cli/parse-args";
import { buildProgram, programName } from "./build.ts";
import { findDenort, noDenortMessage, runtimeNote } from "./denort.ts";
import { refuseAllBut } from "./flags.ts";
import { runTool, Unavailable } from "./plain.ts";
import { projectFolder } from "./project.ts";

const IF_POSSIBLE = "if-possible";

/**
 * Reads the command line.
 *
 * @param args without the program's name
 * @return whether to skip the work where there is no run-time
 * @throws Error that says what is wrong with it
 */
export function readArgs(args: readonly string[]): { readonly ifPossible: boolean } {
  const unknown = refuseAllBut([IF_POSSIBLE]);
  const flags = parseArgs(args, { boolean: [IF_POSSIBLE], unknown });
  return { ifPossible: flags[IF_POSSIBLE] as boolean };
}

async function compile(): Promise<void> {
  const { ifPossible } = readArgs(Deno.args);
  const root = projectFolder();
  const output = `${root}/dist/${programName(Deno.build.os)}`;
  const denort = await findDenort();
  if (denort === undefined) {
    const message = noDenortMessage(Deno.version.deno);
    if (!ifPossible) throw new Unavailable(message);
    return console.log(`skipped: compile: ${message}`);
  }
  await buildProgram({ root, output, denort });
  const said = await refuseStranger(output);
  console.log(output);
  if (denort.kind === "file") {
    console.error(`compile: ${runtimeNote(said, denort, Deno.version.deno)}`);
  }
}

/**
 * DENORT_BIN may name any file, and `deno compile` appends to any: does what came out run as our program?
 *
 * @return what it says to `--version --verbose`
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

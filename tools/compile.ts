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
  await refuseStranger(output);
  console.log(output);
}

/** DENORT_BIN may name any file, and `deno compile` appends to any: does what came out run as our program? */
async function refuseStranger(program: string): Promise<void> {
  const { success, stdout } = await new Deno.Command(program, { args: ["--version"] }).output();
  if (success && new TextDecoder().decode(stdout).startsWith("lock_folder_util ")) return;
  await Deno.remove(program);
  throw new Error("what was compiled does not run as this program: is DENORT_BIN really a denort?");
}

if (import.meta.main) await runTool("compile", compile);

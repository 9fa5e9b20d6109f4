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
  console.log(output);
}

if (import.meta.main) await runTool("compile", compile);

/** `deno task demo`: five agents want the lock in `.tmp` at once. Prints their timeline and the log. */
import { runTool } from "./plain.ts";
import { projectFolder } from "./project.ts";

/** Few enough to be read at a glance; each holds for long enough to be seen as a bar. */
const AGENTS = 5;
const HOLD_SECONDS = 1;

/** Two for each agent. */
const LOG_LINES_SHOWN = 2 * AGENTS;

async function demo(): Promise<void> {
  const root = projectFolder();
  const folder = `${root}/.tmp`;
  await makeFolder(folder);
  const herd = ["herd", "--agents", `${AGENTS}`, "--rounds", "1", "--hold", `${HOLD_SECONDS}`];
  console.log(`$ lock_folder_util ${herd.join(" ")} --dir .tmp`);
  const { success, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", `${root}/main.ts`, ...herd, "--dir", folder],
    stdin: "null",
  }).spawn().status;
  console.log("\n$ cat .tmp/lock.log");
  const log = await Deno.readTextFile(`${folder}/lock.log`);
  console.log(log.trimEnd().split("\n").slice(-LOG_LINES_SHOWN).join("\n"));
  if (!success) throw new Error(`the herd failed with status ${code}`);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

if (import.meta.main) await runTool("demo", demo);

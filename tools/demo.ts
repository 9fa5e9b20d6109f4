/** `deno task demo`: runs a real command under the lock in `.tmp` and prints the log. */
import { runTool } from "./plain.ts";
import { projectFolder } from "./project.ts";

/** Enough for this run and a few before it. */
const LOG_LINES_SHOWN = 10;

async function demo(): Promise<void> {
  const root = projectFolder();
  const folder = `${root}/.tmp`;
  await makeFolder(folder);
  const command = [Deno.execPath(), "eval", `console.log("working, and nobody else is")`];
  const args = ["run", "--slug", "demo", "--dir", folder, "--", ...command];
  console.log(`$ lock_folder_util run --slug demo -- deno eval '${command.at(-1)}'`);
  const { success, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", `${root}/main.ts`, ...args],
    stdin: "null",
  }).spawn().status;
  console.log("\n$ cat .tmp/lock.log");
  const log = await Deno.readTextFile(`${folder}/lock.log`);
  console.log(log.trimEnd().split("\n").slice(-LOG_LINES_SHOWN).join("\n"));
  if (!success) throw new Error(`the command under the lock failed with status ${code}`);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

if (import.meta.main) await runTool("demo", demo);

/** What `run` loads: each file costs it time before its command starts. */

import { assert, assertEquals } from "@std/assert";
import { projectFolder } from "../../tools/project.ts";

/** What a `run` that finds the lock free needs, on Linux. What only waits and refusals need is no reason for more. */
const MOST_FILES = 62;

/** What of a file of V8's coverage counts here: there is one for each script that was loaded. */
interface Coverage {
  readonly url: string;
}

/** The project's own files that a command line loads, by their paths in the project. */
async function filesLoadedBy(args: readonly string[], folder: string): Promise<string[]> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `--coverage=${folder}/loaded`, `${projectFolder()}/main.ts`, ...args],
    env: { LOCK_FOLDER_HELD: "" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const root = new URL("../../", import.meta.url).href;
  const files = new Set<string>();
  for await (const { name } of Deno.readDir(`${folder}/loaded`)) {
    if (!name.endsWith(".json")) continue;
    const text = await Deno.readTextFile(`${folder}/loaded/${name}`);
    const { url } = JSON.parse(text) as Coverage;
    if (url.startsWith(root)) files.add(url.slice(root.length));
  }
  return [...files].sort();
}

Deno.test("run on a free lock loads no more files than it needs, and none with words for people", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const args = ["run", "--slug", "a", "--dir", folder, "--", Deno.execPath(), "--version"];
    const files = await filesLoadedBy(args, folder);
    assert(files.includes("lib/cli/commands/run.ts"), files.join("\n"));
    assert(files.length <= MOST_FILES, `${files.length} files:\n${files.join("\n")}`);
    const forOthers =
      /^lib\/(report|doctor|fleet)\/|^lib\/folder\/(line|visit)\/(?!load_line)|messages|_text/;
    assertEquals(files.filter((file) => forOthers.test(file)), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

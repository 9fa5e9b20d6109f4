/** The layer check of `deno task check`: reads every file, prints what breaks the house rules. */
import { violationsIn } from "./layer_rules.ts";
import { runTool } from "./plain.ts";
import { filesBelow, projectFolder } from "./project.ts";

/** Made by tools, not by us. */
const SKIPPED = new Set(["dist", "node_modules", "coverage"]);

async function checkLayers(): Promise<void> {
  const root = projectFolder();
  const paths = await filesBelow(root, "", SKIPPED);
  const violations = (await Promise.all(
    paths.map(async (path) => violationsIn(path, await Deno.readTextFile(`${root}/${path}`))),
  )).flat();
  for (const { path, line, message } of violations) console.error(`${path}:${line}: ${message}`);
  if (violations.length > 0) throw new Error(`${violations.length} violations`);
  console.log(`layers: ${paths.length} files, no violation`);
}

if (import.meta.main) await runTool("layers", checkLayers);

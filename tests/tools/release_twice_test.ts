/** The real thing, for this machine: a commit of the source tree as it is, released from two folders. */

import { assertEquals, assertMatch } from "@std/assert";
import { Unavailable } from "../../tools/plain.ts";
import { archiveName, TARGETS } from "../../tools/release_targets.ts";
import { denortForTests } from "../../tools/test_binary.ts";
import { LockFolder, namesIn } from "../process/lock_folder.ts";
import { type Need, needProgram, POSIX, test } from "../process/needs.ts";
import { type Outcome, projectFolder, runCommand } from "../process/program.ts";

const TARGET = TARGETS.find(({ triple }) => triple === Deno.build.target);

const NEED_TARGET: Need = { missing: TARGET ? null : "no release is made for this machine" };

async function needRepository(): Promise<Need> {
  const args = ["-C", projectFolder(), "rev-parse", "HEAD"];
  return await needProgram("git", args, "git, and the project in a repository");
}

/** @return arguments that name the denort to use */
async function denortArgs(): Promise<string[]> {
  const denort = await denortForTests(projectFolder());
  return denort.kind === "file" ? ["--denort", denort.path] : [];
}

async function needDenort(): Promise<Need> {
  try {
    await denortArgs();
    return { missing: null };
  } catch (error) {
    if (error instanceof Unavailable) return { missing: error.message };
    throw error;
  }
}

async function must(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, out, err } = await runCommand(program, args, { cwd });
  assertEquals(code, 0, `${program} ${args.join(" ")}: ${err}`);
  return out;
}

/** Commits what is in the source tree now, changes included, in a repository of its own. */
async function commitOfTree(folder: string): Promise<void> {
  const root = projectFolder();
  const list = await must("git", ["ls-files", "-z", "-co", "--exclude-standard"], root);
  for (const path of list.split("\0").filter((path) => path !== "")) {
    await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(`${root}/${path}`, `${folder}/${path}`).catch((error) => {
      // Removed, but not yet in a commit; or a test's own, gone meanwhile.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  const user = [
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@example.org",
    "-c",
    "commit.gpgsign=false",
  ];
  await must("git", ["init", "-q"], folder);
  await must("git", ["add", "-A"], folder);
  await must("git", [...user, "commit", "-q", "--no-verify", "-m", "as it is"], folder);
}

async function release(folder: string, zone: string): Promise<Outcome> {
  const args = ["--target", Deno.build.target, ...await denortArgs()];
  const run = ["run", "-A", "tools/release.ts", ...args];
  return await runCommand(Deno.execPath(), run, { cwd: folder, env: { TZ: zone } });
}

test(
  "a commit released twice, from two folders, in two time zones, has the same bytes",
  async () => {
    await using folder = await LockFolder.make();
    const [first, second] = [`${folder.root}/first`, `${folder.root}/the second`];
    await Deno.mkdir(first);
    await commitOfTree(first);
    await must("git", ["clone", "-q", first, second], folder.root);
    const archive = archiveName(TARGET!);
    for (const [place, zone] of [[first, "UTC"], [second, "Asia/Tokyo"]] as const) {
      const { code, err } = await release(place, zone);
      assertEquals(code, 0, err);
      const names = ["SHA256SUMS", archive, "install.ps1", "install.sh"].sort();
      assertEquals((await namesIn(`${place}/dist/release`)).sort(), names);
      assertEquals(await namesIn(`${place}/dist`), ["release"]);
    }
    for (const name of ["SHA256SUMS", archive]) {
      const [one, two] = [first, second].map((place) => `${place}/dist/release/${name}`);
      assertEquals(await runCommand("cmp", [one!, two!]), { code: 0, out: "", err: "" });
    }
    await must("tar", ["-xzf", `first/dist/release/${archive}`], folder.root);
    const unpacked = `${folder.root}/${archive.replace(".tar.gz", "")}`;
    assertMatch(
      await must(`${unpacked}/lock_folder_util`, ["--version"], folder.root),
      /^lock_fold/,
    );
    await Deno.writeTextFile(`${first}/README.md`, "changed");
    const { code, err } = await release(first, "UTC");
    assertEquals(code, 1);
    assertMatch(err, /A release is made from a commit, and there are changes:\n M README\.md/);
  },
  [POSIX, NEED_TARGET, await needRepository(), await needDenort()],
);

/** `--dir @git` and `--dir @user`, with repositories and worktrees that real git made. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { eventually, type Outcome, type Place } from "./program.ts";
import { git, repository } from "./git.ts";
import { exists, LockFolder } from "./lock_folder.ts";
import { needProgram, POSIX, test } from "./needs.ts";

const GIT = await needProgram("git", ["--version"]);

/** The path that `@git` stands for there, by what the command finds in its environment. */
async function lockSeenFrom(folder: LockFolder, cwd: string, place: Place = {}): Promise<string> {
  const command = ["sh", "-c", 'printf %s "$LOCK_FOLDER_HELD"'];
  const { code, out, err } = await folder.run(
    ["run", "--slug", "a", "--dir", "@git", "--", ...command],
    { ...place, cwd },
  );
  assertEquals(code, 0, err);
  return out.replace(/:[a-z0-9]+$/, "");
}

async function fails(
  folder: LockFolder,
  cwd: string,
  word: string,
  place: Place = {},
): Promise<string> {
  const outcome: Outcome = await folder.run(
    ["acquire", "--slug", "a", "--dir", word],
    { ...place, cwd },
  );
  assertEquals([outcome.code, outcome.out], [78, ""], outcome.err);
  assertMatch(outcome.err, /^lock_folder_util: --dir @\w+ names no folder: [^\n]+\n$/);
  return outcome.err;
}

test("@git is one folder for all worktrees, made on first use", async () => {
  await using folder = await LockFolder.make();
  const main = await repository(folder);
  await git(main, "worktree", "add", "--quiet", "-b", "other", "../a tree");
  await Deno.mkdir(`${main}/below/further`, { recursive: true });
  const lock = `${main}/.git/lock_folder_util/lock.lock`;
  assertEquals(await exists(`${main}/.git/lock_folder_util`), false);
  for (const cwd of [`${folder.root}/a tree`, main, `${main}/below/further`, `${main}/.git`]) {
    assertEquals(await lockSeenFrom(folder, cwd), lock);
  }
  await using _holder = await holdIn(folder, main);
  const { code } = await folder.run(
    ["run", "--slug", "b", "--timeout", "0", "--", "true"],
    { cwd: `${folder.root}/a tree`, env: { LOCK_FOLDER_DIR: "@git" } },
  );
  assertEquals(code, 75);
  await git(main, "fsck", "--strict");
}, [GIT]);

test(
  "@git is the same from a worktree with relative paths, of a bare repository, and in a submodule",
  async () => {
    await using folder = await LockFolder.make();
    const main = await repository(folder);
    await git(folder.root, "clone", "--quiet", "--bare", main, "bare.git");
    await git(`${folder.root}/bare.git`, "worktree", "add", "--quiet", "../tree");
    const bare = `${folder.root}/bare.git/lock_folder_util/lock.lock`;
    assertEquals(await lockSeenFrom(folder, `${folder.root}/tree`), bare);
    assertEquals(await lockSeenFrom(folder, `${folder.root}/bare.git`), bare);
    await Deno.writeTextFile(`${folder.root}/tree/.git`, "gitdir: ../bare.git/worktrees/tree\n");
    assertEquals(await lockSeenFrom(folder, `${folder.root}/tree`), bare);
    const allow = ["-c", "protocol.file.allow=always"];
    await git(main, ...allow, "submodule", "--quiet", "add", `${folder.root}/bare.git`, "sub");
    assertEquals(
      await lockSeenFrom(folder, `${main}/sub`),
      `${main}/.git/modules/sub/lock_folder_util/lock.lock`,
    );
  },
  [GIT],
);

test("@git is deaf to the variables of git", async () => {
  await using folder = await LockFolder.make();
  const main = await repository(folder);
  const env = { GIT_DIR: "/nowhere", GIT_WORK_TREE: "/", GIT_COMMON_DIR: "/nowhere" };
  const lock = await lockSeenFrom(folder, main, { env });
  assertEquals(lock, `${main}/.git/lock_folder_util/lock.lock`);
}, [GIT]);

test("@git passes over what git passes over: an empty .git folder", async () => {
  await using folder = await LockFolder.make();
  const main = await repository(folder);
  await Deno.mkdir(`${main}/inner/.git`, { recursive: true });
  const lock = await lockSeenFrom(folder, `${main}/inner`);
  assertEquals(lock, `${main}/.git/lock_folder_util/lock.lock`);
}, [GIT]);

test("@git names what is missing", async () => {
  await using folder = await LockFolder.make();
  const { root } = folder;
  assertStringIncludes(
    await fails(folder, root, "@git"),
    `there is no git repository at or above ${root}; start this inside a repository`,
  );
  await folder.write(".git", "gitdir: gone/.git/worktrees/x\n");
  assertStringIncludes(
    await fails(folder, root, "@git"),
    `${root}/.git leads to ${root}/gone/.git/worktrees/x, and no git folder is there`,
  );
  await folder.write(".git", "something else\n");
  assertStringIncludes(
    await fails(folder, root, "@git"),
    `${root}/.git is a file without a line "gitdir: FOLDER"`,
  );
  await Deno.remove(`${root}/.git`);
  await Deno.mkdir(`${root}/.git`);
  await folder.write(".git/HEAD", "ref: refs/heads/main\n");
  await folder.write(".git/commondir", "../gone\n");
  assertStringIncludes(
    await fails(folder, root, "@git"),
    `${root}/.git/commondir leads to ${root}/gone, and no repository is there`,
  );
});

test("a folder that is really called @git is ./@git", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(`${folder.root}/@git`);
  const { code } = await folder.run(["acquire", "--slug", "a", "--dir", "./@git"]);
  assertEquals([code, await folder.has("@git/lock.lock")], [0, true]);
});

test("@user is a private folder in the user's state, made with all that it is in", async () => {
  await using folder = await LockFolder.make();
  const user = Deno.build.os === "darwin" ? "Library/Application Support" : ".local/state";
  const env = { HOME: folder.root, XDG_STATE_HOME: "" };
  const args = ["acquire", "--slug", "a", "--quiet", "--dir", "@user"];
  assertEquals(await folder.run(args, { env, cwd: "/" }), { code: 0, out: "", err: "" });
  assertEquals(await folder.has(`${user}/lock_folder_util/lock.lock`), true);
  const { mode } = await Deno.stat(`${folder.root}/${user}/lock_folder_util`);
  assertEquals(mode! & 0o777, 0o700);
  const release = ["release", "--slug", "a"];
  const place = { env: { ...env, LOCK_FOLDER_DIR: "@user" } };
  assertEquals((await folder.run(release, place)).code, 0);
});

test("@user without a home is told in one line", async () => {
  await using folder = await LockFolder.make();
  const place = { env: { PATH: "/usr/bin:/bin" }, onlyThisEnv: true };
  assertStringIncludes(await fails(folder, folder.root, "@user", place), "HOME is not set; set it");
});

test("a folder that cannot be made is told with its path", async () => {
  await using folder = await LockFolder.make();
  await folder.write("home", "a file");
  const env = { HOME: `${folder.root}/home`, XDG_STATE_HOME: "" };
  const { code, err } = await folder.run(["acquire", "--slug", "a", "--dir", "@user"], { env });
  assertEquals(code, 78);
  assertMatch(
    err,
    /^lock_folder_util: lock dir \S+home\/.*lock_folder_util is not .*could not be made/,
  );
}, [POSIX]);

/** Starts a holder in another folder than the working folder. */
async function holdIn(folder: LockFolder, cwd: string) {
  const holder = folder.startHolding("holder", ["--dir", "@git"], { cwd });
  await eventually("the command runs", () => exists(`${cwd}/holder.runs`));
  return holder;
}

/** `doctor` on file systems of many kinds: what it says of each, and that it leaves nothing behind. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { git, GIT_ENVIRONMENT, repository } from "./git.ts";
import { LockFolder, namesIn, setBack } from "./lock_folder.ts";
import {
  BINDFS_TWICE,
  CACHING_RCLONE_TWICE,
  EXT3_OF_WHOLE_SECONDS,
  EXT4,
  type FileSystem,
  FULL_DISK,
  FULL_EXT4,
  onFileSystem,
  READ_ONLY,
  TMPFS,
  WITHOUT_INODES,
} from "./mounts.ts";
import { inMounts, LINUX, needMounts, needProgram, POSIX, test } from "./needs.ts";
import { eventually, type Outcome } from "./program.ts";

interface Examination {
  readonly trusted: boolean;
  readonly folder: string;
  readonly peer: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly checks: readonly {
    readonly name: string;
    readonly status: string;
    readonly text: string;
    readonly measured: Readonly<Record<string, unknown>>;
  }[];
}

/** What it says, by the names of the checks. */
class Said {
  readonly examination: Examination;
  constructor({ out, err }: Outcome) {
    if (!out.startsWith("{")) throw new Error(`no JSON: ${out}${err}`);
    this.examination = JSON.parse(out.slice(0, out.lastIndexOf("}") + 1));
  }

  /** Those with this status. */
  names(status: string): string[] {
    return this.examination.checks.filter((check) => check.status === status)
      .map(({ name }) => name);
  }

  /** `PASS kept`. */
  of(name: string): string {
    const check = this.examination.checks.find((check) => check.name === name);
    return check === undefined ? "not there" : `${check.status} ${check.text}`;
  }
}

/** A machine may have few inotify instances, and cleaners of temporary folders: no matter of the file system. */
const OF_THE_MACHINE = new Set(["inotify", "watch", "temp cleaner"]);

async function examine(
  fileSystem: FileSystem,
  flags = "",
): Promise<{ outcome: Outcome; said: Said; left: string[] }> {
  await using folder = await LockFolder.make();
  const outcome = await onFileSystem(
    folder.root,
    fileSystem,
    `"$L" doctor --json --dir a ${flags}; s=$?; ls -A a; exit $s`,
  );
  const left = outcome.out.slice(outcome.out.lastIndexOf("}") + 1).split("\n");
  return {
    outcome,
    said: new Said(outcome),
    left: left.filter((name) => name !== "" && name !== "lost+found" && name !== "fill"),
  };
}

/** Trusted, with no other warnings than these. */
function assertWarnings(
  { outcome, said, left }: Awaited<ReturnType<typeof examine>>,
  names: string[],
) {
  assertEquals(outcome.code, 0, outcome.out + outcome.err);
  assertEquals(said.examination.trusted, true);
  assertEquals(said.names("WARN").filter((name) => !OF_THE_MACHINE.has(name)), names, outcome.out);
  assertEquals(left, []);
}

test("doctor trusts an ordinary folder, says so in aligned lines, and leaves nothing behind", async () => {
  await using folder = await LockFolder.make();
  const { code, out, err } = await folder.run(["doctor"]);
  assertEquals(code, 0, out);
  assertEquals(err, "");
  assertMatch(out, new RegExp(`^${folder.dir}\n\nPASS {2}writable {2,}`));
  assertMatch(out, /\nPASS {2}mkdir race {2,}one winner in each of 200 races of 8 processes\n/);
  assertMatch(out, /\nPASS {2}appends {2,}200 lines by 8 writers: all there, all whole\n/);
  assertMatch(out, /\nPASS: this folder can be trusted[^\n]*\n$/);
  const rows = out.split("\n").filter((row) => /^(PASS|WARN|FAIL) /.test(row));
  const columns = rows.map((row) => /^\w{4} {2}.+? {2,}/.exec(row)![0].length);
  assertEquals(new Set(columns).size, 1, out);
  assertEquals(await namesIn(folder.dir), []);
});

test("doctor tells of a lock folder that is missing or no folder", async () => {
  await using folder = await LockFolder.make();
  await folder.write("file", "");
  for (const dir of ["missing", "file"]) {
    const { code, out } = await folder.run(["doctor", "--dir", dir]);
    assertEquals(code, 1);
    assertMatch(out, /\nFAIL {2}writable {2}it (does not exist|is not a folder)/);
  }
});

test("doctor tells of things in the way of the lock, and leaves them as they are", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await folder.write(".tmp/lock.lock/stray", "");
  await Deno.mkdir(folder.log);
  await folder.write(".tmp/lock.state", "");
  const { code, out } = await folder.run(["doctor"]);
  assertEquals(code, 1);
  assertMatch(
    out,
    /\nFAIL {2}in the way {2,}\S+lock\.lock is not empty \(it holds stray\); \S+lock\.log is a folder, not a file; \S+lock\.state is a file, not a folder\n/,
  );
  assertEquals(await namesIn(folder.dir), ["lock.lock", "lock.log", "lock.state"]);
});

test("doctor leaves a lock alone that is held", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("a");
  const { code, out } = await folder.run(["doctor"]);
  assertEquals(code, 0, out);
  assertEquals((await holder.finish()).code, 0);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("doctor that is interrupted leaves nothing behind, and nobody", async () => {
  await using folder = await LockFolder.make();
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    await using doctor = folder.start(["doctor"]);
    await eventually(
      "the trials are under way",
      async () => (await namesIn(`${folder.dir}/${(await namesIn(folder.dir))[0]}`)).length > 20,
    );
    Deno.kill(-doctor.pid, signal);
    const outcome = await doctor.finish();
    assertEquals(outcome, {
      code,
      out: "",
      err: "lock_folder_util: interrupted; there is nothing to say of this folder\n",
    });
    assertEquals(await namesIn(folder.dir), []);
  }
});

const GIT = await needProgram("git", ["--version"]);

/** The line of one check; empty if it was not made. */
async function checkIn(
  folder: LockFolder,
  cwd: string,
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const place = { cwd, env: { ...GIT_ENVIRONMENT, ...env } };
  const { code, out } = await folder.run(["doctor", ...args], place);
  assertEquals(code, 0, out);
  return out.split("\n").find((row) => row.slice("PASS  ".length).startsWith(`${name} `)) ?? "";
}

test(
  "doctor warns of a lock folder that git reaches, until git ignores all of the lock",
  async () => {
    await using folder = await LockFolder.make();
    const main = await repository(folder);
    await git(main, "worktree", "add", "--quiet", "-b", "other", "../tree");
    // A hook's own repository is not the one around the lock.
    const hook = { GIT_DIR: `${main}/.git`, GIT_WORK_TREE: main };
    for (const [cwd, env] of [[main, {}], [`${folder.root}/tree`, hook]] as const) {
      await Deno.mkdir(`${cwd}/.tmp`);
      const row = await checkIn(folder, cwd, "git reach", [], env);
      assertMatch(row, /^WARN .* git clean -fd, git stash -u and git add -A in \S+ reach the lock/);
      assertMatch(row, new RegExp(`use --dir @git, or add /\\.tmp/ to ${cwd}/\\.gitignore$`));
    }
    for (const [ignored, status] of [["*.log", "WARN"], ["*.log\nlock.lock/\nlock.*/", "PASS"]]) {
      await Deno.writeTextFile(`${main}/.gitignore`, `${ignored}\n`);
      assertMatch(await checkIn(folder, main, "git reach"), new RegExp(`^${status} `), ignored);
    }
  },
  [GIT],
);

test(
  "doctor says nothing of git outside of repositories, in git's own folder, and without git",
  async () => {
    await using folder = await LockFolder.make();
    assertEquals(await checkIn(folder, folder.root, "git reach"), "");
    const main = await repository(folder);
    assertEquals(await checkIn(folder, main, "git reach", ["--dir", "@git"]), "");
    await Deno.mkdir(`${main}/.tmp`);
    assertEquals(await checkIn(folder, main, "git reach", [], { PATH: "/nowhere" }), "");
  },
  [GIT],
);

test(
  "doctor on the default folder warns of a lock of @git that is in use, and of no other",
  async () => {
    await using folder = await LockFolder.make();
    const main = await repository(folder);
    await Deno.mkdir(`${main}/below/.tmp`, { recursive: true });
    const below = `${main}/below`;
    const seen = async (...args: string[]) => await checkIn(folder, below, "other lock", args);
    const taken = async (command: string) => {
      await folder.run([command, "--slug", "a", "--dir", "@git"], { cwd: below });
    };
    await taken("acquire");
    const lock = `${main}/.git/lock_folder_util/lock.lock`;
    const row = await seen();
    assert(
      row.startsWith("WARN ") && row.includes(`the lock of @git (${lock}), which is held`),
      row,
    );
    assertEquals(await seen("--name", "other"), "");
    await taken("release");
    assertMatch(
      await seen("--dir", ".tmp"),
      /^WARN .*, which was last used .* ago, .* use --dir @git /,
    );
    await setBack(`${main}/.git/lock_folder_util/lock.log`, 25 * 3600);
    assertEquals(await seen(), "");
  },
  [GIT],
);

test("doctor on a default folder that is a link to that of @git finds no other lock", async () => {
  await using folder = await LockFolder.make();
  const main = await repository(folder);
  await folder.run(["acquire", "--slug", "a", "--dir", "@git"], { cwd: main });
  await Deno.symlink(".git/lock_folder_util", `${main}/.tmp`);
  assertEquals(await checkIn(folder, main, "other lock"), "");
}, [GIT]);

test("doctor warns where no watch can be had", async () => {
  await using folder = await LockFolder.make();
  const { code, out } = await inMounts(
    folder.root,
    "unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_inotify_instances; \"$L\" doctor'",
  );
  assertEquals(code, 0, out);
  assertMatch(
    out,
    /\nWARN {2}watch {2,}no watch can be had \([^\n]+\): waiters find a free lock by polling/,
  );
  assertMatch(out, /\nWARN {2}inotify {2,}0 inotify instances for this user/);
}, [
  await needMounts(),
  await needProgram(
    "unshare",
    ["-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_instances"],
    "user namespaces in which watches can be forbidden (unshare -Ur)",
  ),
]);

test("doctor makes its trials where there is no /dev/null", async () => {
  await using folder = await LockFolder.make();
  const { code, out } = await inMounts(folder.root, 'mount -t tmpfs tmpfs /dev && "$L" doctor');
  assertEquals([code, /could not be tried/.exec(out)], [0, null], out);
  assertMatch(out, /\nPASS {2}mkdir race /);
}, [await needMounts()]);

test("doctor takes two folders for what they are, not for two mounts of one", async () => {
  await using folder = await LockFolder.make();
  const { code, out } = await folder.run(["doctor", "--peer", "."]);
  assertEquals(code, 1);
  assertMatch(out, /\nFAIL {2}peer {2,}what was made in one is not seen in the other within 3s/);
  const missing = await folder.run(["doctor", "--peer", "missing"]);
  assertEquals(missing.code, 1);
  assertMatch(
    missing.out,
    /\nFAIL {2}peer {2,}could not be tried: the other mount has no such folder\n/,
  );
  assertEquals(await namesIn(folder.dir), []);
}, [POSIX, LINUX]);

test("doctor on ext4: all is well", async () => {
  const examined = await examine(EXT4);
  assertWarnings(examined, []);
  assertMatch(examined.said.of("file system"), /^PASS ext4 \(\/dev\/loop\d+\), a local disk$/);
  assertEquals(examined.said.of("birthtime"), "PASS kept");
}, EXT4.needs);

test("doctor on tmpfs: all is well until a restart", async () => {
  const examined = await examine(TMPFS);
  assertWarnings(examined, []);
  assertMatch(examined.said.of("file system"), /^PASS tmpfs, in memory: a restart empties it/);
}, TMPFS.needs);

test("doctor on ext3 of whole seconds: a warning of coarse times", async () => {
  const examined = await examine(EXT3_OF_WHOLE_SECONDS);
  assertWarnings(examined, ["mtime"]);
  assertMatch(examined.said.of("mtime"), /^WARN mtimes are kept in steps of 1s/);
  assertMatch(examined.said.of("birthtime"), /^PASS none is kept/);
}, EXT3_OF_WHOLE_SECONDS.needs);

test("doctor on a read-only mount: it cannot be written", async () => {
  const { outcome, said } = await examine(READ_ONLY);
  assertEquals(outcome.code, 1);
  assertEquals(said.names("FAIL"), ["writable"]);
  assertMatch(said.of("writable"), /^FAIL mkdir failed, read-only file system/i);
}, READ_ONLY.needs);

test("doctor on a full disk: neither space nor writing", async () => {
  for (
    const [disk, reason] of [[FULL_DISK, /no space is free/], [
      WITHOUT_INODES,
      /no inode is free/,
    ]] as const
  ) {
    const { outcome, said, left } = await examine(disk);
    assertEquals(outcome.code, 1);
    assertEquals(said.names("FAIL"), ["writable", "free space"]);
    assertMatch(said.of("writable"), /no space left/i);
    assertMatch(said.of("free space"), reason);
    assertEquals(left, []);
  }
}, FULL_DISK.needs);

test(
  "doctor on a full disk where a small file finds room yet: no space, and no trials",
  async () => {
    const { outcome, said, left } = await examine(FULL_EXT4);
    assertEquals(outcome.code, 1);
    assertMatch(said.of("free space"), /^FAIL no space is free/);
    assertEquals(said.of("mkdir race"), "not there");
    assertEquals(left, []);
  },
  FULL_EXT4.needs,
);

test(
  "doctor across two bindfs mounts: mkdir excludes, file locks and watch do not cross",
  async () => {
    const { outcome, said, left } = await examine(BINDFS_TWICE, "--peer b");
    assertEquals(outcome.code, 0, outcome.out + outcome.err);
    assertEquals(said.names("FAIL"), []);
    assertEquals(left, []);
    assertMatch(
      said.of("peer: mkdir race"),
      /^PASS one winner in each of \d+ races of 8 processes, half of them/,
    );
    assertMatch(said.of("peer: hand-over"), /^(PASS|WARN) /);
    assertMatch(said.of("peer: mtime"), /^PASS a new mtime is seen on the other mount within /);
    assertMatch(
      said.of("peer: file locks"),
      /^WARN file locks do not exclude across the two mounts/,
    );
    assertMatch(
      said.of("peer: watch"),
      /^WARN the watch does not see what the other mount removes/,
    );
    // Whether lines are lost is a matter of luck.
    assertMatch(said.of("peer: appends"), /^(PASS 200 lines|WARN of 200 log lines)/);
    assertEquals(said.of("file locks"), "PASS a file lock keeps another process out");
  },
  BINDFS_TWICE.needs,
);

test("doctor across two rclone mounts: mkdir does not exclude", async () => {
  const { outcome, said, left } = await examine(CACHING_RCLONE_TWICE, "--peer b");
  assertEquals(outcome.code, 1, outcome.out + outcome.err);
  assertMatch(said.of("file system"), /^FAIL fuse\.rclone: its mkdir does not exclude/);
  assertMatch(said.of("peer: mkdir race"), /^FAIL mkdir let up to 2 win in \d+ of \d+ races/);
  assertEquals(said.examination.trusted, false);
  assert(said.examination.counts.FAIL! >= 2);
  assertEquals(left, []);
}, CACHING_RCLONE_TWICE.needs);

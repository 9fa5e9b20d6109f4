/** What stands in the way: told at once, by name and cause; never waited for, never deleted. */

import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { exists, LockFolder, setBack, shell } from "./lock_folder.ts";
import {
  inMounts,
  needMounts,
  needTwoUsers,
  needUnprivileged,
  test,
  unprivileged,
} from "./needs.ts";
import { type Outcome, PROGRAM, runCommand } from "./program.ts";

/** Far less than any wait, far more than a look takes on a busy machine. */
const AT_ONCE_MS = 10_000;

const COMMANDS: readonly string[][] = [
  ["acquire", "--slug", "a"],
  ["run", "--slug", "a", "--", "true"],
  ["release", "--slug", "a"],
];

/** What every refusal looks like: one line, at once, with this status. */
function assertRefusal(found: Outcome, code: number, words: RegExp): void {
  assertEquals(found.code, code, found.err);
  assertMatch(found.err, /^lock_folder_util: [^\n]+\n$/);
  assertMatch(found.err, words);
}

/** Every command is refused at once in a folder made so. */
async function assertAllRefused(
  prepare: (folder: LockFolder) => Promise<unknown>,
  words: RegExp,
  commands: readonly string[][] = COMMANDS,
): Promise<void> {
  await using folder = await LockFolder.make();
  await prepare(folder);
  for (const args of commands) {
    const startMs = performance.now();
    assertRefusal(await folder.run(args), 78, words);
    assertLess(performance.now() - startMs, AT_ONCE_MS);
  }
}

test("a file where the lock would be is named", async () => {
  await assertAllRefused(
    (folder) => Deno.writeTextFile(folder.lock, ""),
    /\/\.tmp\/lock\.lock is a file, not a folder/,
  );
});

test("a symbolic link where the lock would be is named, dangling or not", async () => {
  const words = /\/\.tmp\/lock\.lock is a symbolic link, not a folder/;
  await assertAllRefused((folder) => Deno.symlink(folder.root, folder.lock), words);
  await assertAllRefused((folder) => Deno.symlink("nowhere", folder.lock), words);
});

test("a lock folder that is a file is named", async () => {
  await assertAllRefused(
    async (folder) => {
      await Deno.remove(folder.dir);
      await Deno.writeTextFile(folder.dir, "");
    },
    /^lock_folder_util: lock dir \/\S+\/\.tmp is not a writable directory; it is not a folder/,
  );
});

test("a missing lock folder is named, with the way out", async () => {
  await assertAllRefused(
    (folder) => Deno.remove(folder.dir),
    /^lock_folder_util: lock dir \/\S+\/\.tmp is not a writable directory; it does not exist: .*mkdir/,
  );
});

test("a dangling link as the lock folder is told as that", async () => {
  await assertAllRefused(
    async (folder) => {
      await Deno.remove(folder.dir);
      await Deno.symlink("nowhere", folder.dir);
    },
    /is not a writable directory; it is a symbolic link to nothing: make the folder that it points to, or/,
  );
});

test("a link to a folder may be the lock folder", async () => {
  await using folder = await LockFolder.make();
  await Deno.rename(folder.dir, `${folder.root}/real`);
  await Deno.symlink("real", folder.dir);
  const { code, err } = await folder.run(["run", "--slug", "a", "--", "true"]);
  assertEquals([code, err], [0, ""]);
  await folder.assertFree();
});

test("a lock folder that may not be written is named, with its owner and mode", async () => {
  await using folder = await LockFolder.make();
  await Deno.chmod(folder.root, 0o755);
  await Deno.chmod(folder.dir, 0o555);
  for (const args of COMMANDS.slice(0, 2)) {
    const [program, rest] = unprivileged([PROGRAM, ...args]);
    const found = await runCommand(program, rest, { cwd: folder.root });
    assertRefusal(found, 78, /lock dir \/\S+\/\.tmp is not a writable directory; .*mode 555/);
  }
}, [await needUnprivileged(PROGRAM)]);

test("a lock folder that may not be written is told even while the lock is held", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await Deno.chmod(folder.root, 0o755);
  await Deno.chmod(folder.dir, 0o555);
  const [program, args] = unprivileged([PROGRAM, ...COMMANDS[0]!]);
  assertRefusal(
    await runCommand(program, args, { cwd: folder.root }),
    78,
    /lock dir \/\S+\/\.tmp is not a writable directory/,
  );
}, [await needUnprivileged(PROGRAM)]);

test("a read-only mount is named", async () => {
  await using folder = await LockFolder.make();
  for (const held of [false, true]) {
    if (held) await Deno.mkdir(folder.lock);
    const found = await inMounts(
      folder.root,
      'mount --bind .tmp .tmp && mount -o remount,ro,bind .tmp && exec "$L" acquire --slug a',
    );
    assertRefusal(found, 78, /lock dir \/\S+\/\.tmp is not a writable directory; read-only/);
  }
}, [await needMounts()]);

test("the probe of a killed waiter is taken away when a lock is broken, and nothing else is", async () => {
  await using folder = await LockFolder.make();
  const probe = `${folder.dir}/.probe-${"a".repeat(24)}`;
  const full = `${folder.dir}/.probe-${"b".repeat(24)}`;
  const own = `${folder.dir}/.probe-mine`;
  for (const path of [probe, full, own]) await Deno.mkdir(path);
  await Deno.writeTextFile(`${full}/precious`, "");
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const path of [probe, full, own]) await Deno.utime(path, longAgo, longAgo);
  await Deno.mkdir(folder.lock);
  await Deno.utime(folder.lock, longAgo, longAgo);
  assertEquals((await folder.run(["run", "--slug", "a", "--", "true"])).code, 0);
  const left = (await Array.fromAsync(Deno.readDir(folder.dir), ({ name }) => name))
    .filter((name) => name.startsWith(".probe")).sort();
  assertEquals(left, [full, own].map((path) => path.slice(folder.dir.length + 1)).sort());
});

test("a lock with something in it is named, and never deleted with its contents", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  await Deno.writeTextFile(`${folder.lock}/x`, "");
  for (const flags of [[], ["--force"]]) {
    const found = await folder.run(["release", "--slug", "a", ...flags]);
    assertRefusal(found, 74, /\/\.tmp\/lock\.lock is not empty \(it holds x\)/);
  }
  assertEquals(await exists(`${folder.lock}/x`), true);
  await Deno.remove(`${folder.lock}/x`);
  assertEquals((await folder.run(["release", "--slug", "a", "--force"])).code, 0);
  assertEquals(await exists(folder.lock), false);
});

test("a hold whose lock was touched by hand leaves no lifeline behind for ever", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  await setBack(folder.lock, 5);
  assertEquals((await folder.run(["release", "--slug", "a"])).code, 0);
  // Whoever comes next may do it.
  await folder.run(["run", "--slug", "b", "--", "true"]);
  await folder.assertFree();
});

test("a command that puts something into the lock is told that it could not be given back", async () => {
  await using folder = await LockFolder.make();
  const found = await folder.run([
    ...["run", "--slug", "a", "--"],
    ...shell(": > .tmp/lock.lock/x"),
  ]);
  assertRefusal(found, 74, /\/\.tmp\/lock\.lock is not empty/);
  assertEquals(await exists(`${folder.lock}/x`), true);
});

test("another user's files are named with owner and mode, at once", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["run", "--slug", "root", "--", "true"]);
  await Deno.chmod(folder.root, 0o755);
  await Deno.chmod(folder.dir, 0o777);
  const [program, args] = unprivileged([PROGRAM, "acquire", "--slug", "b"]);
  assertRefusal(
    await runCommand(program, args, { cwd: folder.root }),
    78,
    /\/\.tmp\/lock\.(state|log)\S* .*owner uid 0, mode \d{3}\)/,
  );
  assertEquals(await exists(folder.lock), false);
  assertEquals(await folder.events(), ["root acquired", "root released"]);
}, [await needTwoUsers(PROGRAM)]);

test("who cannot write another user's fence is told before the wait, not after it", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["run", "--slug", "root", "--", "true"]);
  await Deno.chmod(folder.root, 0o755);
  for (const dir of [folder.dir, folder.state]) await Deno.chmod(dir, 0o777);
  await Deno.chmod(folder.log, 0o666);
  await using holder = await folder.hold("root");
  const [program, args] = unprivileged([PROGRAM, "acquire", "--slug", "b"]);
  const refused = await runCommand(program, args, { cwd: folder.root });
  assertRefusal(refused, 78, /\/lock\.state\/fence cannot be used: .*owner uid 0, mode 644\)/);
  await holder.finish();
}, [await needTwoUsers(PROGRAM)]);

test(
  "another user's lock in a sticky folder is named as what it is, and the log tells of no break",
  async () => {
    await using folder = await LockFolder.make();
    await Deno.chmod(folder.root, 0o755);
    await Deno.chmod(folder.dir, 0o1777);
    await Deno.mkdir(folder.lock);
    await setBack(folder.lock, 3600);
    const lines = [
      ["run", "--slug", "b", "--stale", "3", "--", "true"],
      ["acquire", "--slug", "b", "--stale", "3"],
      ["release", "--slug", "ops", "--force"],
    ];
    for (const line of lines) {
      const [program, args] = unprivileged([PROGRAM, ...line]);
      assertRefusal(
        await runCommand(program, args, { cwd: folder.root }),
        78,
        /lock\.lock, held by a peer that is not in the log, is uid 0's, and its folder is sticky: .* rmdir \//,
      );
    }
    assertEquals(await folder.events(), []);
    // To root it is a lock like any other.
    assertEquals((await folder.run(["run", "--slug", "r", "--stale", "3", "--", "true"])).code, 0);
    assertMatch((await folder.events())[0]!, /^r stale_break /);
  },
  [await needTwoUsers(PROGRAM)],
);

test("links in the state folder and as the log are never followed", async () => {
  for (const name of ["lock.log", "lock.state/fence", "lock.state/holder.json"]) {
    await using folder = await LockFolder.make();
    await Deno.mkdir(folder.state);
    await folder.write("precious", "precious\n");
    await Deno.symlink(`${folder.root}/precious`, `${folder.dir}/${name}`);
    const { code, err } = await folder.run(["run", "--slug", "a", "--", "true"]);
    assertEquals(await folder.read("precious"), "precious\n");
    if (name !== "lock.log") continue;
    assertEquals(code, 78);
    assertMatch(err, /lock\.log cannot be used: it is a symbolic link/);
    assertEquals(await exists(folder.lock), false);
  }
});

test("a relative lock folder is shown absolute, so that two are told apart", async () => {
  await using one = await LockFolder.make();
  await using two = await LockFolder.make();
  await one.run(["acquire", "--slug", "a"]);
  assertEquals((await two.run(["acquire", "--slug", "a"])).code, 0);
  const { err } = await one.run(["acquire", "--slug", "b", "--timeout", "0.1"]);
  assertMatch(err, new RegExp(`waiting .* for ${one.lock}: held by a`));
  assertMatch(err, new RegExp(`gave up waiting for ${one.lock} `));
});

test("a command that changes its folder, or removes it, changes nothing for the lock", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(`${folder.root}/gone`);
  const script = "cd /; exit 5";
  const changed = await folder.run(["run", "--slug", "a", "--", ...shell(script)]);
  assertEquals(changed.code, 5);
  const removed = await folder.run(
    ["run", "--slug", "b", "--dir", "../.tmp", "--", ...shell('rmdir "$PWD"; exit 6')],
    { cwd: `${folder.root}/gone` },
  );
  assertEquals(removed.code, 6, removed.err);
  assertEquals(await folder.events(), ["a acquired", "a released", "b acquired", "b released"]);
  await folder.assertFree();
});

test("a lock folder that the command made unwritable turns its 0 into 74", async () => {
  await using folder = await LockFolder.make();
  await Deno.chmod(folder.root, 0o777);
  await Deno.chmod(folder.dir, 0o777);
  const [program, args] = unprivileged([
    ...[PROGRAM, "run", "--slug", "a", "--dir", `${folder.root}/mine`, "--"],
    ...shell("chmod 555 mine"),
  ]);
  const [make, makeArgs] = unprivileged(["mkdir", `${folder.root}/mine`]);
  await runCommand(make, makeArgs);
  const found = await runCommand(program, args, { cwd: folder.root });
  assertRefusal(found, 74, /\/mine\/lock\.lock could not be given back: .*rmdir/);
  await Deno.chmod(`${folder.root}/mine`, 0o755);
}, [await needUnprivileged(PROGRAM)]);

test("paths with spaces, quotes and umlauts work", async () => {
  await using folder = await LockFolder.make();
  const dir = `${folder.root}/lock folder 'util' "ü" $HOME`;
  await Deno.mkdir(dir);
  const inside = shell('echo "${LOCK_FOLDER_HELD%:*}"');
  const { code, out, err } = await folder.run([
    "run",
    "--slug",
    "a",
    "--dir",
    dir,
    "--",
    ...inside,
  ]);
  assertEquals([code, out, err], [0, `${dir}/lock.lock\n`, ""]);
  assertEquals(await exists(`${dir}/lock.lock`), false);
});

test("a planted ticket with the highest number keeps nobody from waiting or giving up", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await Deno.mkdir(`${folder.state}/queue`, { recursive: true });
  for (const number of ["9999999998", "9999999999"]) {
    await Deno.writeTextFile(`${folder.state}/queue/${number}-x`, "");
  }
  const { code } = await folder.run(["acquire", "--slug", "b", "--timeout", "0.3"]);
  assertEquals(code, 75);
  await using c = folder.startHolding("c");
  await c.program.says(/waiting/);
  await a.finish();
  await folder.appears("c.runs");
  assertEquals((await c.finish()).code, 0);
});

test("a nested call through another path of the same folder goes straight through", async () => {
  await using folder = await LockFolder.make();
  await Deno.symlink(".tmp", `${folder.root}/ln`);
  const inner = [PROGRAM, "run", "--dir", "ln", "--slug", "b", "--timeout", "0", "--", "true"];
  const { code } = await folder.run(["run", "--slug", "a", "--", ...inner]);
  assertEquals(code, 0);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
});

test("a lock folder that is away for a while has not lost its lock", async () => {
  await using folder = await LockFolder.make();
  const away = "mv .tmp gone; until [ -e back ]; do sleep 0.02; done; mv gone .tmp";
  await using run = folder.start(
    ["run", "--slug", "a", "--stale", "20", "--", ...shell(away)],
  );
  await run.says(/could not be freshened: its folder is not there; the lock counts as lost if/);
  await folder.write("back", "");
  assertEquals((await run.finish()).code, 0);
  await folder.assertFree();
  assertEquals(await folder.events(), ["a acquired", "a released"]);
});

test("renew and check name what stands in the place of the lock", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.lock, "");
  for (const args of [["renew", "--slug", "a"], ["check", "--fence", "1"]]) {
    assertRefusal(await folder.run(args), 78, /lock\.lock is a file, not a folder/);
  }
});

test("a state folder that is a link is refused", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(`${folder.root}/elsewhere`);
  await Deno.symlink(`${folder.root}/elsewhere`, folder.state);
  assertRefusal(await folder.run(["acquire", "--slug", "a"]), 78, /lock\.state .*symbolic link/);
  assertEquals(await exists(folder.lock), false);
});

/** What a line names is what is wrong, and what it advises can be done. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { exists, LockFolder, setBack, shell } from "./lock_folder.ts";
import { inMounts, LINUX, needMounts, needUnprivileged, test, unprivileged } from "./needs.ts";
import { type Outcome, PROGRAM, runCommand } from "./program.ts";

const RUN = ["run", "--slug", "a", "--", "true"];

function assertTold(found: Outcome, code: number, words: RegExp): void {
  assertEquals(found.code, code, found.err);
  assertMatch(found.err, words);
}

test("what stands in the record's place is named itself", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.record, { recursive: true });
  assertTold(
    await folder.run(RUN),
    78,
    /lock\.state\/holder\.json cannot be used: .*directory.*; ask its owner, or move it away if that is you/,
  );
});

test("a pipe where the lock would be is told as one", async () => {
  await using folder = await LockFolder.make();
  await runCommand("mkfifo", [folder.lock]);
  assertTold(await folder.run(RUN), 78, /lock\.lock is a pipe, a socket or a device, not a folder/);
});

test("want of inodes in the middle of things is not told as mere want of space", async () => {
  await using folder = await LockFolder.make();
  const found = await inMounts(
    folder.root,
    'mount -t tmpfs -o nr_inodes=7 none .tmp && exec "$L" run --slug a -- true',
  );
  assertTold(found, 74, /no space left on device; .*inodes? .*df -i/);
}, [await needMounts()]);

test("a picture for which there is no space is no wrong name", async () => {
  await using folder = await LockFolder.make();
  await folder.run(RUN);
  const full = await folder.run(["report", "--svg", "/dev/full"]);
  assertTold(full, 74, /\/dev\/full could not be written: .*no space left on device; free some/);
  const nowhere = await folder.run(["report", "--svg", "nowhere/x"]);
  assertTold(nowhere, 78, /check its name and its folder/);
}, [LINUX]);

test("a fresh folder has no log to be told of, and what was released has", async () => {
  await using folder = await LockFolder.make();
  const commands = [["release", "--slug", "a"], ["renew", "--slug", "a"]];
  for (const args of commands) {
    assertTold(await folder.run(args), 1, /not held by anybody, and has no log/);
  }
  await folder.run(RUN);
  for (const args of commands) {
    assertTold(await folder.run(args), 1, /report tells what became of it/);
  }
});

test(
  "a lock in a folder that its command has closed is removed by what the line says",
  async () => {
    await using folder = await LockFolder.make();
    await Deno.chmod(folder.root, 0o777);
    await Deno.chmod(folder.dir, 0o777);
    if (Deno.uid() === 0) await Deno.chown(folder.dir, 65534, 65534);
    const [program, args] = unprivileged([
      PROGRAM,
      "run",
      "--slug",
      "a",
      "--",
      ...shell("chmod 555 .tmp"),
    ]);
    const found = await runCommand(program, args, { cwd: folder.root });
    assertTold(found, 74, /remove it by hand: chmod u\+wx \S+ && rmdir \S+\n$/);
    const advised = /by hand: (.*)\n$/.exec(found.err)![1]!;
    const [sh, rest] = unprivileged(shell(advised));
    assertEquals((await runCommand(sh, rest)).code, 0);
    assertEquals(await exists(folder.lock), false);
  },
  [await needUnprivileged(PROGRAM)],
);

test("the log tells by which age a lock with a time in the future was broken", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a", "--stale", "2"]);
  await setBack(folder.lock, -3600);
  const { code, err } = await folder.run(["run", "--slug", "b", "--stale", "2", "--", "true"]);
  assertEquals(code, 0, err);
  await folder.logShows(/^b stale_break age=[1-9]\d*s reason=expired/);
});

test("doctor names the probe of a killed waiter, and not one of a moment ago", async () => {
  await using folder = await LockFolder.make();
  const old = `${folder.dir}/.probe-${"a".repeat(24)}`;
  const fresh = `${folder.dir}/.probe-${"b".repeat(24)}`;
  for (const path of [old, fresh]) await Deno.mkdir(path);
  await setBack(old, 3600);
  const { out } = await folder.run(["doctor"]);
  assertMatch(out, /WARN {2}in the way .*\.probe-a+ was left by a waiter that was killed: rmdir/);
  assert(!out.includes(".probe-b"), out);
});

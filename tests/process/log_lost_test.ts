/** Lines that the log should have had: whatever it lacks, the lock goes back, and a person is told. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { test } from "./needs.ts";
import { PROGRAM, runCommand } from "./program.ts";

test("a released line that cannot be written is told, and the status is the command's", async () => {
  await using folder = await LockFolder.make();
  const script = "rm .tmp/lock.log; mkdir .tmp/lock.log; exit 3";
  const { code, err } = await folder.run(["run", "--slug", "a", "--", ...shell(script)]);
  assertEquals(code, 3);
  assertMatch(
    err,
    /^lock_folder_util: \S+lock\.log could not be written: .*; it lacks "a released", which was done all the same\n$/,
  );
});

test("release tells of the line that the log lacks", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  await Deno.remove(folder.log);
  await Deno.mkdir(folder.log);
  const { code, err } = await folder.run(["release", "--slug", "a"]);
  assertEquals(code, 0);
  assertMatch(err, /it lacks "a released"/);
  assertEquals(await folder.has(".tmp/lock.lock"), false);
});

test("a variable that is not UTF-8 is a usage error, not a defect", async () => {
  await using folder = await LockFolder.make();
  const line = `LOCK_FOLDER_DIR=$(printf '\\377') "$PROGRAM" run --slug a -- true`;
  const { code, err } = await runCommand("sh", ["-c", line], {
    cwd: folder.root,
    env: { PROGRAM },
  });
  assertEquals(code, 64);
  assertMatch(err, /^lock_folder_util: LOCK_FOLDER_DIR in the environment: it is not UTF-8\n$/);
});

test("run within run says so in JSON to who asked for JSON", async () => {
  await using folder = await LockFolder.make();
  const inner = [PROGRAM, "run", "--slug", "b", "--json", "--", "true"];
  const { err } = await folder.run(["run", "--slug", "a", "--", ...inner]);
  const { event, slug, fence } = JSON.parse(err);
  assertEquals([event, slug, fence], ["inside", "a", 1]);
});

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

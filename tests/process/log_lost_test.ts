/** Lines that the log should have had: whatever it lacks, the lock goes back, and a person is told. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { test } from "./needs.ts";

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

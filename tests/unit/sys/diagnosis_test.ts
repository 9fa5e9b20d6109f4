import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { denoDiagnosis } from "../../../lib/sys/deno/diagnosis.ts";
import { mountOf } from "../../../lib/sys/deno/files/mounts.ts";
import { temporaryFolder } from "../temporary_folder.ts";

Deno.test("mountOf() gives what is mounted, and on top", () => {
  const mounts = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n" +
    "2 1 0:5 / /mnt/a\\040b rw shared:1 - fuse.sshfs host:/x\\040y rw\n";
  assertEquals(mountOf(mounts, "/mnt/a b/c"), { type: "fuse.sshfs", source: "host:/x y" });
  assertEquals(mountOf(mounts, "/mnt/a"), { type: "ext4", source: "/dev/sda1" });
});

Deno.test("space() tells what is free, and nothing of what is not there", async () => {
  await using folder = await temporaryFolder();
  const space = await denoDiagnosis.space(folder.path);
  assertEquals(typeof space?.freeBytes, "number");
  assertEquals(await denoDiagnosis.space(`${folder.path}/missing`), null);
});

Deno.test({
  name: "inotifyLimit() reads the limits that every Linux has",
  ignore: Deno.build.os !== "linux",
  fn: async () => assertGreaterOrEqual(await denoDiagnosis.inotifyLimit() ?? NaN, 0),
});

Deno.test({
  name: "startCopy() talks in lines with another process, until it is killed",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const copy = await denoDiagnosis.startCopy({ program: "cat", args: [] });
    await copy.say("one");
    await copy.say("two");
    assertEquals([await copy.hear(), await copy.hear()], ["one", "two"]);
    const waiting = copy.hear();
    await copy.kill();
    assertEquals(await waiting, null);
    assertEquals(await copy.hear(), null);
    await copy.say("nobody hears this");
  },
});

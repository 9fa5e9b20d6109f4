/** What a skipped test says of what it lacks. */

import { assertEquals } from "@std/assert";
import { missingOf, needProgram, POSIX, test } from "./needs.ts";

test("a need names what is missing, not the shell that looked for it", async () => {
  const takes = "/dev/nonesuch";
  for (const program of ["sh", "no-such-program"]) {
    assertEquals(await needProgram(program, ["-c", "test -e /dev/nonesuch"], takes), {
      missing: "it takes /dev/nonesuch",
    });
  }
  assertEquals(await needProgram("sh", ["-c", ":"], takes), { missing: null });
  assertEquals(await needProgram("sh", ["-c", "exit 1"]), { missing: "sh does not work here" });
  assertEquals(await needProgram("no-such-program", []), {
    missing: "there is no no-such-program here",
  });
});

test("a test that lacks several things names each, once", () => {
  const [root, rclone] = [{ missing: "it takes root" }, { missing: "there is no rclone here" }];
  assertEquals(missingOf([POSIX, root, rclone, root]), "it takes root; there is no rclone here");
  assertEquals(missingOf([POSIX]), null);
  return Promise.resolve();
});

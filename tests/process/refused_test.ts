/** Systems that refuse a program what most may have: signals, threads, processes. */

import { assertEquals, assertLess } from "@std/assert";
import { exists, LockFolder } from "./lock_folder.ts";
import { needProgram, POSIX, test } from "./needs.ts";
import { PROGRAM, runCommand } from "./program.ts";

const STRACE = await needProgram("strace", ["-e", "trace=none", "true"], "a strace that may trace");

test("a program that may send no signal runs its command, and gives the lock back", async () => {
  await using folder = await LockFolder.make();
  const strace = ["-f", "-o", "/dev/null", "-e", "trace=kill", "-e", "inject=kill:error=EPERM"];
  const run = [PROGRAM, "run", "--slug", "a", "--", "echo", "ran"];
  const { code, out, err } = await runCommand("strace", [...strace, ...run], { cwd: folder.root });
  assertEquals([code, out, err], [0, "ran\n", ""]);
  await folder.assertFree();
}, [POSIX, STRACE]);

test("wherever no more threads and processes can be had, no lock is left", async () => {
  await using folder = await LockFolder.make();
  const calls = "clone,clone3";
  for (let nth = 1;; nth++) {
    const inject = [`trace=${calls}`, `inject=${calls}:error=EAGAIN:when=${nth}+`];
    const strace = ["-f", "-o", "/dev/null", ...inject.flatMap((one) => ["-e", one])];
    const run = [PROGRAM, "run", "--slug", "a", "--", "true"];
    const { code, err } = await runCommand("strace", [...strace, ...run], { cwd: folder.root });
    assertEquals(await exists(folder.lock), false, `${nth}: ${code}, ${err}`);
    if (code === 0) break;
    assertLess(nth, 100, "it goes on failing");
  }
}, [POSIX, STRACE]);

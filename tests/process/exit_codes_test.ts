/** Every row of the table of exit codes. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";

/** Runs a shell line under the lock, and sees to it that the lock is free afterwards. */
async function statusOf(script: string): Promise<number> {
  await using folder = await LockFolder.make();
  const { code, err } = await folder.run(["run", "--slug", "a", "--", ...shell(script)]);
  assertEquals(err, "");
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
  return code;
}

test("0: run passes on the success of its command", async () => {
  assertEquals(await statusOf("exit 0"), 0);
});

test("n: run passes on the status of its command", async () => {
  assertEquals(await statusOf("exit 7"), 7);
  assertEquals(await statusOf("exit 255"), 255);
});

test("128+n: run passes on the status of a command killed by a signal", async () => {
  assertEquals(await statusOf("kill -9 $$"), 137);
  assertEquals(await statusOf("kill -TERM $$"), 143);
  assertEquals(await statusOf("kill -INT $$"), 130);
});

test("128+n: run releases after a command killed by a real-time signal", async () => {
  assertEquals(await statusOf("kill -40 $$"), 168);
}, [LINUX]);

test("126: a command that is not executable is named, and the lock released", async () => {
  await using folder = await LockFolder.make();
  await folder.write("plain.txt", "not a program\n");
  const { code, err } = await folder.run(["run", "--slug", "a", "--", "./plain.txt"]);
  assertEquals(code, 126);
  assertMatch(err, /^lock_folder_util: \.\/plain\.txt: cannot be executed: .*released\n$/);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("126: a folder is not executable", async () => {
  await using folder = await LockFolder.make();
  const { code } = await folder.run(["run", "--slug", "a", "--", "./.tmp"]);
  assertEquals(code, 126);
  await folder.assertFree();
});

test("127: a command that does not exist is told before the wait", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h");
  const { code, err } = await folder.run(["run", "--slug", "a", "--", "no-such-command"]);
  assertEquals(code, 127);
  assertMatch(err, /^lock_folder_util: no-such-command: command not found; the lock was not taken/);
  await holder.letGo();
  await holder.finish();
  assertEquals(await folder.events(), ["h acquired", "h released"]);
});

test("127: a script whose interpreter is missing is named, and the lock released", async () => {
  await using folder = await LockFolder.make();
  await folder.write("script", "#!/no/such/interpreter\n");
  await Deno.chmod(`${folder.root}/script`, 0o755);
  const { code, err } = await folder.run(["run", "--slug", "a", "--", "./script"]);
  assertEquals(code, 127);
  assertMatch(err, /^lock_folder_util: \.\/script: command not found .*released\n$/);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("1: release is refused to whoever is not the holder", async () => {
  await using folder = await LockFolder.make();
  assertEquals((await folder.run(["acquire", "--slug", "a"])).code, 0);
  assertEquals((await folder.run(["release", "--slug", "b"])).code, 1);
  assertEquals((await folder.run(["release", "--slug", "a"])).code, 0);
  assertEquals((await folder.run(["release", "--slug", "a"])).code, 1);
});

test("64: a wrong command line is refused, and nothing is touched", async () => {
  await using folder = await LockFolder.make();
  const { code, out, err } = await folder.run(["acquire", "--slug", "a", "--pol", "3"]);
  assertEquals(code, 64);
  assertEquals(out, "");
  assertMatch(err, /^lock_folder_util: unknown flag --pol; did you mean --poll\?.*\n$/);
  assertEquals(await folder.logLines(), []);
});

test("74: a lock that holds something is not given back", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  await Deno.writeTextFile(`${folder.lock}/x`, "");
  const { code, err } = await folder.run(["release", "--slug", "a"]);
  assertEquals(code, 74);
  assertEquals(err.split("\n").length, 2);
});

test("75: acquire gives up when its time is over", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  const { code } = await folder.run(["acquire", "--slug", "b", "--timeout", "0.1"]);
  assertEquals(code, 75);
  assertMatch((await folder.events()).at(-1)!, /^b gave_up waited=0s reason=timeout$/);
});

test("--conflict-exit-code replaces 75 alone", async () => {
  await using folder = await LockFolder.make();
  const flags = ["--timeout", "0", "--conflict-exit-code", "99"];
  const run = await folder.run(["run", "--slug", "a", ...flags, "--", ...shell("exit 75")]);
  assertEquals(run.code, 75);
  await folder.run(["acquire", "--slug", "a"]);
  assertEquals((await folder.run(["acquire", "--slug", "b", ...flags])).code, 99);
  assertEquals((await folder.run(["run", "--slug", "b", ...flags, "--", "true"])).code, 99);
  assertEquals(
    (await folder.run(["acquire", "--dir", "nowhere", "--slug", "b", ...flags])).code,
    78,
  );
});

test("a command is found where shells look for who has no PATH, and is 127 where it is not", async () => {
  await using folder = await LockFolder.make();
  const place = { onlyThisEnv: true, env: {} };
  const run = (...command: string[]) => folder.run(["run", "--slug", "a", "--", ...command], place);
  const found = await run("env");
  assertEquals(found.code, 0, found.err);
  assertMatch(found.out, /^LOCK_FOLDER_SLUG=a$/m);
  assertEquals(/^PATH=/m.test(found.out), false, "nothing is added for it");
  assertEquals((await run("no-such-command-here")).code, 127);
});

test("64: a wrong --conflict-exit-code beside another failure is no defect", async () => {
  await using folder = await LockFolder.make();
  const flags = ["--slug", "a", "--conflict-exit-code", "999"];
  const { code, err } = await folder.run(["run", "--dir", "@git", ...flags, "--", "true"]);
  assertEquals(code, 78, err);
  assertMatch(err, /^lock_folder_util: --dir @git names no folder[^\n]*\n$/);
});

test("78: the lock folder is missing", async () => {
  await using folder = await LockFolder.make();
  for (const name of ["acquire", "run", "release"]) {
    const command = name === "run" ? ["--", "true"] : [];
    const args = [name, "--slug", "a", "--dir", "/nonexistent", ...command];
    const { code, err } = await folder.run(args);
    assertEquals(code, 78);
    assertEquals(
      err.startsWith(
        "lock_folder_util: lock dir /nonexistent is not a writable directory; it does not exist: ",
      ),
      true,
      err,
    );
  }
});

test("127: a command that is one word with blanks is told how to say it", async () => {
  await using folder = await LockFolder.make();
  const { code, err } = await folder.run(["run", "--slug", "a", "--", "make all"]);
  assertEquals(code, 127);
  assertMatch(err, /^lock_folder_util: make all: command not found; .*say sh -c 'make all'\n$/);
});

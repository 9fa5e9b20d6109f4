/** The compiled program as a thing on a disk: what it needs, what it leaves, what it trusts. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, namesIn } from "./lock_folder.ts";
import { needProgram, needUnprivileged, test, unprivileged } from "./needs.ts";
import { PROGRAM, projectFolder, runCommand, runProgram } from "./program.ts";

const PATH = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };

async function versionInProject(): Promise<string> {
  return JSON.parse(await Deno.readTextFile(`${projectFolder()}/deno.json`)).version;
}

test("--version is that of deno.json, and the run-time's only with --verbose", async () => {
  const ours = `lock_folder_util ${await versionInProject()}\n`;
  assertEquals(await runProgram(["--version"]), { code: 0, out: ours, err: "" });
  const { code, out } = await runProgram(["--version", "--verbose"]);
  assertEquals(code, 0);
  assertEquals(out.startsWith(ours), true);
  assertMatch(out.slice(ours.length), /^deno \d+\.\d+\.\d+\n$/);
}, []);

test("--help is for people and goes to standard output", async () => {
  for (const args of [["--help"], ["-h"], ["help"]]) {
    const { code, out, err } = await runProgram(args);
    assertEquals([code, err], [0, ""]);
    for (const word of ["run", "acquire", "release", "Exit codes", "LOCK_FOLDER_DIR"]) {
      assertEquals(out.includes(word), true, word);
    }
  }
}, []);

test("acquire and release work where there is no shell", async () => {
  await using folder = await LockFolder.make();
  assertEquals((await folder.run(["acquire", "--slug", "a"])).code, 0);
  assertEquals((await folder.run(["acquire", "--slug", "b", "--timeout", "0"])).code, 75);
  assertEquals((await folder.run(["release", "--slug", "a"])).code, 0);
  assertEquals(await folder.events(), [
    "a acquired",
    "b gave_up waited=0s reason=timeout",
    "a released",
  ]);
  await folder.assertFree();
}, []);

test("the program runs with an environment that is empty but for PATH", async () => {
  await using folder = await LockFolder.make();
  const found = await folder.run(["run", "--slug", "a", "--", "true"], {
    env: PATH,
    onlyThisEnv: true,
  });
  assertEquals(found, { code: 0, out: "", err: "" });
  await folder.assertFree();
});

test("the program runs with HOME and TMPDIR missing", async () => {
  await using folder = await LockFolder.make();
  const env = { ...PATH, HOME: "/nonexistent/home", TMPDIR: "/nonexistent/tmp" };
  const found = await folder.run(["run", "--slug", "a", "--", "true"], { env, onlyThisEnv: true });
  assertEquals(found, { code: 0, out: "", err: "" });
  await folder.assertFree();
});

test("the program runs with HOME and TMPDIR read-only", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(`${folder.root}/home`, { mode: 0o555 });
  await Deno.chmod(folder.root, 0o755);
  await Deno.chmod(folder.dir, 0o777);
  const home = `${folder.root}/home`;
  const [program, args] = unprivileged([PROGRAM, "run", "--slug", "a", "--", "true"]);
  const found = await runCommand(program, args, {
    cwd: folder.root,
    env: { ...PATH, HOME: home, TMPDIR: home },
    onlyThisEnv: true,
  });
  assertEquals(found, { code: 0, out: "", err: "" });
}, [await needUnprivileged(PROGRAM)]);

test("the program leaves nothing anywhere but in the lock folder", async () => {
  await using folder = await LockFolder.make();
  const home = `${folder.root}/home`;
  await Deno.mkdir(home);
  const env = { ...PATH, HOME: home, TMPDIR: home, XDG_CACHE_HOME: home, DENO_DIR: home };
  for (
    const args of [
      ["run", "--slug", "a", "--", "true"],
      ["run", "--slug", "a", "--", "no-such-command"],
      ["acquire", "--slug", "a"],
      ["acquire", "--slug", "b", "--timeout", "0.1"],
      ["release", "--slug", "a"],
      ["--version"],
      ["rum"],
    ]
  ) await folder.run(args, { env, onlyThisEnv: true });
  assertEquals(await namesIn(home), []);
  assertEquals(await namesIn(folder.root), [".tmp", "home"]);
  assertEquals(await namesIn(folder.dir), ["lock.log", "lock.state"]);
  await folder.assertFree();
});

test("a planted code cache is not even opened", async () => {
  await using folder = await LockFolder.make();
  const name = PROGRAM.slice(PROGRAM.lastIndexOf("/") + 1);
  const planted = `${folder.root}/deno-compile-${name}.cache`;
  // Whoever opens a named pipe that nobody writes to waits for ever.
  await runCommand("mkfifo", [planted]);
  const env = { TMPDIR: folder.root };
  const { code } = await folder.run(["run", "--slug", "a", "--", "true"], { env });
  assertEquals(code, 0);
  assertEquals((await Deno.lstat(planted)).isFifo, true);
}, [await needProgram("mkfifo", ["--version"])]);

test("a folder with code in it changes nothing: no configuration is read from where it runs", async () => {
  await using folder = await LockFolder.make();
  await folder.write("deno.json", "{ not json");
  await folder.write(".env", "LOCK_FOLDER_DIR=/nonexistent\n");
  await folder.write("package.json", "{ not json");
  const found = await folder.run(["run", "--slug", "a", "--", "true"]);
  assertEquals(found, { code: 0, out: "", err: "" });
});

test("the program works with its standard streams closed", async () => {
  await using folder = await LockFolder.make();
  const script = '"$L" run --slug a -- sh -c "exit 9" <&- >&- 2>&-; echo "status $?" > status';
  await runCommand("sh", ["-c", script], { cwd: folder.root, env: { L: PROGRAM } });
  assertEquals(await folder.read("status"), "status 9\n");
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("a reader that has gone costs neither the lock nor the status", async () => {
  await using folder = await LockFolder.make();
  const run = '"$L" run --slug a -- sh -c "sleep 0.1; exit 7"';
  const script =
    `{ ${run}; echo $? > status; "$L" run --slug a --max-hold 0.1 -- sleep 300; } 2>&1 | true; cat status`;
  const { out } = await runCommand("sh", ["-c", script], {
    cwd: folder.root,
    env: { L: PROGRAM },
  });
  assertEquals(out, "7\n");
  assertEquals((await folder.events()).length, 5);
  await folder.assertFree();
});

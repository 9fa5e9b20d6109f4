/** `--die-with-parent`: the caller is gone, and with it what it asked for. By what stood between them. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { LINUX, needProgram, test } from "./needs.ts";
import { eventually, PROGRAM, runCommand, startCommand, type Started } from "./program.ts";

/** A shell that calls us, and stays between us and whoever started it. */
function callsFrom(folder: LockFolder, call: string): Started {
  return startCommand("sh", ["-c", `${call} & echo $! > called.pid; wait $!; true`], {
    cwd: folder.root,
    env: { L: PROGRAM },
  });
}

const RUN = '"$L" run --slug a --die-with-parent';

async function kill(caller: Started): Promise<void> {
  caller.signal("SIGKILL");
  await caller.ended;
}

async function ends(folder: LockFolder): Promise<void> {
  const pid = Number(await folder.read("called.pid"));
  await eventually("the program has ended", async () => {
    return await Deno.readTextFile(`/proc/${pid}/environ`).catch(() => "") === "";
  });
}

test("a wait ends with its caller, its place is kept, and its command is never run", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h");
  await using caller = callsFrom(folder, `${RUN} -- touch ran 2> err`);
  await folder.waiters(1);
  await kill(caller);
  await ends(folder);
  assertMatch(
    await folder.read("err"),
    /pid \d+, which called, is gone \(--die-with-parent\): gave/,
  );
  const { queue, absent } = JSON.parse((await folder.run(["status", "--json"])).out);
  assertEquals([queue.length, absent.length], [0, 1]);
  await holder.letGo();
  assertEquals(await folder.has("ran"), false);
}, [LINUX]);

test("a command ends with its caller, its grandchildren before the lock goes back", async () => {
  await using folder = await LockFolder.make();
  const grandchild = "trap '[ -d .tmp/lock.lock ] && : > held-then; exit' TERM; : > runs; " +
    "while :; do sleep 0.05; done";
  const command = `sh -c 'sh -c "${grandchild.replaceAll("'", `'\\''`)}" & wait; true'`;
  await using caller = callsFrom(folder, `${RUN} -- ${command} 2> err`);
  await folder.appears("runs");
  await kill(caller);
  await ends(folder);
  assertEquals(await folder.has("held-then"), true);
  assertMatch(await folder.read("err"), /the process that called is gone .*the command was ended/);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
}, [LINUX]);

test("without --die-with-parent a command outlives its caller", async () => {
  await using folder = await LockFolder.make();
  const command = "sh -c ': > runs; until [ -e go ]; do sleep 0.02; done; : > ran'";
  await using caller = callsFrom(folder, `"$L" run --slug a -- ${command}`);
  await folder.appears("runs");
  await kill(caller);
  await folder.write("go", "");
  await folder.appears("ran");
  await ends(folder);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
}, [LINUX]);

/** What may stand between a caller and us: it is killed, and we end. */
const BETWEEN: Readonly<Record<string, string>> = {
  "a shell": 'sh -c "$RUN; true"',
  "timeout": "timeout 300 $RUN",
  "nohup": 'sh -c "nohup $RUN; true"',
  "setsid": 'sh -c "setsid $RUN; true"',
};

for (const [what, call] of Object.entries(BETWEEN)) {
  test(`--die-with-parent sees the end of what called: ${what}`, async () => {
    await using folder = await LockFolder.make();
    const command = "sh -c 'echo $$ > command.pid; : > runs; sleep 300; true'";
    await folder.write("command.sh", `${command}\n`);
    const run = `${PROGRAM} run --slug a --die-with-parent -- sh command.sh`;
    await using caller = startCommand("sh", ["-c", `exec ${call.replaceAll("$RUN", run)}`], {
      cwd: folder.root,
    });
    await folder.appears("runs");
    await kill(caller);
    await eventually("the lock is free", async () => !await folder.has(".tmp/lock.lock"));
    assertEquals(await folder.events(), ["a acquired", "a released"]);
  }, [LINUX]);
}

test("--die-with-parent sees that a subreaper has taken us in", async () => {
  await using folder = await LockFolder.make();
  const reaper = [
    "import ctypes, os, subprocess, sys, time",
    "ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)",
    "caller = subprocess.Popen(['sh', '-c', sys.argv[1]])",
    "while not os.path.exists('runs'): time.sleep(0.02)",
    "caller.kill(); caller.wait()",
    "while os.path.exists('.tmp/lock.lock'): time.sleep(0.02)",
  ].join("\n");
  const run =
    `${PROGRAM} run --slug a --die-with-parent -- sh -c ': > runs; sleep 300; true'; true`;
  const { code, err } = await runCommand("python3", ["-c", reaper, run], { cwd: folder.root });
  assertEquals(code, 0, err);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
}, [LINUX, await needProgram("python3", ["-c", "pass"], "python3")]);

test("as PID 1 of a container we run until the container ends, whoever called", async () => {
  await using folder = await LockFolder.make();
  const inside = ["unshare", "--pid", "--fork", "--mount-proc", PROGRAM];
  const command = ["run", "--slug", "a", "--die-with-parent", "--", "sh", "-c"];
  await using caller = startCommand("sh", [
    "-c",
    '"$@"; true',
    "sh",
    ...inside,
    ...command,
    ": > runs; until [ -e go ]; do sleep 0.02; done",
  ], { cwd: folder.root });
  await folder.appears("runs");
  await kill(caller);
  await folder.write("go", "");
  await eventually("the lock is free", async () => !await folder.has(".tmp/lock.lock"));
  assertEquals(await folder.events(), ["a acquired", "a released"]);
}, [LINUX, await needProgram("unshare", ["--pid", "--fork", "--mount-proc", "true"], "root")]);

/** Signals that reach the program, its command, or both. Terminals have a file of their own. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, type LockFolder as Folder, shell } from "./lock_folder.ts";
import { LINUX, needProgram, POSIX, test } from "./needs.ts";
import {
  eventually,
  type Outcome,
  type Place,
  PROGRAM,
  runCommand,
  startCommand,
  type Started,
} from "./program.ts";

/** Runs in a loop, since a shell looks at its traps only between two commands. */
const UNTIL_GO = "until [ -e go ]; do sleep 0.02; done";

/** Starts a command under the lock and waits until it has set its traps. */
async function startScript(folder: Folder, script: string): Promise<Started> {
  const started = folder.start(["run", "--slug", "a", "--", ...shell(script)]);
  await folder.appears("runs");
  return started;
}

async function assertStillHeld(folder: Folder): Promise<void> {
  const probe = await folder.run(["acquire", "--slug", "probe", "--timeout", "0"]);
  assertEquals(probe.code, 75, "the lock must stay held until the command has ended");
}

for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const) {
  const name = signal.slice(3);
  test(`run passes ${name} on to its command, and holds on until that has ended`, async () => {
    await using folder = await LockFolder.make();
    await using run = await startScript(
      folder,
      `trap ': > got' ${name}; : > runs; ${UNTIL_GO}; exit 9`,
    );
    run.signal(signal);
    await folder.appears("got");
    await assertStillHeld(folder);
    await folder.write("go", "");
    assertEquals((await run.finish()).code, 9);
    assertEquals((await folder.events()).filter((line) => line.startsWith("a ")), [
      "a acquired",
      "a released",
    ]);
    await folder.assertFree();
  });
}

test("run ends with 128+n where the signal passed on ends the command", async () => {
  await using folder = await LockFolder.make();
  await using run = await startScript(folder, ": > runs; exec sleep 300");
  run.signal("SIGTERM");
  assertEquals((await run.finish()).code, 143);
  await folder.assertFree();
});

test("run releases once after INT, then TERM, when the command has cleaned up", async () => {
  await using folder = await LockFolder.make();
  await using run = await startScript(
    folder,
    `trap ': > int; ${UNTIL_GO}; exit 3' INT; trap ': > term' TERM; : > runs; ${UNTIL_GO}`,
  );
  run.signal("SIGINT");
  await folder.appears("int");
  run.signal("SIGTERM");
  await folder.appears("term");
  await assertStillHeld(folder);
  await folder.write("go", "");
  assertEquals((await run.finish()).code, 3);
  assertEquals((await folder.events()).filter((line) => line === "a released").length, 1);
  await folder.assertFree();
});

test("run stays for as long as a command that ignores TERM", async () => {
  await using folder = await LockFolder.make();
  await using run = await startScript(folder, `trap '' TERM; : > runs; ${UNTIL_GO}`);
  run.signal("SIGTERM");
  run.signal("SIGTERM");
  await assertStillHeld(folder);
  assertEquals(run.over, false);
  await folder.write("go", "");
  assertEquals((await run.finish()).code, 0);
  await folder.assertFree();
});

test("a command started under nohup lives on after HUP", async () => {
  await using folder = await LockFolder.make();
  const script = `: > runs; ${UNTIL_GO}; : > done`;
  await using run = folder.start(["run", "--slug", "a", "--", "nohup", ...shell(script)]);
  await folder.appears("runs");
  run.signal("SIGHUP");
  await assertStillHeld(folder);
  await folder.write("go", "");
  assertEquals((await run.finish()).code, 0);
  assertEquals(await folder.has("done"), true);
});

test("a program started under nohup keeps its command alive after HUP to both", async () => {
  await using folder = await LockFolder.make();
  const script = `: > runs; ${UNTIL_GO}; : > done`;
  const line = `nohup "$PROGRAM" run --slug a -- sh -c '${script}'`;
  await using run = startCommand("sh", ["-c", `${line} & wait`], {
    cwd: folder.root,
    env: { PROGRAM },
  });
  await folder.appears("runs");
  // As a terminal that hangs up does: to the whole group. The shell that started it goes.
  Deno.kill(-run.pid, "SIGHUP");
  await eventually("the shell has gone", () => run.over);
  await assertStillHeld(folder);
  await folder.write("go", "");
  await folder.appears("done");
  // It ends a moment after its log says so, and until then the test would leave a pipe half read.
  await run.finish();
  assertEquals((await folder.events()).at(-1), "a released");
});

test("a signal to program and command at once ends the command, and the lock goes back", async () => {
  await using folder = await LockFolder.make();
  // As a terminal and `timeout` do it. Which of the two hears of it first is chance: so, many times.
  for (let round = 0; round < 30; round++) {
    const signal = round % 2 === 0 ? "SIGINT" : "SIGTERM";
    await using run = await startScript(folder, ": > runs; exec sleep 300");
    Deno.kill(-run.pid, signal);
    assertEquals((await run.finish()).code, signal === "SIGINT" ? 130 : 143, `round ${round}`);
    await Deno.remove(`${folder.root}/runs`);
    await folder.assertFree();
  }
});

test("TERM at any moment of the beginning leaves nothing that keeps the next one waiting", async () => {
  await using folder = await LockFolder.make();
  for (let delayMs = 0; delayMs <= 60; delayMs += 6) {
    await using run = folder.start(["run", "--slug", "a", "--", "sleep", "300"]);
    // Not an event to wait for: the very point is to hit different moments.
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    run.signal("SIGTERM");
    await run.finish();
    const next = await folder.run(["run", "--slug", "next", "--timeout", "20", "--", "true"]);
    assertEquals(next.code, 0, next.err);
  }
  await folder.assertFree();
});

const STRACE = await needProgram("strace", ["-e", "trace=none", "true"], "a strace that may trace");

/**
 * Runs the program, and sends it a signal in the very call in which it opens the file with the fence numbers:
 * the lock is made then, and nothing says yet whose it is.
 */
async function runSignalledInClaim(
  folder: Folder,
  signal: string,
  args: readonly string[],
  place: Place = {},
): Promise<Outcome> {
  await folder.run(["run", "--slug", "before", "--", "true"]);
  const atFence = ["-P", `${folder.state}/fence`, "-e", "trace=openat"];
  const inject = ["-e", `inject=openat:signal=${signal}:when=1`];
  const strace = ["-f", "-o", "/dev/null", ...atFence, ...inject];
  return await runCommand("strace", [...strace, PROGRAM, ...args], { cwd: folder.root, ...place });
}

for (const signal of ["TERM", "INT", "HUP"] as const) {
  const code = { HUP: 129, INT: 130, TERM: 143 }[signal];
  for (const [command, ...rest] of [["run", "--", "sleep", "300"], ["acquire"]]) {
    test(`${command} gives back what it has just been granted when ${signal} comes`, async () => {
      await using folder = await LockFolder.make();
      const args = [command!, "--slug", "a", ...rest];
      const ended = await runSignalledInClaim(folder, `SIG${signal}`, args);
      assertEquals(
        [ended.code, ended.err],
        [
          code,
          `lock_folder_util: ended by SIG${signal} on the way to ${folder.lock}; ` +
          "nothing was run, and nothing is held\n",
        ],
      );
      assertEquals((await folder.events()).slice(2), ["a acquired", "a released"]);
      await folder.assertFree();
    }, [POSIX, STRACE]);
  }
}

test("TERM in the very mkdir that grants the lock gives it back", async () => {
  await using folder = await LockFolder.make();
  const atLock = ["-P", folder.lock, "-e", "trace=mkdir"];
  const inject = ["-e", "inject=mkdir:signal=SIGTERM:when=1"];
  const strace = ["-f", "-o", "/dev/null", ...atLock, ...inject];
  const run = [PROGRAM, "run", "--slug", "a", "--", "sleep", "300"];
  const { code } = await runCommand("strace", [...strace, ...run], { cwd: folder.root });
  assertEquals(code, 143);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
}, [POSIX, STRACE]);

test("a command's status is known even where children's ends are ignored", async () => {
  await using folder = await LockFolder.make();
  const perl = '$SIG{CHLD} = "IGNORE"; exec @ARGV';
  const ignoring = (
    ...words: string[]
  ) => ["-e", perl, PROGRAM, "run", "--slug", "a", "--", ...words];
  for (const ended of ["exit 0", "sleep 0.1; exit 3"]) {
    const { code } = await runCommand("perl", ignoring("sh", "-c", ended), { cwd: folder.root });
    assertEquals(code, Number(ended.at(-1)), ended);
  }
}, [LINUX, await needProgram("perl", ["-e", "1"])]);

test("a file that may not grow costs the hold, not the lock", async () => {
  await using folder = await LockFolder.make();
  const { code, out } = await runCommand("sh", [
    "-c",
    'ulimit -f 0; "$PROGRAM" run --slug a -- true',
  ], {
    cwd: folder.root,
    env: { PROGRAM },
  });
  assertEquals([code, out], [74, ""]);
  await folder.assertFree();
});

/** Signals 32 and 33 are the C library's own: any program that it starts from threads ignores them. */
const REAL_SIGNALS = (1n << 31n) - 1n;

test("a command ignores just what its wrapper was told to ignore", async () => {
  await using folder = await LockFolder.make();
  const run = '"$PROGRAM" run --slug a -- grep SigIgn /proc/self/status';
  const bare = "grep SigIgn /proc/self/status";
  for (const ignored of ["", "HUP", "INT QUIT", "HUP INT TERM USR1"]) {
    const trap = ignored === "" ? ":" : `trap '' ${ignored}`;
    const asked = await runCommand("sh", ["-c", `${trap}; ${bare}; ${run}`], {
      cwd: folder.root,
      env: { PROGRAM },
    });
    const [without, under] = asked.out.trim().split("\n").map((line) =>
      BigInt(`0x${line.slice(-16)}`) & REAL_SIGNALS
    );
    assertEquals(under, without, `ignored: ${ignored}`);
  }
}, [POSIX, LINUX]);

test("TERM to a program that ignores HUP, in its claim, gives the lock back", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["run", "--slug", "before", "--", "true"]);
  const atFence = `-P '${folder.state}/fence' -e trace=openat`;
  const inject = "-e inject=openat:signal=SIGTERM:when=1";
  const line = `trap '' HUP; strace -f -o /dev/null ${atFence} ${inject} ` +
    '"$PROGRAM" run --slug a -- sleep 300';
  const ended = await runCommand("sh", ["-c", line], { cwd: folder.root, env: { PROGRAM } });
  assertEquals(ended.code, 143);
  assertEquals((await folder.events()).slice(2), ["a acquired", "a released"]);
  await folder.assertFree();
}, [POSIX, STRACE]);

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1"] as const) {
  test(`${signal} while waiting ends the program by that signal, out of the line`, async () => {
    await using folder = await LockFolder.make();
    await using a = await folder.hold("a");
    await using b = folder.startHolding("b");
    await folder.waiters(1);
    b.program.signal(signal);
    const { err } = await b.program.finish();
    assertEquals(await b.program.signalled, signal);
    assertMatch(err, new RegExp(`ended by ${signal} on the way to .*; nothing was run, .*\n$`));
    await folder.waiters(0);
    await a.finish();
    await folder.assertFree();
  });
}

test("a waiter goes on ignoring what it was told to ignore", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const line = `trap '' HUP; exec "$PROGRAM" run --slug b -- true`;
  await using b = startCommand("sh", ["-c", line], { cwd: folder.root, env: { PROGRAM } });
  await folder.waiters(1);
  b.signal("SIGHUP");
  b.signal("SIGHUP");
  await a.finish();
  assertEquals((await b.finish()).code, 0);
});

test("TERM while waiting gives the place in line up: who comes later is served", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await using b = folder.startHolding("b");
  await folder.waiters(1);
  await using c = folder.startHolding("c");
  await folder.waiters(2);
  b.program.signal("SIGTERM");
  await b.program.finish();
  await folder.waiters(1);
  await a.finish();
  await c.finish();
  assertEquals(await folder.events(), ["a acquired", "a released", "c acquired", "c released"]);
  await folder.assertFree();
});

test("run does not wait for what its command left in the background", async () => {
  await using folder = await LockFolder.make();
  const script = "sleep 300 > /dev/null 2>&1 & exit 4";
  await using run = folder.start(["run", "--slug", "a", "--", ...shell(script)]);
  assertEquals((await run.finish()).code, 4);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("ALRM goes on to the command, as a time limit set by whoever started both", async () => {
  await using folder = await LockFolder.make();
  await using run = await startScript(folder, ": > runs; exec sleep 300");
  run.signal("SIGALRM");
  assertEquals((await run.finish()).code, 142);
  await folder.assertFree();
});

/** What is typed and what is said. */

import { assert, assertEquals, assertLess, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";
import { PROGRAM, runCommand } from "./program.ts";

test("everything after the first -- is the command's own", async () => {
  await using folder = await LockFolder.make();
  const args = ["--slug", "b", "--help", "--", "-h", "--version", "", " "];
  const { code, out } = await folder.run(["run", "--slug", "a", "--", "echo", ...args]);
  assertEquals(code, 0);
  assertEquals(out, `${args.join(" ")}\n`);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
});

const WRONG_LINES: readonly [string[], RegExp][] = [
  [["run", "--slug", "--poll", "1", "--", "true"], /--slug/],
  [["acquire", "--slug"], /--slug needs a value/],
  [["run", "--slug", "a", "--slug", "b", "--", "true"], /--slug is given twice/],
  [
    ["run", "--slug", "a", "--timeout", "abc", "--", "true"],
    /--timeout "abc" is no duration: .*none/,
  ],
  [["run", "--slug", "a", "--timeout=-1", "--", "true"], /--timeout "-1" is no duration/],
  [["run", "--slug", "a", "--poll", "0", "--", "true"], /--poll 0 is too short: at least 10ms/],
  [["run", "--slug", "a", "--pol", "3", "--", "true"], /--pol; did you mean --poll\?/],
  [["run", "--slug", "a", "true"], /unexpected "true".*after --/],
  [["run", "--slug", "a"], /run needs a command after --/],
  [["run", "--slug", "a", "--"], /run needs a command after --/],
  [["run", "--", "true"], /--slug is missing/],
  [["rum"], /unknown command "rum"; did you mean run\?/],
  [["acquire", "--slug", "a", "--conflict-exit-code", "256"], /--conflict-exit-code "256"/],
  [["acquire", "--slug", "x\n2026-01-01T00:00:00Z root released"], /1 to 64 visible characters/],
  [["acquire", "--slug", "x acquired"], /1 to 64 visible characters/],
  [["acquire", "--slug", "\x1b[2J"], /1 to 64 visible characters/],
  [["acquire", "--slug", "ab\u202ecd"], /1 to 64 visible characters/],
  [["acquire", "--slug", ""], /--slug/],
  [["acquire", "--slug", "x".repeat(300)], /1 to 64 visible characters/],
];

test("a wrong command line is told in one line and touches nothing", async () => {
  await using folder = await LockFolder.make();
  for (const [args, words] of WRONG_LINES) {
    const { code, out, err } = await folder.run(args);
    assertEquals(code, 64, `${args}: ${err}`);
    assertEquals(out, "");
    assertMatch(err, /^lock_folder_util: [\x20-\x7e…]+\n$/);
    assertMatch(err, words);
  }
  assertEquals(await Array.fromAsync(Deno.readDir(folder.dir)), []);
});

test("--json that cannot be written is 74: nothing is held, and nothing was run", async () => {
  await using folder = await LockFolder.make();
  for (const command of ["acquire --slug a --json", "run --slug a --json -- touch ran"]) {
    const [, flag, script] = shell(`"$0" ${command} 2>/dev/full`);
    const { code } = await runCommand("/bin/sh", [flag!, script!, PROGRAM], { cwd: folder.root });
    assertEquals([code, await folder.has("ran")], [74, false]);
    await folder.assertFree();
  }
}, [LINUX]);

test("--timeout 0 is one attempt, without a wait and without a wait line", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  const { code, err } = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
  assertEquals(code, 75);
  assertMatch(err, /^lock_folder_util: did not get \S+lock\.lock: held by a \(acquire, .*\n$/);
  assertEquals(err.split("\n").length, 2);
  const free = await folder.run(["acquire", "--slug", "b", "--name", "free", "--timeout", "0"]);
  assertEquals(free.code, 0);
});

test("--timeout none, and times beyond 32 bits of milliseconds, wait", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const patience: string[][] = [
    ["--timeout", "none"],
    ["--timeout", "30d", "--poll", "30d", "--stale", "90m"],
    ["--timeout", "100d", "--stale", "100d"],
  ];
  for (const [index, flags] of patience.entries()) {
    await using waiter = folder.startHolding(`w${index}`, flags);
    await waiter.program.says(/waiting/);
    if (index === 0) assertMatch(waiter.program.err, /waiting without a time limit/);
    assertEquals(waiter.program.over, false);
    if (index < patience.length - 1) continue;
    assertEquals((await a.finish()).code, 0);
    assertEquals((await waiter.finish()).code, 0);
  }
});

test("a run that gives up never starts its command, and says who holds", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const startMs = performance.now();
  const { code, err } = await folder.run([
    ...["run", "--slug", "b", "--timeout", "1", "--quiet", "--"],
    ...shell(": > ran"),
  ]);
  assertEquals(code, 75);
  const waitedMs = performance.now() - startMs;
  assert(waitedMs >= 1000, `it gave up after ${waitedMs} ms`);
  assertEquals(await folder.has("ran"), false);
  assertMatch(
    err,
    /^lock_folder_util: gave up waiting for \/\S+\/\.tmp\/lock\.lock after 1s: held by a \(run, pid \d+ on \S+\) for \d[^;]*; your place is kept until \S+Z: call again with --slug b\n$/,
  );
  assertMatch((await folder.events()).at(-1)!, /^b gave_up waited=1s reason=timeout$/);
  await a.finish();
});

test("a wait is told when it begins and when it ends", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await using b = folder.startHolding("b", ["--timeout", "10m"]);
  await b.program.says(/waiting/);
  await a.finish();
  const { err } = await b.finish();
  const [begin, end, ...rest] = err.split("\n");
  assertMatch(
    begin!,
    /^lock_folder_util: waiting for up to 10m for \/\S+\/lock\.lock: held by a \(run, pid \d+ on \S+\) .*\(since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)/,
  );
  assertMatch(end!, /^lock_folder_util: acquired \/\S+\/lock\.lock after waiting \d/);
  assertEquals(rest, [""]);
});

test("--quiet is silent about waiting", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await using b = folder.startHolding("b", ["--quiet"]);
  await folder.waiters(1);
  await a.finish();
  assertEquals(await b.finish(), { code: 0, out: "", err: "" });
});

test("run within run on one lock goes straight through", async () => {
  await using folder = await LockFolder.make();
  const inner = [PROGRAM, "run", "--slug", "b", "--timeout", "5", "--", ...shell("exit 6")];
  const startMs = performance.now();
  const { code, err } = await folder.run(["run", "--slug", "a", "--", ...inner]);
  assertEquals(code, 6);
  assertLess(performance.now() - startMs, 5000);
  assertMatch(err, /^lock_folder_util: already inside the hold of a on \S+lock\.lock; .*\n$/);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("acquire within run on one lock goes straight through", async () => {
  await using folder = await LockFolder.make();
  const inner = [PROGRAM, "acquire", "--slug", "b", "--timeout", "5", "--quiet"];
  const { code, err } = await folder.run(["run", "--slug", "a", "--", ...inner]);
  assertEquals([code, err], [0, ""]);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
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
  assertEquals([event, slug, String(fence)], ["inside", "a", await folder.fence()]);
});

test("run within run on another lock holds both, and both are inherited", async () => {
  await using folder = await LockFolder.make();
  const inmost = [PROGRAM, "run", "--slug", "c", "--timeout", "0", "--", ...shell("exit 5")];
  const inner = [PROGRAM, "run", "--slug", "b", "--name", "two", "--", ...inmost];
  const { code } = await folder.run(["run", "--slug", "a", "--", ...inner]);
  assertEquals(code, 5);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("run within run goes straight through though somebody has touched the lock", async () => {
  await using folder = await LockFolder.make();
  const inner = '"$L" run --slug b --timeout 0 -- true';
  const { code, err } = await folder.run([
    ...["run", "--slug", "a", "--stale", "3600", "--"],
    ...shell(`touch -d '1 hour ago' .tmp/lock.lock && ${inner}`),
  ], { env: { L: PROGRAM } });
  assertEquals(code, 0, err);
  assertMatch(err, /inside/);
});

test("an unusable folder is told in the same words from inside of a hold", async () => {
  await using folder = await LockFolder.make();
  await folder.write("file", "");
  const inner = [PROGRAM, "run", "--slug", "b", "--dir", "file", "--", "true"];
  const inside = await folder.run(["run", "--slug", "a", "--", ...inner]);
  const outside = await folder.run(inner.slice(1));
  assertEquals(inside, outside);
  assertEquals(inside.code, 78);
});

test("an inherited hold that is over means nothing", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["run", "--slug", "a", "--", ...shell('echo "$LOCK_FOLDER_HELD" > held')]);
  const env = { LOCK_FOLDER_HELD: (await folder.read("held")).trim() };
  await folder.run(["acquire", "--slug", "b"]);
  const { code } = await folder.run(["run", "--slug", "c", "--timeout", "0", "--", "true"], {
    env,
  });
  assertEquals(code, 75);
});

test("the command's standard input is the program's own", async () => {
  await using folder = await LockFolder.make();
  const text = "line\n".repeat(20_000);
  const { code, out } = await folder.run(["run", "--slug", "a", "--", "cat"], { stdin: text });
  assertEquals(code, 0);
  assertEquals(out.length, text.length);
});

test("the command has the program's working folder and environment", async () => {
  await using folder = await LockFolder.make();
  const { out } = await folder.run(
    ["run", "--slug", "a", "--", ...shell('pwd; echo "$COLOUR"')],
    { env: { COLOUR: "blue" } },
  );
  assertEquals(out, `${folder.root}\nblue\n`);
});

/** The lock for Deno programs, on real files. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { acquire, FolderUnusable, GaveUp, HoldLost, UsageError, withLock } from "../../lib/mod.ts";
import { exists, LockFolder } from "./lock_folder.ts";
import { LINUX, needTwoUsers, test, unprivileged } from "./needs.ts";
import { PROGRAM, projectFolder, runCommand, startCommand } from "./program.ts";

Deno.test("acquire() gives a hold that is given back when it is disposed of", async () => {
  await using folder = await LockFolder.make();
  {
    await using hold = await acquire({ dir: folder.dir, slug: "a" });
    assertEquals(await exists(folder.lock), true);
    assertEquals([hold.slug, hold.lock], ["a", folder.lock]);
    assertEquals(String(hold.fence), await folder.fence());
  }
  await folder.assertFree();
  assertEquals(await folder.events(), ["a acquired", "a released"]);
});

Deno.test("acquire() tells who holds when it gives up", async () => {
  await using folder = await LockFolder.make();
  await using _hold = await acquire({ dir: folder.dir, slug: "a" });
  const failure = await assertRejects(
    () => acquire({ dir: folder.dir, slug: "b", timeoutMs: 0 }),
    GaveUp,
  );
  assertEquals(failure.holder?.slug, "a");
});

Deno.test("acquire() takes one of several slots, beside the compiled program", async () => {
  await using folder = await LockFolder.make();
  const options = { dir: folder.dir, slug: "a", slots: ["gpu0", "gpu1"], timeoutMs: 0 };
  await using first = await acquire(options);
  const { out } = await folder.run(
    ["run", "--slug", "b", "--slots", "gpu0,gpu1", "--", "sh", "-c", "echo $LOCK_FOLDER_SLOT"],
  );
  assertEquals([first.slot, out.trim()].toSorted(), ["gpu0", "gpu1"]);
  await using second = await acquire(options);
  assertEquals([first.slot, second.slot].toSorted(), ["gpu0", "gpu1"]);
  const { slots } = await assertRejects(() => acquire(options), GaveUp);
  assertEquals([slots?.count, slots?.holders.length], [2, 2]);
  await assertRejects(() => acquire({ ...options, slots: 3 }), UsageError, "this lock has 2 slots");
  await assertRejects(() => acquire({ ...options, slots: 0 }), RangeError, "out of range");
});

test("a program whose wait was in vain goes on, and ends, though the holder still holds", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("a");
  await using first = folder.startHolding("first");
  await folder.waiters(1);
  await folder.write(
    "program.ts",
    `import { acquire, GaveUp } from ${JSON.stringify(`file://${projectFolder()}/lib/mod.ts`)};
for (let tries = 0; tries < 3; tries++) {
  const options = { dir: ${JSON.stringify(folder.dir)}, slug: "b", timeoutMs: 200 };
  await acquire(options).catch((failure) => {
    if (!(failure instanceof GaveUp)) throw failure;
    console.log(failure.message);
  });
}
`,
  );
  const program = ["run", "--allow-all", "program.ts"];
  const { code, out, err } = await runCommand(Deno.execPath(), program, { cwd: folder.root });
  assertEquals(code, 0, err);
  assertMatch(out, /^(gave up waiting for \S+ after \d+ms: held by a\n){3}$/);
  assertEquals(await folder.has("first.runs"), false, "the program ended only with the hold");
  await holder.finish();
  await first.finish();
});

test("acquire() is served when those ahead are, and breaks the lock of a dead holder", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await using b = folder.startHolding("b");
  await folder.waiters(1);
  const waiting = acquire({ dir: folder.dir, slug: "c" });
  await folder.waiters(2);
  await a.finish();
  await folder.appears("b.runs");
  const command = await folder.commandPid();
  b.program.signal("SIGKILL");
  Deno.kill(command, "SIGKILL");
  await using hold = await waiting;
  assertEquals(hold.waited.place, 2);
  assertMatch((await folder.events()).at(-2)!, /^c stale_break .*reason=dead holder=b$/);
}, [LINUX]);

test(
  "the lock of a killed program that used the library is broken as dead, whoever else's programs run",
  async () => {
    await using folder = await LockFolder.make();
    await Deno.chmod(folder.root, 0o777);
    await folder.write(
      "program.ts",
      `import { acquire } from ${JSON.stringify(`file://${projectFolder()}/lib/mod.ts`)};
await acquire({ dir: ${JSON.stringify(folder.dir)}, slug: "a" });
console.error("holds");
await new Promise((resolve) => setTimeout(resolve, 600_000));
`,
    );
    const program = ["run", "--allow-all", "program.ts"];
    await using holder = startCommand(Deno.execPath(), program, { cwd: folder.root });
    await holder.says(/holds/);
    holder.signal("SIGKILL");
    await holder.ended;
    for (const path of await everythingIn(folder.dir)) await Deno.chmod(path, 0o777);
    // Younger than the holder, and a process into whose environment the other user may not look.
    await using _sleeper = startCommand("sleep", ["600"]);
    const acquire = ["acquire", "--slug", "b", "--timeout", "5"];
    const [judge, args] = unprivileged([PROGRAM, ...acquire]);
    const { code, err } = await runCommand(judge, args, { cwd: folder.root });
    assertEquals(code, 0, err);
    assertMatch((await folder.events()).at(-2)!, /^b stale_break age=\d+s reason=dead holder=a$/);
  },
  [LINUX, await needTwoUsers(PROGRAM)],
);

async function everythingIn(folder: string): Promise<string[]> {
  const paths = [folder];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    paths.push(...isDirectory ? await everythingIn(path) : [path]);
  }
  return paths;
}

test("acquire() goes straight through under a run on the same lock, and gives nothing back", async () => {
  await using folder = await LockFolder.make();
  await folder.write(
    "program.ts",
    `import { withLock } from ${JSON.stringify(`file://${projectFolder()}/lib/mod.ts`)};
const options = { dir: ${JSON.stringify(folder.dir)}, slug: "b", timeoutMs: 0 };
const aborted = AbortSignal.abort(new Error("called off"));
await withLock({ ...options, signal: aborted }, () => Promise.reject(new Error("ran")))
  .catch((failure) => console.log(failure.message));
console.log(await withLock(options, (hold) => Promise.resolve(\`\${hold.slug} \${hold.fence}\`)));
`,
  );
  const program = [Deno.execPath(), "run", "--allow-all", "program.ts"];
  const { code, out, err } = await folder.run(["run", "--slug", "a", "--", ...program]);
  assertEquals([code, out], [0, `called off\na ${await folder.fence()}\n`], err);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
});

test("acquire() opens no watch where LOCK_FOLDER_NO_WATCH is 1", async () => {
  await using folder = await LockFolder.make();
  await using _hold = await acquire({ dir: folder.dir, slug: "a" });
  await folder.write(
    "program.ts",
    `import { acquire } from ${JSON.stringify(`file://${projectFolder()}/lib/mod.ts`)};
const target = ({ name }) => Deno.readLink("/proc/self/fd/" + name).catch(() => "");
const isWatch = (opened) => opened === "anon_inode:inotify";
const opened = async () => await Promise.all(await Array.fromAsync(Deno.readDir("/proc/self/fd"), target));
let watches = 0;
const counting = setInterval(async () => {
  watches = Math.max(watches, (await opened()).filter(isWatch).length);
}, 10);
const options = { dir: ${JSON.stringify(folder.dir)}, slug: "b", timeoutMs: 500 };
await acquire(options).catch((failure) => console.log(failure.name));
clearInterval(counting);
console.log(watches);
`,
  );
  const watches = async (env: Record<string, string>) => {
    const args = ["run", "--no-check", "--allow-all", "program.ts"];
    const { out } = await runCommand(Deno.execPath(), args, { cwd: folder.root, env });
    return out;
  };
  assertEquals(await watches({}), "GaveUp\n1\n");
  assertEquals(await watches({ LOCK_FOLDER_NO_WATCH: "1" }), "GaveUp\n0\n");
}, [LINUX]);

Deno.test("acquire() is called off by its signal, and leaves the line", async () => {
  await using folder = await LockFolder.make();
  await using _hold = await acquire({ dir: folder.dir, slug: "a" });
  const calledOff = new AbortController();
  const waiting = acquire({ dir: folder.dir, slug: "b", signal: calledOff.signal });
  await folder.waiters(1);
  calledOff.abort(new Error("no longer needed"));
  await assertRejects(() => waiting, Error, "no longer needed");
  await folder.waiters(0);
});

Deno.test("acquire() says which option is out of its range, and what it was", async () => {
  const failure = await assertRejects(() => acquire({ dir: ".", slug: "a b" }), RangeError);
  assertEquals(
    failure.message,
    'Cannot acquire the lock: slug must be 1 to 64 visible characters, no white space: current value is "a b"',
  );
  await assertRejects(() => acquire({ dir: ".", slug: "a", pollMs: 1 }), RangeError);
  for (const staleMs of [1, Infinity, NaN]) {
    await assertRejects(() => acquire({ dir: ".", slug: "a", staleMs }), RangeError, "staleMs");
  }
  await assertRejects(() => acquire({ dir: "/nonexistent", slug: "a" }), FolderUnusable);
});

Deno.test("withLock() excludes, in one process as between many", async () => {
  await using folder = await LockFolder.make();
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside--;
  };
  const slugs = ["a", "b", "c", "d", "e"];
  await Promise.all(slugs.map((slug) => withLock({ dir: folder.dir, slug }, work)));
  assertEquals([most, inside], [1, 0]);
  assertEquals((await folder.events()).filter((line) => line.endsWith("acquired")).length, 5);
  await folder.assertFree();
});

Deno.test("withLock() gives back and passes on what the function throws", async () => {
  await using folder = await LockFolder.make();
  await assertRejects(
    () => withLock({ dir: folder.dir, slug: "a" }, () => Promise.reject(new Error("no"))),
    Error,
    "no",
  );
  await folder.assertFree();
});

Deno.test("withLock() fails if the lock was lost before any beat could find it out", async () => {
  await using folder = await LockFolder.make();
  const lose = () => Deno.remove(folder.lock);
  await assertRejects(() => withLock({ dir: folder.dir, slug: "a" }, lose), HoldLost);
  await assertRejects(
    () =>
      withLock({ dir: folder.dir, slug: "a" }, () => {
        throw new Error("at once");
      }),
    Error,
    "at once",
  );
  await folder.assertFree();
});

Deno.test("withLock() fails if the lock turned out to be lost while the function ran", async () => {
  await using folder = await LockFolder.make();
  const options = { dir: folder.dir, slug: "a", staleMs: 200 };
  await assertRejects(
    () =>
      withLock(options, async (hold) => {
        await Deno.remove(folder.lock);
        await new Promise<void>((resolve) => hold.lost.addEventListener("abort", () => resolve()));
        assert(hold.lost.aborted);
      }),
    HoldLost,
  );
});

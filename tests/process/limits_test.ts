/** Holds that end before their command does, and questions about a hold from outside. */

import { assertEquals, assertMatch } from "@std/assert";
import { eventually, PROGRAM } from "./program.ts";
import { LockFolder, setBack, shell } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";

test("76: --on-lost terminate ends the command when the lock is lost, after its clean-up", async () => {
  await using folder = await LockFolder.make();
  const script = "trap ': > cleaned; exit 0' TERM; : > runs; while :; do sleep 0.02; done";
  const flags = ["--stale", "0.4", "--on-lost", "terminate"];
  await using run = folder.start(["run", "--slug", "a", ...flags, "--", ...shell(script)]);
  await folder.appears("runs");
  await Deno.remove(folder.lock);
  const { code, err } = await run.finish();
  assertEquals(code, 76);
  // The shell tells that its `sleep` was ended, too: before us or after us.
  const own = err.replace("Terminated\n", "");
  assertMatch(own, /^lock_folder_util: \S+lock\.lock is lost: [^\n]*\n$/);
  assertEquals(await folder.has("cleaned"), true);
  assertEquals(await folder.events(), ["a acquired", "a lost"]);
  await folder.assertFree();
});

test("--max-hold ends the command with TERM, logs it and releases", async () => {
  await using folder = await LockFolder.make();
  const { code, err } = await folder.run([
    ...["run", "--slug", "a", "--max-hold", "0.3", "--", "sleep", "300"],
  ]);
  assertEquals(code, 143);
  assertMatch(
    err,
    /^lock_folder_util: \S+lock\.lock was held for longer than --max-hold 300ms allows; the command was ended[^\n]*\n$/,
  );
  assertEquals(await folder.events(), ["a acquired", "a max_hold", "a released"]);
  await folder.assertFree();
});

test("--max-hold ends all that the command started before the lock goes back", async () => {
  await using folder = await LockFolder.make();
  const child = "trap '[ -d .tmp/lock.lock ] && : > was-held; exit' TERM; : > runs; " +
    "while :; do sleep 0.05; done";
  const { code } = await folder.run([
    ...["run", "--slug", "a", "--max-hold", "1", "--"],
    ...shell(`sh -c "${child}" & until [ -e runs ]; do sleep 0.02; done; sleep 300; true`),
  ]);
  assertEquals(code, 143);
  assertEquals(await folder.has("was-held"), true);
}, [LINUX]);

test("what a command starts to clean up after TERM is left to finish", async () => {
  await using folder = await LockFolder.make();
  const script =
    "trap 'sleep 0.5; : > cleaned; exit 0' TERM; : > runs; while :; do sleep 0.02; done";
  const flags = ["--stale", "0.4", "--on-lost", "terminate"];
  await using run = folder.start(["run", "--slug", "a", ...flags, "--", ...shell(script)]);
  await folder.appears("runs");
  await Deno.remove(folder.lock);
  assertEquals((await run.finish()).code, 76);
  assertEquals(await folder.has("cleaned"), true);
}, [LINUX]);

test("a wrapper killed while it ends all leaves the lock to what is left (E6)", async () => {
  await using folder = await LockFolder.make();
  const deaf = "trap '' TERM; : > deaf; until [ -e go ]; do sleep 0.02; done; " +
    "[ -d .tmp/lock.lock ] && : > was-held";
  await using run = folder.start([
    ...["run", "--slug", "a", "--max-hold", "0.5", "--"],
    ...shell(`sh -c "${deaf}" & sh -c 'echo $$ > heeds; exec sleep 300'; true`),
  ]);
  await folder.appears("deaf");
  const pids = [await folder.commandPid(), Number(await folder.read("heeds"))];
  await eventually("all that heeds TERM has ended", async () => {
    return (await Promise.all(pids.map(hasEnded))).every((ended) => ended);
  });
  run.signal("SIGKILL");
  await run.ended;
  const { verdict } = JSON.parse((await folder.run(["status", "--json"])).out);
  assertMatch(verdict.why, /its process \d+ is gone but its command lives$/);
  const refused = await folder.run(["acquire", "--slug", "b", "--timeout", "1"]);
  assertEquals(refused.code, 75, refused.err);
  await folder.write("go", "");
  await folder.appears("was-held");
  const taken = await folder.run(["acquire", "--slug", "b", "--timeout", "30"]);
  assertEquals(taken.code, 0, taken.err);
  assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=dead holder=a$/);
}, [LINUX]);

test("what heeds no TERM is killed with the command, and the lock is free after that", async () => {
  await using folder = await LockFolder.make();
  const deaf = "trap '' TERM; : > deaf; while :; do sleep 0.05; done";
  const started = folder.start([
    ...["run", "--slug", "a", "--stale", "0.4", "--on-lost", "terminate", "--"],
    ...shell(`sh -c "${deaf}" & echo $! > deaf.pid; wait`),
  ]);
  await folder.appears("deaf");
  await folder.commandPid();
  await Deno.remove(folder.lock);
  const { code } = await started.finish();
  assertEquals(code, 76);
  assertEquals(await hasEnded(Number(await folder.read("deaf.pid"))), true);
}, [LINUX]);

test("a loss that is found at the end is told as such, and the status is the command's", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a", ["--on-lost", "terminate"]);
  // The next beat is five seconds away.
  await folder.commandPid();
  await Deno.remove(folder.lock);
  const { code, err } = await a.finish();
  assertEquals(code, 0);
  assertMatch(err, /lock\.lock is lost: .*; the command had ended by then\n$/);
});

test("renew keeps an acquire hold young, and refuses anybody else's", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  await setBack(folder.lock, 3600);
  const other = await folder.run(["renew", "--slug", "b"]);
  assertEquals(other.code, 1);
  assertMatch(other.err, /is not b's: held by a/);
  assertEquals((await folder.run(["renew", "--slug", "a"])).code, 0);
  const waiter = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
  assertEquals(waiter.code, 75, "it is young again");
  await folder.run(["release", "--slug", "a"]);
  assertEquals((await folder.run(["renew", "--slug", "a"])).code, 1);
});

test("a hold is known for what it is however long its command line is", async () => {
  await using folder = await LockFolder.make();
  const nested = `"$0" check && "$0" run --slug nested --timeout 0 -- true; echo $? > nested.code`;
  const script = `${nested}; : > big.runs; until [ -e big.go ]; do sleep 0.02; done`;
  const words = Array.from({ length: 12_000 }, (_, number) => String(number + 1));
  await using big = folder.start([
    "run",
    "--slug",
    "big",
    "--",
    ...shell(script),
    PROGRAM,
    ...words,
  ]);
  await folder.appears("big.runs");
  assertEquals(await folder.read("nested.code"), "0\n");
  // Older than the waiter's --stale, younger than the holder's next beat.
  const waited = await folder.run([
    ...["acquire", "--slug", "b", "--stale", "0.4", "--timeout", "1.5"],
  ]);
  assertEquals(waited.code, 75, waited.err);
  const { holder } = JSON.parse((await folder.run(["status", "--json"])).out);
  assertEquals([holder.command.slice(0, 2), holder.command.at(-1)], [["sh", "-c"], "…"]);
  await folder.write("big.go", "");
  assertEquals((await big.finish()).code, 0);
  const told = (await folder.events()).map((line) => line.split(" ").slice(0, 2).join(" "));
  assertEquals(told, ["big acquired", "b gave_up", "big released"]);
});

test("check tells inside run whether the hold is still the present one", async () => {
  await using folder = await LockFolder.make();
  const script = '"$L" check; echo "held $?"; rmdir .tmp/lock.lock; "$L" check; echo "lost $?"';
  const { out } = await folder.run(["run", "--slug", "a", "--", ...shell(script)], {
    env: { L: PROGRAM },
  });
  assertEquals(out, "held 0\nlost 1\n");
  const outside = await folder.run(["check"]);
  assertEquals(outside.code, 1);
  assertMatch(outside.err, /LOCK_FOLDER_HELD/);
});

test("check knows its hold through another path to the folder", async () => {
  await using folder = await LockFolder.make();
  await Deno.symlink(folder.dir, `${folder.root}/link`);
  const script = '"$L" check --dir link; echo "held $?"';
  const { out, err } = await folder.run(["run", "--slug", "a", "--", ...shell(script)], {
    env: { L: PROGRAM },
  });
  assertEquals([out, err], ["held 0\n", ""]);
});

test("check inside the hold of one lock says whose another lock is", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "b", "--name", "two"]);
  const script = '"$L" check --name two; echo "two $?"; "$L" check --name free; echo "free $?"';
  const { out, err } = await folder.run(["run", "--slug", "a", "--", ...shell(script)], {
    env: { L: PROGRAM },
  });
  assertEquals(out, "two 1\nfree 1\n");
  const [two, free] = err.split("\n");
  assertMatch(two!, /two\.lock is not ours: held by b \(acquire, .*; stop here/);
  assertMatch(free!, /free\.lock is not held by anybody, and has no log: look at --dir and --name/);
});

test("check --fence asks for a hold by its number, and names both numbers", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const fence = await folder.fence();
  assertEquals((await folder.run(["check", "--fence", fence])).code, 0);
  const { code, err } = await folder.run(["check", "--fence", "2"]);
  assertEquals(code, 1);
  const numbers = `--fence 2 was asked for, the present hold has fence ${fence}`;
  assertMatch(err, new RegExp(`lock\\.lock is not ours: ${numbers}, held by a \\(run`));
  await a.finish();
  assertEquals((await folder.run(["check", "--fence", fence])).code, 1);
}, [LINUX]);

/** What nobody has waited for yet has no environment any more. */
async function hasEnded(pid: number): Promise<boolean> {
  return await Deno.readTextFile(`/proc/${pid}/environ`).catch(() => "") === "";
}

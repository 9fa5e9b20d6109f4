/** What is another's is left alone, and what was taken from us is noticed. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { exists, LockFolder } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";

/** All that says whose lock it is: must not change while somebody else does something. */
async function stateOf(folder: LockFolder) {
  const { mtime } = await Deno.stat(folder.lock);
  return { mtime: mtime?.getTime(), record: await Deno.readTextFile(folder.record) };
}

test("a holder whose lock was removed by hand leaves its successor's alone", async () => {
  await using folder = await LockFolder.make();
  // Beats every 100 ms: many chances to freshen what is another's.
  await using a = await folder.hold("a", ["--stale", "0.4"]);
  await Deno.remove(folder.lock);
  assertEquals((await folder.run(["acquire", "--slug", "b"])).code, 0);
  const before = await stateOf(folder);
  await folder.logShows(/^a lost$/);
  const { code, err } = await a.finish();
  assertEquals(code, 0, "the command's own status");
  assertMatch(err, /^lock_folder_util: \S+lock\.lock is lost: .*\n$/);
  assertEquals(await stateOf(folder), before);
  // Which of the two comes first is chance.
  assertEquals((await folder.events()).sort(), ["a acquired", "a lost", "b acquired"]);
  assertEquals((await folder.run(["release", "--slug", "b"])).code, 0);
  await folder.assertFree();
});

test("a holder finds its lock lost at its end at the latest", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  // Beats when its command has started, and then every five seconds.
  await folder.commandPid();
  await Deno.remove(folder.lock);
  assertEquals((await folder.run(["acquire", "--slug", "b"])).code, 0);
  const before = await stateOf(folder);
  const { code } = await a.finish();
  assertEquals(code, 0);
  assertEquals(await stateOf(folder), before);
  // The beat that names the command may find it out sooner.
  const events = await folder.events();
  assertEquals(events[0], "a acquired");
  assertEquals(events.slice(1).sort(), ["a lost", "b acquired"]);
});

test("a lock that was removed by hand is not made again", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a", ["--stale", "0.4"]);
  await Deno.remove(folder.lock);
  await folder.logShows(/^a lost$/);
  assertEquals(await exists(folder.lock), false);
  await a.finish();
  assertEquals(await folder.events(), ["a acquired", "a lost"]);
  await folder.assertFree();
});

test("release by another name changes nothing and says who holds", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  const before = await stateOf(folder);
  const { code, err } = await folder.run(["release", "--slug", "b"]);
  assertEquals(code, 1);
  assertMatch(
    err,
    /^lock_folder_util: \S+lock\.lock is not b's: held by a \(acquire, .*--force\n$/,
  );
  assertEquals(await stateOf(folder), before);
  assertEquals(await folder.events(), ["a acquired"]);
});

test("release --force removes another's hold and logs whose", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  assertEquals((await folder.run(["release", "--slug", "ops", "--force"])).code, 0);
  assertEquals(await folder.events(), ["a acquired", "ops force_release holder=a"]);
  await folder.assertFree();
});

test("release --force of a lock that is not held exits with 1", async () => {
  await using folder = await LockFolder.make();
  const { code, err } = await folder.run(["release", "--slug", "ops", "--force"]);
  assertEquals(code, 1);
  assertMatch(err, /not held/);
});

test("release when nothing is held says so", async () => {
  await using folder = await LockFolder.make();
  const { code, err } = await folder.run(["release", "--slug", "a"]);
  assertEquals(code, 1);
  assertMatch(err, /^lock_folder_util: \/\S+\/\.tmp\/lock\.lock is not held[^\n]*\n$/);
  assertEquals(await folder.logLines(), []);
});

test("release of a run hold by its own name is refused while its command runs", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const { code, err } = await folder.run(["release", "--slug", "a"]);
  assertEquals(code, 1);
  assertMatch(err, /its command is still running/);
  assert(await exists(folder.lock));
  assertEquals(await folder.events(), ["a acquired"]);
  assertEquals((await a.finish()).err, "");
  assertEquals(await folder.events(), ["a acquired", "a released"]);
});

test("release of a dead run hold by its own name breaks it, and says so", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const command = await folder.commandPid();
  a.program.signal("SIGKILL");
  await a.program.ended;
  const early = await folder.run(["release", "--slug", "a"]);
  assertEquals(early.code, 1);
  assertMatch(
    early.err,
    /its command \(pid \d+\) lives; .*: the next waiter breaks it when that ends/,
  );
  Deno.kill(command, "SIGKILL");
  assertMatch((await folder.run(["renew", "--slug", "a"])).err, /and that hold is dead: /);
  const { code, err } = await folder.run(["release", "--slug", "a"]);
  assertEquals(code, 0);
  assertMatch(err, /^lock_folder_util: broke the stale lock of a: .* are gone; .*half done\n$/);
  assertMatch((await folder.events()).at(-1)!, /^a stale_break .*reason=dead holder=a$/);
  await folder.assertFree();
}, [LINUX]);

test("release --force says whose lock it was, and what goes on without it", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const force = ["release", "--slug", "ops", "--force"];
  const living = await folder.run(force);
  assertMatch(
    living.err,
    /^lock_folder_util: removed \S+lock\.lock, held by a \(run, .*\) for .*; what works under it works on, unless its run has --on-lost terminate\n$/,
  );
  await a.finish();
  await folder.run(["acquire", "--slug", "b"]);
  const { err } = await folder.run(force);
  assertMatch(err, /removed \S+lock\.lock, held by b \(acquire, [^;]*\n$/);
  await folder.run(["acquire", "--slug", "c"]);
  assertEquals((await folder.run([...force, "--quiet"])).err, "");
});

test("release --force of a run hold is noticed by that run", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a", ["--stale", "0.4"]);
  assertEquals((await folder.run(["release", "--slug", "ops", "--force"])).code, 0);
  await folder.logShows(/^a lost$/);
  await a.finish();
  assertEquals(await folder.events(), ["a acquired", "ops force_release holder=a", "a lost"]);
  await folder.assertFree();
});

test("release gives back a foreign peer's hold to the name that the log gives it", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await Deno.writeTextFile(folder.log, "2026-01-01T00:00:00Z peer acquired\n");
  const other = await folder.run(["release", "--slug", "b"]);
  assertEquals(other.code, 1);
  assertMatch(other.err, /held by peer \(no holder record\)/);
  assertEquals((await folder.run(["release", "--slug", "peer"])).code, 0);
  assertEquals(await folder.events(), ["peer acquired", "peer released"]);
  await folder.assertFree();
});

test("two names in one lock folder are two locks", async () => {
  await using folder = await LockFolder.make();
  assertEquals((await folder.run(["acquire", "--slug", "a", "--name", "one"])).code, 0);
  assertEquals((await folder.run(["acquire", "--slug", "b", "--name", "two"])).code, 0);
  assertEquals((await folder.run(["release", "--slug", "a", "--name", "one"])).code, 0);
  assertEquals(await exists(`${folder.dir}/one.lock`), false);
  assertEquals(await exists(`${folder.dir}/two.lock`), true);
});

test("the folder named by --dir comes before LOCK_FOLDER_DIR, and that before .tmp", async () => {
  await using folder = await LockFolder.make();
  await using other = await LockFolder.make();
  await using third = await LockFolder.make();
  const env = { LOCK_FOLDER_DIR: other.dir };
  await folder.run(["acquire", "--slug", "a"], { env });
  assertEquals([await exists(folder.lock), await exists(other.lock)], [false, true]);
  await folder.run(["acquire", "--slug", "a", "--dir", third.dir], { env });
  assertEquals(await exists(third.lock), true);
  const empty = await folder.run(["acquire", "--slug", "a"], { env: { LOCK_FOLDER_DIR: "" } });
  assertEquals([empty.code, await exists(folder.lock)], [64, false]);
  await folder.run(["acquire", "--slug", "a"]);
  assertEquals(await exists(folder.lock), true);
});

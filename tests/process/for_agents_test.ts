/** What a caller whose calls are cut off wants to know, and says of itself. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, setBack, shell } from "./lock_folder.ts";
import { LINUX, POSIX, test } from "./needs.ts";
import { PROGRAM, runCommand } from "./program.ts";

const statusOf = async (folder: LockFolder) =>
  JSON.parse((await folder.run(["status", "--json"])).out);

test("a caller is told of an earlier call of its own that waits here", async () => {
  await using folder = await LockFolder.make();
  await using _holder = await folder.hold("h");
  await using earlier = folder.start(["run", "--slug", "a", "--", "true"]);
  await folder.waiters(1);
  const flags = ["run", "--slug", "a", "--timeout", "0.3"];
  const { err } = await folder.run([...flags, "--", "true"]);
  const told = new RegExp(
    `: a already waits here \\(pid ${earlier.pid}, for [^)]+\\): an earlier call of yours\\?\\n`,
  );
  assertMatch(err, told);
  const quiet = await folder.run([...flags, "--quiet", "--", "true"]);
  assertEquals(quiet.err.includes("already"), false);
}, [LINUX]);

test("a caller is told of an earlier call of its own that holds", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("a");
  const { err } = await folder.run(["acquire", "--slug", "a", "--timeout", "0.3"]);
  const pid = holder.program.pid;
  assertMatch(err, new RegExp(`: a already holds here \\(pid ${pid}, for [^)]+\\): an earlier`));
  const other = await folder.run(["acquire", "--slug", "b", "--timeout", "0.3"]);
  assertEquals(other.err.includes("already"), false);
}, [LINUX]);

test("a note says why, in status, in waiting lines and in JSON", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a", "--note", "migrating the users"]);
  await using _waiter = folder.start([
    "run",
    "--slug",
    "b",
    "--note",
    "next in line",
    "--",
    "true",
  ]);
  await folder.waiters(1);
  const { holder, queue } = await statusOf(folder);
  assertEquals([holder.note, queue[0].note], ["migrating the users", "next in line"]);
  const { out } = await folder.run(["status"]);
  assertMatch(out, /^note +migrating the users$/m);
  assertMatch(out, /next in line$/m);
  const { err } = await folder.run(["acquire", "--slug", "c", "--timeout", "0.2"]);
  assertMatch(err, /held by a \(acquire, [^)]*\) for [^:]+: "migrating the users"/);
}, [POSIX]);

test("a note that would not be shown as it is, is refused", async () => {
  await using folder = await LockFolder.make();
  for (const note of ["", "  ", "two\nlines", "\u001b[2J", "x".repeat(201)]) {
    const { code, err } = await folder.run(["acquire", "--slug", "a", "--note", note]);
    assertEquals(code, 64, JSON.stringify(note));
    assertMatch(err, /1 to 200 visible characters/);
  }
});

test("an acquire hold carries its own --stale: a smaller one of a waiter breaks it no sooner", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a", "--stale", "60"]);
  await setBack(folder.lock, 50);
  const waiter = ["acquire", "--slug", "b", "--stale", "1", "--timeout"];
  const { code, err } = await folder.run([...waiter, "0.3"]);
  assertEquals(code, 75, err);
  const { verdict } = await statusOf(folder);
  assertMatch(verdict.why, /and it is stale (in|once)/);
});

test("acquire says its fence, and until when to renew", async () => {
  await using folder = await LockFolder.make();
  const { err, out } = await folder.run(["acquire", "--slug", "a", "--stale", "60"]);
  assertEquals(out, "");
  assertMatch(
    err,
    /^lock_folder_util: holding \S+lock\.lock, fence \d+; renew or release it within 1m, by \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/,
  );
  await folder.run(["release", "--slug", "a"]);
  assertEquals((await folder.run(["acquire", "--slug", "a", "--quiet"])).err, "");
});

test("check --slug asks for the hold of that name", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  assertEquals((await folder.run(["check", "--slug", "a"])).code, 0);
  const { code, err } = await folder.run(["check", "--slug", "b"]);
  assertEquals(code, 1);
  assertMatch(err, /is not b's: held by a /);
  const { holder } = await statusOf(folder);
  const both = ["check", "--slug", "a", "--fence"];
  assertEquals((await folder.run([...both, String(holder.fence)])).code, 0);
  assertEquals((await folder.run([...both, String(holder.fence + 1)])).code, 1);
});

test("release --fence removes no other hold than that one", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a"]);
  const { fence } = (await statusOf(folder)).holder;
  const force = ["release", "--slug", "ops", "--force", "--fence"];
  const refused = await folder.run([...force, String(fence + 1)]);
  assertEquals(refused.code, 1);
  assertMatch(refused.err, /--fence \d+ was asked for, the present hold has fence \d+, held by a/);
  assertEquals((await folder.run([...force, String(fence)])).code, 0);
  await folder.assertFree();
});

test("LOCK_FOLDER_SLUG is the default of --slug", async () => {
  await using folder = await LockFolder.make();
  const env = { LOCK_FOLDER_SLUG: "from-env" };
  assertEquals((await folder.run(["acquire"], { env })).code, 0);
  assertEquals((await statusOf(folder)).holder.slug, "from-env");
  assertEquals((await folder.run(["release"], { env })).code, 0);
  const wrong = await folder.run(["acquire"], { env: { LOCK_FOLDER_SLUG: "two words" } });
  assertEquals(wrong.code, 64);
  assertMatch(wrong.err, /LOCK_FOLDER_SLUG "two words" is no name/);
  const none = await folder.run(["acquire"], { env: { LOCK_FOLDER_SLUG: "" } });
  assertMatch(none.err, /--slug is missing; say who you are: --slug NAME, or LOCK_FOLDER_SLUG/);
});

test("the command line goes with the hold: nothing of it stays on the disk", async () => {
  await using folder = await LockFolder.make();
  const secret = "s3cret-of-the-arguments";
  const script = `grep -rl ${secret} .tmp > found; true`;
  await folder.run(["run", "--slug", "a", "--", ...shell(script)]);
  assertMatch(await folder.read("found"), /^\.tmp\/lock\.state\/alive\/[a-z0-9]+\n$/);
  const after = await new Deno.Command("grep", { args: ["-rl", secret, folder.dir] }).output();
  assertEquals(new TextDecoder().decode(after.stdout), "");
}, [LINUX]);

test("what this program makes follows the umask", async () => {
  await using folder = await LockFolder.make();
  const script = 'umask 002; "$L" run --slug a -- true; umask 077; "$L" acquire --slug b';
  await runCommand("sh", ["-c", script], { cwd: folder.root, env: { L: PROGRAM } });
  const mode = async (path: string) => ((await Deno.stat(path)).mode! & 0o777).toString(8);
  assertEquals(await mode(folder.log), "664");
  assertEquals(await mode(`${folder.state}/fence`), "664");
  assertEquals(await mode(folder.record), "600");
}, [LINUX]);

test("status --all shows every lock of the folder", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a", "--name", "one"]);
  await folder.run(["run", "--slug", "b", "--name", "two", "--", "true"]);
  const { out } = await folder.run(["status", "--all"]);
  assertMatch(out, /^lock +\S+one\.lock\nstate +held\n(.*\n)+lock +\S+two\.lock\nstate +free$/m);
  const { locks } = JSON.parse((await folder.run(["status", "--all", "--json"])).out);
  assertEquals(locks.map(({ state }: { state: string }) => state), ["held", "free"]);
});

test("status --watch is for a terminal", async () => {
  await using folder = await LockFolder.make();
  assertEquals((await folder.run(["status", "--watch"])).code, 64);
});

test("result and cancel take the words for folders: --dir @git", async () => {
  await using folder = await LockFolder.make();
  await runCommand("git", ["init", "-q", "."], { cwd: folder.root });
  const args = [
    "run",
    "--dir",
    "@git",
    "--detach",
    "--json",
    "--slug",
    "a",
    "--",
    ...shell("exit 4"),
  ];
  const { id, collect } = JSON.parse((await folder.run(args)).out);
  const git = await Deno.realPath(`${folder.root}/.git`);
  assertMatch(collect, new RegExp(`^lock_folder_util result ${id} --dir ${git}/`));
  assertEquals((await folder.run(["result", id, "--dir", "@git"])).code, 4);
}, [LINUX]);

/** The audit log: a public format that scripts read. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";

test("log lines are UTC seconds, name and event, and nothing after acquired and released", async () => {
  await using folder = await LockFolder.make();
  const before = new Date().toISOString().slice(0, 19);
  await folder.run(["run", "--slug", "agent-1", "--", "true"], { env: { TZ: "Asia/Tokyo" } });
  const lines = await folder.logLines();
  assertEquals(lines.length, 2);
  assertMatch(lines[0]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ agent-1 acquired$/);
  assertMatch(lines[1]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ agent-1 released$/);
  assertEquals(lines[0]! >= before && lines[1]!.slice(0, 19) <= new Date().toISOString(), true);
});

test("fifty runs at once leave every line whole and in the order of the holds", async () => {
  await using folder = await LockFolder.make();
  const runs = Array.from(
    { length: 50 },
    (_, index) =>
      folder.run(["run", "--slug", `agent-${index}`, "--poll", "1", "--quiet", "--", "true"]),
  );
  for (const { code, err } of await Promise.all(runs)) assertEquals([code, err], [0, ""]);
  const events = await folder.events();
  assertEquals(events.length, 100);
  for (let index = 0; index < events.length; index += 2) {
    assertMatch(events[index]!, /^agent-\d+ acquired$/);
    assertEquals(events[index + 1], events[index]!.replace("acquired", "released"));
  }
  await folder.assertFree();
});

test("a line that somebody left without its end is not glued to", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, "2026-01-01T00:00:00Z cut off acq");
  await folder.run(["run", "--slug", "a", "--", "true"]);
  assertEquals((await folder.events()).slice(1), ["a acquired", "a released"]);
});

test("a log that is deleted or moved away meanwhile is begun anew", async () => {
  await using folder = await LockFolder.make();
  const { code } = await folder.run(["run", "--slug", "a", "--", "mv", folder.log, "old.log"]);
  assertEquals(code, 0);
  assertEquals(await folder.events(), ["a released"]);
});

test("a holder called released is quoted where its name would end a line", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "released"]);
  await folder.run(["release", "--slug", "ops", "--force"]);
  const events = await folder.events();
  assertEquals(events.filter((line) => line.endsWith("released")), []);
  assertMatch(events[1]!, /^ops force_release holder="released"$/);
});

test("what others wrote into the record is shown escaped", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const record = JSON.parse(await Deno.readTextFile(folder.record));
  for (
    const edit of [
      { slug: "x\x1b[31m" },
      { machine: { ...record.machine, host: "h\x1b[2J\u202e\n" } },
    ]
  ) {
    const { mtime } = await Deno.stat(folder.lock);
    const text = JSON.stringify({ ...record, ...edit, lockMtime: mtime!.getTime() });
    await Deno.writeTextFile(folder.record, text);
    const { code, err } = await folder.run(["acquire", "--slug", "b", "--timeout", "0.1"]);
    assertEquals(code, 75);
    assertMatch(err, /^[\x20-\x7e\n]+$/);
    assertMatch(err, /held by (x\\u\{1b\}|a) /);
    if ("machine" in edit) assertMatch(err, /h\\u\{1b\}\[2J\\u\{202e\}/);
  }
  await a.finish();
}, [LINUX]);

test("names in a foreign peer's log lines are shown escaped", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await Deno.writeTextFile(folder.log, "2026-01-01T00:00:00Z e\x1b[2J acquired\n");
  const { err } = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
  assertMatch(err, /held by e\\u\{1b\}\[2J \(no holder record\)/);
  assertMatch(err, /^[\x20-\x7e\n]+$/);
});

test("a log is reported on from standard input, through a pipe", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["run", "--slug", "a", "--", "true"]);
  const stdin = await Deno.readTextFile(folder.log);
  const { code, out } = await folder.run(["report", "-", "--dir", "/nowhere"], { stdin });
  assertEquals([code, out.split("\n")[0]], [
    0,
    "acquired=1 released=1 gave_up=0 stale_breaks=0 (all agents got through)",
  ]);
  assertEquals((await folder.run(["report", "-"])).code, 65, "there is nothing to read");
  assertEquals((await folder.run(["report", "."])).code, 65, "a folder");
  assertEquals((await folder.run(["report", "nosuch"])).code, 66);
});

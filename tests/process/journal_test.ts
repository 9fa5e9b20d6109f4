/** The journal beside the log: what it tells, and that nothing depends on it. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { LINUX, POSIX, test } from "./needs.ts";

const journalOf = (folder: LockFolder) => `${folder.state}/journal`;

interface Line {
  readonly at: string;
  readonly slug: string;
  readonly event: string;
  readonly token: string;
  readonly place?: number;
  readonly after?: string;
  readonly note?: string;
}

async function linesOf(folder: LockFolder): Promise<Line[]> {
  const text = await Deno.readTextFile(journalOf(folder));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

const told = (lines: readonly Line[]) => lines.map(({ slug, event }) => `${slug} ${event}`).sort();

test("the journal has a line with milliseconds for each transition, the log none", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h");
  await using waiter = folder.start(["run", "--slug", "a", "--note", "why", "--", "true"]);
  await folder.waiters(1);
  await holder.letGo();
  await holder.finish();
  await waiter.finish();
  const lines = await linesOf(folder);
  assertEquals(told(lines), ["a acquired", "a released", "a waiting", "h acquired", "h released"]);
  for (const { at } of lines) assertEquals(/T\d\d:\d\d:\d\d\.\d{3}Z$/.test(at), true, at);
  const waiting = lines.find(({ event }) => event === "waiting")!;
  assertEquals([waiting.place, waiting.note], [1, "why"]);
  const events = ["h acquired", "h released", "a acquired", "a released"];
  assertEquals(await folder.events(), events);
}, [POSIX]);

test("a wait that goes on in a kept place names the one before it", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "h"]);
  for (let calls = 0; calls < 2; calls++) {
    await folder.run(["acquire", "--slug", "a", "--timeout", "0.1"]);
  }
  await folder.run(["release", "--slug", "h"]);
  const calls = (await linesOf(folder)).filter(({ slug }) => slug === "a");
  const events = calls.map(({ event }) => event);
  assertEquals(events, ["waiting", "gave_up", "waiting", "gave_up"]);
  assertEquals(calls[2]!.after, calls[0]!.token);
});

for (
  const [what, spoil] of Object.entries({
    "full of garbage": (path: string) => Deno.writeFile(path, new Uint8Array(1000).fill(0xff)),
    "cut in the middle of a line": (path: string) => Deno.writeTextFile(path, '{"at":"2026-'),
    "a folder": (path: string) => Deno.mkdir(path),
    "a link to nowhere": (path: string) => Deno.symlink("/nonexistent/journal", path),
  })
) {
  test(`a journal that is ${what} harms no hold`, async () => {
    await using folder = await LockFolder.make();
    await Deno.mkdir(folder.state);
    await spoil(journalOf(folder));
    const { code, err } = await folder.run(["run", "--slug", "a", "--", "true"]);
    assertEquals([code, err], [0, ""]);
    assertEquals(await folder.events(), ["a acquired", "a released"]);
    await folder.assertFree();
  }, [LINUX]);
}

test("a journal that was deleted during a hold begins anew", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("a");
  await folder.commandPid();
  await Deno.remove(folder.state, { recursive: true });
  await holder.letGo();
  assertEquals((await holder.finish()).code, 0);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
}, [LINUX]);

test("a journal above 4 MB is put aside, and one older file is kept", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.state);
  const line = `${JSON.stringify({ filler: "x".repeat(1000) })}\n`;
  await Deno.writeTextFile(journalOf(folder), line.repeat(4200));
  await Deno.writeTextFile(`${journalOf(folder)}.1`, "older\n");
  await folder.run(["run", "--slug", "a", "--", "true"]);
  await folder.run(["run", "--slug", "b", "--", "true"]);
  assertEquals(told(await linesOf(folder)), ["b acquired", "b released"]);
  const older = await Deno.readTextFile(`${journalOf(folder)}.1`);
  assertEquals(older.split("\n").length, 4203);
});

test(
  "report tells waits and hand-offs in milliseconds, and what of the journal it could use",
  async () => {
    await using folder = await LockFolder.make();
    await using holder = await folder.hold("h");
    await using waiter = folder.start(["run", "--slug", "a", "--note", "why", "--", "true"]);
    await folder.waiters(1);
    await holder.letGo();
    await holder.finish();
    await waiter.finish();
    await Deno.writeTextFile(journalOf(folder), "garbage\n", { append: true });
    const { waits } = JSON.parse((await folder.run(["report", "--json"])).out);
    assertEquals([waits.journal_lines, waits.journal_lines_used], [6, 5]);
    assertEquals([waits.waited.count, waits.hand_off.count], [1, 1]);
    assertEquals(waits.agents.map(({ slug }: { slug: string }) => slug), ["a"]);
    const { out } = await folder.run(["report"]);
    assertMatch(out, /^waited +1 time: median \S+, .*, most by a$/m);
    assertMatch(out, /^hand-off median \S+, p95 \S+, longest \S+$/m);
    assertMatch(out, /^note +a: why$/m);
    assertMatch(out, /^journal +6 lines, of which 1 could not be used$/m);
    await Deno.copyFile(folder.log, `${folder.root}/copy.log`);
    const alone = await folder.run(["report", "copy.log"]);
    assertEquals(/hand-off|waited/.exec(alone.out), null, "a file alone has what it has");
  },
  [POSIX],
);

/** `herd`, as its users start it. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists, LockFolder, namesIn } from "./lock_folder.ts";
import { test } from "./needs.ts";
import { eventually, projectFolder, runCommand } from "./program.ts";

/** Where fresh folders are made, so that a test sees all of them. */
function scratch(folder: LockFolder): { readonly env: Readonly<Record<string, string>> } {
  return { env: { TMPDIR: folder.root } };
}

async function scratchFolders(folder: LockFolder): Promise<string[]> {
  return (await namesIn(folder.root)).filter((name) => name.includes("-herd-"));
}

const FAST = ["--poll", "100ms", "--hold", "20ms"];

test("herd lets eight agents at a fresh lock, passes, and leaves nothing behind", async () => {
  await using folder = await LockFolder.make();
  const { code, out, err } = await folder.run(["herd", ...FAST], scratch(folder));
  assertEquals(code, 0, out + err);
  assertMatch(err, /^lock_folder_util: 8 agents for 20ms at \S+-herd-\w+\/lock\.lock: 160ms .*\n$/);
  assertEquals(out.split("\n").slice(0, 3), [
    "acquired=8 released=8 gave_up=0 stale_breaks=0 (all agents got through)",
    "PASS: no overlapping critical sections",
    "PASS: no lock leaked",
  ]);
  assertMatch(out, /\n\nPASS: all 8 runs held the lock and gave it back, in [\d.]+m?s\n$/);
  assertMatch(out, /^agent-8 .* 1 /m);
  assertEquals(await scratchFolders(folder), []);
});

test("two herds in one folder have different names, and each reports from its beginning on", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, "2026-08-22T23:05:52Z earlier acquired\n");
  const args = ["herd", "--agents", "3", "--rounds", "2", "--dir", ".tmp", "--json", ...FAST];
  const herds = [folder.start(args), folder.start(args)];
  await using _first = herds[0]!;
  await using _second = herds[1]!;
  for (const herd of herds) {
    const { code, out, err } = await herd.finish();
    assertEquals([code, err], [0, ""], out);
    assertEquals(out.trimEnd().split("\n").length, 1, "one line for programs");
    const { pass, lock, runs, report } = JSON.parse(out);
    assertEquals([pass, lock, report.pass], [true, folder.lock, true]);
    assertEquals([runs.planned, runs.through, runs.logged], [6, 6, 6]);
    assert(Number.isInteger(runs.took_ms), String(runs.took_ms));
    assertEquals(report.agents.some(({ slug }: { slug: string }) => slug === "earlier"), false);
  }
  const slugs = new Set((await folder.events()).map((line) => line.split(" ")[0]));
  assertEquals(slugs.size, 1 + 6, [...slugs].join());
  await folder.assertFree();
});

test("herd under a hold of another waits for it, and does not count it as leaked", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("stranger");
  await using herd = folder.start(["herd", "--agents", "2", "--dir", ".tmp", ...FAST]);
  await folder.waiters(2);
  await holder.letGo();
  const { code, out } = await herd.finish();
  assertEquals(code, 0, out);
  assertMatch(out, /^acquired=3 released=3 /);
});

test("herd fails if its agents give up, and keeps the fresh folder", async () => {
  await using folder = await LockFolder.make();
  const args = ["herd", "--agents", "3", "--hold", "2", "--timeout", "0", "--quiet"];
  const { code, out, err } = await folder.run(args, scratch(folder));
  assertEquals(code, 1, out + err);
  assertMatch(
    out,
    /\nFAIL: 1 of 3 runs came through\n {2}2 runs ended with 75: gave up waiting\n$/,
  );
  const [kept, ...more] = await scratchFolders(folder);
  assertEquals(more, []);
  assertStringIncludes(err, `lock_folder_util: what they left is in ${folder.root}/${kept}\n`);
  assertEquals(await exists(`${folder.root}/${kept}/lock.log`), true);
});

test("herd finds a lock that was removed under its holder", async () => {
  await using folder = await LockFolder.make();
  const args = ["herd", "--agents", "2", "--hold", "1", "--dir", ".tmp", "--poll", "50ms"];
  await using herd = folder.start(args);
  await folder.logShows(/ acquired$/);
  await Deno.remove(folder.lock);
  const { code, out } = await herd.finish();
  assertEquals(code, 1, out);
  assertMatch(out, /\nFAIL: 2 of 2 runs came through\n {2}agent-\d@\S+ lost its lock.*\n$/);
});

test("herd that is interrupted ends its agents, and leaves nothing behind", async () => {
  await using folder = await LockFolder.make();
  await using herd = folder.start(["herd", "--agents", "3", "--hold", "60"], scratch(folder));
  const log = await eventually("one of them holds", async () => {
    const [fresh] = await scratchFolders(folder);
    const path = `${folder.root}/${fresh}/lock.log`;
    return fresh !== undefined && await exists(path) && path;
  });
  await eventually("it is logged", async () => (await Deno.stat(log)).size > 0);
  herd.signal("SIGTERM");
  const { code, err } = await herd.finish();
  assertEquals(code, 143, err);
  assertMatch(err, /\nlock_folder_util: interrupted; there is nothing to report\n$/);
  assertEquals(await scratchFolders(folder), []);
});

test("herd tells once what is wrong with its folder or its flags", async () => {
  await using folder = await LockFolder.make();
  const wrong: readonly (readonly [number, RegExp, ...string[]])[] = [
    [78, /lock dir \S+\/missing .* does not exist/, "--dir", "missing"],
    [64, /--agents "0" is out of range: a whole number from 1 to 200/, "--agents", "0"],
    [64, /--rounds "x" is out of range/, "--rounds", "x"],
    [64, /--hold "1x" is no duration/, "--hold", "1x"],
    [64, /--poll 1ms is too short/, "--poll", "1ms"],
    [64, /--name "a b" is no name for a lock/, "--name", "a b"],
  ];
  for (const [status, words, ...flags] of wrong) {
    const { code, out, err } = await folder.run(["herd", ...flags], scratch(folder));
    assertEquals([code, out], [status, ""], err);
    assertMatch(err, words);
    assertEquals(err.trimEnd().split("\n").length, 1, err);
  }
  assertEquals(await scratchFolders(folder), []);
});

test("herd runs from source too, with the program that it was started as", async () => {
  await using folder = await LockFolder.make();
  const main = `${projectFolder()}/main.ts`;
  const args = ["run", "--allow-all", main, "herd", "--agents", "2", ...FAST];
  const { code, out, err } = await runCommand(Deno.execPath(), args, {
    cwd: folder.root,
    ...scratch(folder),
  });
  assertEquals(code, 0, out + err);
  assertMatch(out, /\nPASS: all 2 runs /);
});

test("herd at a lock with slots lets one in each, and reports all of them", async () => {
  await using folder = await LockFolder.make();
  const args = ["herd", "--slots", "2", "--agents", "5", "--json", ...FAST];
  const { code, out, err } = await folder.run(args, scratch(folder));
  assertEquals([code, err], [0, ""], out);
  const { pass, runs, report } = JSON.parse(out);
  assertEquals([pass, runs.logged, report.exclusion.text], [
    true,
    5,
    "at most one in each of 2 slots",
  ]);
  const holds = report.slots.map(({ holds }: { holds: number }) => holds);
  assertEquals([holds.length, holds[0] + holds[1]], [2, 5]);
  assertEquals(await scratchFolders(folder), []);
});

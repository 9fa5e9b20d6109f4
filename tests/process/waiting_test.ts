/** Waiting on the compiled program: order of arrival, frozen and dead waiters, what goes away meanwhile. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { LockFolder, setBack, shell } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";
import type { Started } from "./program.ts";

/** Starts a waiter and waits until it stands in line. */
async function queue(folder: LockFolder, slug: string, flags: string[]): Promise<Started> {
  const before = await folder.inLine();
  const waiter = folder.start(["run", "--slug", slug, ...flags, "--", "true"]);
  await folder.waiters(before + 1);
  return waiter;
}

const POLLS = ["5", "1", "0.1", "15", "0.02"];

test("ten waiters with mixed --poll are served in order of arrival (P4)", async () => {
  await using folder = await LockFolder.make();
  for (let round = 0; round < 3; round++) {
    await using holder = await folder.hold(`holder-${round}`);
    const names = Array.from({ length: 10 }, (_, at) => `w${round}-${at}`);
    const waiters: Started[] = [];
    for (const [at, name] of names.entries()) {
      waiters.push(await queue(folder, name, ["--poll", POLLS[at % POLLS.length]!]));
    }
    await holder.finish();
    for (const waiter of waiters) assertEquals((await waiter.finish()).code, 0);
    const served = (await folder.events()).filter((line) => line.endsWith(" acquired"));
    assertEquals(served.slice(-10).map((line) => line.split(" ")[0]), names);
  }
});

test("a frozen first in line holds nobody up for long (L5)", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  await using frozen = await queue(folder, "frozen", []);
  await using second = await queue(folder, "second", []);
  frozen.signal("SIGSTOP");
  await holder.finish();
  assertEquals((await second.finish()).code, 0);
  assertEquals((await folder.events()).includes("frozen acquired"), false);
  frozen.signal("SIGCONT");
  assertEquals((await frozen.finish()).code, 0);
  await folder.assertFree();
}, [LINUX]);

test("a killed waiter costs the one behind it nothing but its place (L12)", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  await using killed = await queue(folder, "killed", []);
  await using second = await queue(folder, "second", []);
  killed.signal("SIGKILL");
  await killed.ended;
  await holder.finish();
  assertEquals((await second.finish()).code, 0);
  await folder.assertFree();
});

test("a lock folder that is moved away during a wait is named, not waited for", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  await using waiter = await queue(folder, "waiter", ["--poll", "0.1"]);
  await Deno.rename(folder.dir, `${folder.root}/moved`);
  const { code, err } = await waiter.finish();
  assertEquals(code, 78);
  assertMatch(err, /lock dir \S+\/\.tmp is not a writable directory; /);
  await Deno.rename(`${folder.root}/moved`, folder.dir);
  await holder.finish();
});

test("each hold gets a fence number above all before, even when the state is deleted (P5)", async () => {
  await using folder = await LockFolder.make();
  const fences: number[] = [];
  for (let hold = 0; hold < 4; hold++) {
    if (hold === 2) await Deno.remove(folder.state, { recursive: true });
    const { out } = await folder.run([
      "run",
      "--slug",
      "a",
      "--",
      ...shell("echo $LOCK_FOLDER_FENCE"),
    ]);
    fences.push(Number(out.trim()));
  }
  const [first, second, third, fourth] = fences as [number, number, number, number];
  assertEquals([second, fourth], [first + 1, third + 1]);
  assert(third > second, `fences ${fences}`);
});

test("--json tells the end of a wait in one line, granted or not", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  const refused = await folder.run([
    "run",
    "--slug",
    "a",
    "--json",
    "--timeout",
    "0",
    "--",
    "true",
  ]);
  assertEquals(refused.code, 75);
  assertEquals(JSON.parse(refused.err).holder.slug, "holder");
  await using waiter = folder.start(["run", "--slug", "b", "--json", "--", "true"]);
  await folder.waiters(1);
  await holder.finish();
  const granted = JSON.parse((await waiter.finish()).err);
  assertEquals([granted.event, granted.slug, granted.position], ["acquired", "b", 1]);
});

test("calls that are shorter than a lock must be watched break it together (V23)", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a", "--stale", "4"]);
  await setBack(folder.lock, 3600);
  const told: string[] = [];
  for (;;) {
    const { code, err } = await folder.run([
      ...["acquire", "--slug", "b", "--stale", "4", "--timeout", "0.6"],
    ]);
    told.push(err);
    if (code === 0 || told.length > 20) break;
  }
  // Two heartbeats of a second each take four calls at least.
  assertEquals([told.length >= 4, told.length <= 20], [true, true], told.join(""));
  assertMatch(told[1]!, /without a sign of life for another [^,]+, by this call and the next ones/);
  assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=expired holder=a$/);
});

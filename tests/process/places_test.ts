/** Places in line that are kept for callers whose calls are cut off, on the compiled program. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, namesIn } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";
import { eventually, type Started } from "./program.ts";

/** Begins to wait, and is in line. */
async function waits(folder: LockFolder, slug: string, ...flags: string[]): Promise<Started> {
  const before = await folder.inLine();
  const caller = folder.start(["run", "--slug", slug, ...flags, "--", "true"]);
  await folder.waiters(before + 1);
  return caller;
}

async function placesAre(folder: LockFolder, count: number): Promise<void> {
  const places = () => namesIn(`${folder.state}/places`);
  await eventually(`${count} places`, async () => (await places()).length === count);
}

/** How a call is cut off. */
const CUTS: readonly ((caller: Started) => void)[] = [
  () => {},
  (caller) => caller.signal("SIGINT"),
  (caller) => caller.signal("SIGTERM"),
];

test("ten callers that were cut off are served in the order in which they first came (H1, H4)", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  const slugs = Array.from({ length: 10 }, (_, at) => `agent-${at}`);
  for (const [at, slug] of slugs.entries()) {
    const cut = CUTS[at % CUTS.length]!;
    const caller = await waits(folder, slug, "--timeout", cut === CUTS[0] ? "0.3" : "60");
    cut(caller);
    await caller.finish();
    await placesAre(folder, at + 1);
  }
  await using late = await waits(folder, "late");
  const back: Started[] = [];
  for (const slug of slugs.toReversed()) back.push(await waits(folder, slug));
  await holder.finish();
  for (const caller of [...back, late]) assertEquals((await caller.finish()).code, 0);
  const served = (await folder.events()).filter((line) => line.endsWith(" acquired"));
  assertEquals(served.slice(1).map((line) => line.split(" ")[0]), [...slugs, "late"]);
  assertEquals(await namesIn(`${folder.state}/places`), []);
  await folder.assertFree();
});

test("a killed waiter has its place when it calls again (H2, H4)", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  await using killed = await waits(folder, "a");
  await using second = await waits(folder, "b");
  killed.signal("SIGKILL");
  await killed.ended;
  await placesAre(folder, 1);
  await using again = await waits(folder, "a");
  await holder.finish();
  for (const caller of [again, second]) assertEquals((await caller.finish()).code, 0);
  const served = (await folder.events()).filter((line) => line.endsWith(" acquired"));
  assertEquals(served, ["holder acquired", "a acquired", "b acquired"]);
}, [LINUX]);

test("giving up tells the place, and until when it is kept, in words, JSON and status", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  await using first = await waits(folder, "first");
  const call = (...flags: string[]) =>
    folder.run(["run", "--slug", "a", "--timeout", "0.2", ...flags, "--", "true"]);
  assertMatch(
    (await call()).err,
    /; your place, 2nd of 2, is kept until \d\d:\d\d:\d\dZ: call again with --slug a\n$/,
  );
  const told = JSON.parse((await call("--json")).err);
  assertEquals([told.event, told.place, told.ahead], ["gave_up", 2, 1]);
  assertMatch(told.place_kept_until, /^\d{4}-\d\d-\d\dT.*Z$/);
  const { out } = await folder.run(["status"]);
  assertMatch(out, /\nabsent +place +kept for\na +after 1 waiter +(10m|9m 5\ds)\n$/);
  const status = JSON.parse((await folder.run(["status", "--json"])).out);
  assertEquals([status.absent.length, status.absent[0].slug, status.absent[0].ahead], [1, "a", 1]);
  await holder.finish();
  assertEquals((await first.finish()).code, 0);
});

test("no place is kept with --keep-place 0, nor for a call that only tries once (H1)", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  for (const flags of [["--timeout", "0.2", "--keep-place", "0"], ["--timeout", "0"]]) {
    const { code, err } = await folder.run(["run", "--slug", "a", ...flags, "--", "true"]);
    assertEquals(code, 75);
    assertMatch(err, /; see lock_folder_util status, try again later/);
  }
  assertEquals(await namesIn(`${folder.state}/places`), []);
  await holder.finish();
});

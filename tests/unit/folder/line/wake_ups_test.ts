/** What wakes a waiter that watches the line, on real folders. */

import { assertEquals } from "@std/assert";
import { lifelinePath, lockPaths, ticketPath } from "../../../../lib/folder/state/layout.ts";
import { openSite } from "../../../../lib/folder/open_site.ts";
import { WakeUps } from "../../../../lib/folder/line/wake_ups.ts";
import { denoSys } from "../../../../lib/sys/deno/sys.ts";
import { eventually } from "../../../process/program.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

/** Sleeps until it is woken: time alone never ends it. */
const untilWoken = (_ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));

Deno.test("a watched line wakes for the ticket ahead, for its own end, and for the lock (L8)", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  const paths = lockPaths(folder.path, "lock");
  const site = openSite({ ...sys, clock: { ...sys.clock, sleep: untilWoken } }, paths);
  const wakeUps = new WakeUps(site, "watch");
  const wakes = async (what: string, change: () => Promise<void>) => {
    let awake = false;
    const asleep = wakeUps.sleep(1).then(() => awake = true);
    await change();
    await eventually(`woken by ${what}`, () => awake);
    await asleep;
  };
  const ticket = (name: string) => ticketPath(paths, name);
  await Deno.mkdir(paths.queue, { recursive: true });
  for (const name of ["a", "b", "c"]) await Deno.writeTextFile(ticket(name), "");
  assertEquals(
    await wakeUps.waitOn([], ticket("a")),
    true,
    "may have gone before it was watched",
  );
  assertEquals(await wakeUps.waitOn([], ticket("a")), false);
  await wakes("the ticket ahead", () => Deno.remove(ticket("a")));
  assertEquals(await wakeUps.waitOn([], ticket("b")), true, "another one: look again");
  await wakes(
    "a ticket that was renamed",
    () => Deno.rename(ticket("b"), `${paths.state}/b`),
  );
  await wakeUps.waitOn([], ticket("c"));
  await wakes("the end of the line", () => Deno.remove(paths.queue, { recursive: true }));
  await Deno.mkdir(paths.lock);
  assertEquals(await wakeUps.watchLock(), true);
  await wakes("the lock", () => Deno.remove(paths.lock));
  await wakeUps.close();
});

Deno.test("a file that was let go after a while and stands anew is waited for again", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  const paths = lockPaths(folder.path, "lock");
  let nowMs = 0;
  const clock = { ...sys.clock, sleep: untilWoken, monotonicMs: () => Promise.resolve(nowMs) };
  const wakeUps = new WakeUps(openSite({ ...sys, clock }, paths), "file locks");
  await Deno.mkdir(paths.alive, { recursive: true });
  const ahead = lifelinePath(paths, "a");
  const letGoAfter = async (ms: number) => {
    const theirs = await sys.files.openNew(ahead, "");
    await theirs.tryLock("exclusive");
    const isNew = await wakeUps.waitOn([ahead], null);
    nowMs += ms;
    await theirs.close();
    if (isNew) await eventually("it is let go", () => !wakeUps.isChained());
    await Deno.remove(ahead);
    return isNew;
  };
  assertEquals(await letGoAfter(5000), true);
  assertEquals(await letGoAfter(5000), true, "a new file of the same name");
  assertEquals(await letGoAfter(0), true);
  assertEquals(await letGoAfter(0), false, "it was granted at once: file locks tell nothing there");
  await wakeUps.close();
});

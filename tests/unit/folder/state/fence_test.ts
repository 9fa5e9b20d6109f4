import { assert, assertEquals } from "@std/assert";
import { lockPaths } from "../../../../lib/folder/state/layout.ts";
import { nextFence } from "../../../../lib/folder/state/fence.ts";
import { openSite } from "../../../../lib/folder/open_site.ts";
import { denoSys } from "../../../../lib/sys/deno/sys.ts";
import { A_RECORD } from "../a_record.ts";
import { logLine } from "../../../../lib/log/lines.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const inTime = () => Promise.resolve(true);

/** The lock in a folder, by a wall clock that stands. */
function siteAt(folder: string, wallMs: number) {
  const sys = denoSys();
  const clock = { ...sys.clock, wallMs: () => Promise.resolve(wallMs) };
  return openSite({ ...sys, clock }, lockPaths(folder, "lock"));
}

const WALL_MS = 1_800_000_000_000;

Deno.test("nextFence(): the first number is above all that a folder emptied of everything may have given (F3)", async () => {
  await using folder = await temporaryFolder();
  const site = siteAt(folder.path, WALL_MS);
  const numbers = [await nextFence(site, inTime), await nextFence(site, inTime)];
  assertEquals(numbers, [WALL_MS + 1, WALL_MS + 2]);
  await Deno.remove(site.paths.state, { recursive: true });
  assertEquals(await nextFence(siteAt(folder.path, WALL_MS + 1000), inTime), WALL_MS + 1001);
});

Deno.test("nextFence(): a file that is lost does not set the count back below the record, whatever the clock (F3)", async () => {
  await using folder = await temporaryFolder();
  const site = siteAt(folder.path, 1000);
  await Deno.mkdir(site.paths.state);
  await Deno.writeTextFile(site.paths.record, JSON.stringify({ ...A_RECORD, fence: WALL_MS }));
  for (const text of [null, "garbage"]) {
    await Deno.remove(site.paths.fence).catch(() => {});
    if (text !== null) await Deno.writeTextFile(site.paths.fence, text);
    const next = await nextFence(site, inTime);
    assert(next !== null && next > WALL_MS);
  }
});

Deno.test("nextFence(): a clock that was set back does not set the count back where the log tells of later holds (F3)", async () => {
  await using folder = await temporaryFolder();
  const site = siteAt(folder.path, WALL_MS);
  const laterMs = WALL_MS + 7_200_000;
  await Deno.writeTextFile(site.paths.log, logLine(laterMs, "a", { event: "acquired" }));
  const next = await nextFence(site, inTime);
  assert(next !== null && next > laterMs, `${next}`);
});

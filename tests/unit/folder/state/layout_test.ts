import { assertEquals } from "@std/assert";
import { lockPaths } from "../../../../lib/folder/state/layout.ts";

Deno.test("lockPaths() puts everything of one lock side by side", () => {
  const paths = lockPaths("/w/.tmp", "lock");
  assertEquals([paths.lock, paths.log, paths.state], [
    "/w/.tmp/lock.lock",
    "/w/.tmp/lock.log",
    "/w/.tmp/lock.state",
  ]);
  assertEquals(paths.record, "/w/.tmp/lock.state/holder.json");
  assertEquals(lockPaths("/", "x").lock, "/x.lock");
});

import { assertEquals } from "@std/assert";
import { inheritedTokens, withHold } from "../../lib/core/inherited.ts";
import { absolutePath, lockPaths } from "../../lib/core/paths.ts";

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

Deno.test("absolutePath() resolves dots by their spelling", () => {
  const known: [string, string, string][] = [
    [".tmp", "/w", "/w/.tmp"],
    ["./a/../b//c/.", "/w", "/w/b/c"],
    ["..", "/w/x", "/w"],
    ["../../../..", "/w", "/"],
    ["/abs/./x/", "/w", "/abs/x"],
    ["", "/w", "/w"],
    ["a b/ü", "/w x", "/w x/a b/ü"],
    ["back\\slash", "/w", "/w/back\\slash"],
    ["C:\\locks\\.\\x", "C:\\w", "C:/locks/x"],
    ["rel\\x", "C:\\w", "C:/w/rel/x"],
  ];
  for (const [path, folder, absolute] of known) {
    assertEquals(absolutePath(path, folder), absolute, path);
  }
});

const TOKEN = "abcdefgh12345678";
const OTHER = "zzzzzzzz12345678";

Deno.test("inheritedTokens() names every hold that is inherited, the newest first", () => {
  const held = withHold(withHold(undefined, "/a/lock.lock", TOKEN), "/b/lock.lock", OTHER);
  assertEquals(held, `/b/lock.lock:${OTHER}\n/a/lock.lock:${TOKEN}`);
  assertEquals(inheritedTokens(held), [OTHER, TOKEN]);
});

Deno.test("withHold() replaces an older hold of the same lock, and of no other", () => {
  const twice = withHold(withHold(undefined, "/a/lock.lock", TOKEN), "/a/lock.lock", OTHER);
  assertEquals(twice, `/a/lock.lock:${OTHER}`);
  const longer = withHold(undefined, "/a/lock.lock:x/lock.lock", TOKEN);
  assertEquals(inheritedTokens(withHold(longer, "/a/lock.lock", OTHER)), [OTHER, TOKEN]);
});

Deno.test("inheritedTokens() takes nothing that is no token", () => {
  for (const text of [undefined, "", "/a/lock.lock", "/a/lock.lock:", "/a/lock.lock:../x"]) {
    assertEquals(inheritedTokens(text), [], text);
  }
});

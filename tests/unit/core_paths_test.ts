import { assertEquals } from "@std/assert";
import { inheritedToken, withHold } from "../../lib/core/inherited.ts";
import { absolutePath, baseName, lockPaths } from "../../lib/core/paths.ts";

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

Deno.test("baseName() is the last part", () => {
  assertEquals(["/a/b", "a", "/a/", "C:\\x\\y"].map(baseName), ["b", "a", "", "y"]);
});

const TOKEN = "abcdefgh12345678";
const OTHER = "zzzzzzzz12345678";

Deno.test("inheritedToken() finds the token of this lock among several", () => {
  const held = withHold(withHold(undefined, "/a/lock.lock", TOKEN), "/b/lock.lock", OTHER);
  assertEquals(held, `/b/lock.lock:${OTHER}\n/a/lock.lock:${TOKEN}`);
  assertEquals(inheritedToken(held, "/a/lock.lock"), TOKEN);
  assertEquals(inheritedToken(held, "/b/lock.lock"), OTHER);
  assertEquals(inheritedToken(held, "/c/lock.lock"), null);
});

Deno.test("withHold() replaces an older hold of the same lock", () => {
  const held = withHold(withHold(undefined, "/a/lock.lock", TOKEN), "/a/lock.lock", OTHER);
  assertEquals(inheritedToken(held, "/a/lock.lock"), OTHER);
  assertEquals(held.split("\n").length, 1);
});

Deno.test("inheritedToken() keeps apart locks of which one's path begins like the other's", () => {
  const held = withHold(undefined, "/a/lock.lock:x/lock.lock", TOKEN);
  assertEquals(inheritedToken(held, "/a/lock.lock"), null);
  assertEquals(inheritedToken(held, "/a/lock.lock:x/lock.lock"), TOKEN);
});

Deno.test("inheritedToken() takes nothing that is no token", () => {
  for (const text of [undefined, "", "/a/lock.lock", "/a/lock.lock:", "/a/lock.lock:../x", TOKEN]) {
    assertEquals(inheritedToken(text, "/a/lock.lock"), null, text);
  }
});

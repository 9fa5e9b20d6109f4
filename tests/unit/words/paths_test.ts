import { assertEquals } from "@std/assert";
import { absolutePath } from "../../../lib/words/paths.ts";

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

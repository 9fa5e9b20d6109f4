import { assertEquals } from "@std/assert";
import { inheritedTokens, withHold } from "../../../lib/lock/variables.ts";

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

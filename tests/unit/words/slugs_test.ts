import { assertEquals } from "@std/assert";
import { isLockName, isSlug, showForeign } from "../../../lib/words/slugs.ts";

Deno.test("isSlug() takes what is visible, in any script", () => {
  for (const slug of ["a", "agent-1", "ci/build#7", "Jürgen", "部署", "é", "a'b\"c$", "🚀"]) {
    assertEquals(isSlug(slug), true, slug);
  }
});

Deno.test("isSlug() refuses white space, controls and what hides or turns text", () => {
  const white = ["", " ", "a b", "a\tb", "a\nb", "a\rb", "a\u00a0b", "a\u2028b", "\u3000"];
  const hidden = ["a\0", "\x1b[2J", "a\x7f", "a\u0085", "a\u202eb", "a\u2066b", "a\u200bb"];
  const nothing = [
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u3164",
    "\u034f",
    "\ufe0f",
    "\ud800",
    "\u2800",
    "\u0301",
  ];
  for (const slug of [...white, ...hidden, ...nothing]) {
    assertEquals(isSlug(slug), false, JSON.stringify(slug));
  }
});

Deno.test("isSlug() counts characters, not units of memory", () => {
  assertEquals([isSlug("x".repeat(64)), isSlug("x".repeat(65))], [true, false]);
  assertEquals([isSlug("🚀".repeat(64)), isSlug("🚀".repeat(65))], [true, false]);
});

Deno.test("isLockName() takes file names of every system", () => {
  for (const name of ["lock", "a", "A-1", "deploy.eu_1", "_x", "x".repeat(64)]) {
    assertEquals(isLockName(name), true, name);
  }
  const wrong = ["", ".", "..", ".x", "-x", "x.", "a/b", "a\\b", "a:b", "a b", "ü", "x\n"];
  for (const name of [...wrong, "x".repeat(65)]) assertEquals(isLockName(name), false, name);
});

Deno.test("showForeign() shows what drives a terminal or hides as numbers", () => {
  assertEquals(showForeign("plain text"), "plain text");
  assertEquals(showForeign("a\x1b[2J\n\u202e\0"), "a\\u{1b}[2J\\u{a}\\u{202e}\\u{0}");
});

Deno.test("showForeign() cuts what is very long", () => {
  assertEquals(showForeign("x".repeat(81)), `${"x".repeat(80)}…`);
  assertEquals(showForeign("x".repeat(80)), "x".repeat(80));
});

import { assertEquals } from "@std/assert";
import { hanging, wrapped } from "../../../lib/words/columns.ts";

Deno.test("what a no-break space holds together stays together in every line", () => {
  const text = "  a [b\u00a0c] [d\u00a0e] [f\u00a0g]";
  assertEquals(hanging(text, 10, 2), ["  a [b c]", "    [d e]", "    [f g]"]);
  assertEquals(wrapped(text.trimStart(), 7), ["a [b c]", "[d e]", "[f g]"]);
});

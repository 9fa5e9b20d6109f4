import { assertEquals } from "@std/assert";
import { jsonText } from "../../../lib/words/json.ts";

Deno.test("an object of JSON is one line for a program, and indented on a terminal", () => {
  const value = { slug: "a\nb", waited_ms: [1] };
  assertEquals(jsonText(value, null), '{"slug":"a\\nb","waited_ms":[1]}\n');
  assertEquals(jsonText(value, 80), '{\n  "slug": "a\\nb",\n  "waited_ms": [\n    1\n  ]\n}\n');
  assertEquals(JSON.parse(jsonText(value, 80)), value);
});

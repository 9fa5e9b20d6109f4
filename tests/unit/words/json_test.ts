import { assertEquals } from "@std/assert";
import { inJsonStyle, jsonText } from "../../../lib/words/json.ts";

Deno.test("an object of JSON is one line for a program, and indented on a terminal", () => {
  const value = { slug: "a\nb", waited_ms: [1] };
  assertEquals(jsonText(value, null), '{"slug":"a\\nb","waited_ms":[1]}\n');
  assertEquals(jsonText(value, 80), '{\n  "slug": "a\\nb",\n  "waited_ms": [\n    1\n  ]\n}\n');
  assertEquals(JSON.parse(jsonText(value, 80)), value);
});

Deno.test("inJsonStyle() writes names in snake_case, and milliseconds whole", () => {
  assertEquals(inJsonStyle({ heldMs: 2.6, p95Ms: [1.2], use: 0.55, last: { gaveUp: null } }), {
    held_ms: 3,
    p95_ms: [1],
    use: 0.55,
    last: { gave_up: null },
  });
});

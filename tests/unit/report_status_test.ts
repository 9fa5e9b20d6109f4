import { assertEquals, assertStringIncludes } from "@std/assert";
import { statusText } from "../../lib/report/status_text.ts";

Deno.test("statusText() says which waiter is stopped, and what lets it go on", () => {
  const waiter = { pid: 17, host: "vm", waitedMs: 90_000, expectedMs: null, stopped: true };
  const queue = [{ ...waiter, place: 1, slug: "a" }];
  const text = statusText({ lockPath: "/srv/lock.lock", held: null, queue, lastHold: null }, 0);
  assertStringIncludes(text, "pid 17 on vm, stopped: kill -CONT 17 lets it go on");
});

Deno.test("statusText() has names to the left and figures to the right", () => {
  const waiter = { pid: 17, host: "vm", waitedMs: 90_000, expectedMs: null, stopped: false };
  const queue = [
    { ...waiter, place: 1, slug: "a" },
    { ...waiter, place: 2, slug: "agent-12", pid: 4711, waitedMs: 1000, expectedMs: 60_000 },
  ];
  const text = statusText({ lockPath: "/srv/lock.lock", held: null, queue, lastHold: null }, 0);
  assertEquals(text.split("\n").slice(-4), [
    "place  waiter    process         waited     to go",
    "1      a         pid 17 on vm    1m 30s",
    "2      agent-12  pid 4711 on vm      1s  about 1m",
    "",
  ]);
});

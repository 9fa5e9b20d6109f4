import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { statusText } from "../../../lib/report/status_text.ts";
import { A_RECORD } from "../folder/a_record.ts";
import { viewHold } from "../../../lib/folder/visit/status.ts";

Deno.test("statusText() says which waiter is stopped, and what lets it go on", () => {
  const waiter = {
    pid: 17,
    host: "vm",
    waitedMs: 90_000,
    expectedMs: null,
    stopped: true,
    note: null,
  };
  const queue = [{ ...waiter, place: 1, slug: "a" }];
  const text = statusText(
    { lock: "/srv/lock.lock", held: null, queue, absent: [], lastHold: null },
    0,
  );
  assertStringIncludes(text, "pid 17 on vm, stopped: kill -CONT 17 lets it go on");
});

Deno.test("statusText() gives no hold of the log a length that its whole seconds do not tell", () => {
  const startMs = Date.parse("2026-08-22T23:05:52Z");
  const words = (lastedMs: number, agoMs: number) => {
    const endMs = startMs + lastedMs;
    const lastHold = { slug: "a", startMs, endMs };
    const view = { lock: "/srv/lock.lock", held: null, queue: [], absent: [], lastHold };
    return /, for .*/.exec(statusText(view, endMs + agoMs))?.[0];
  };
  assertEquals(words(0, 300), ", for under 1s, ended just now");
  assertEquals(words(1000, 1900), ", for 1s, ended 1s ago");
});

Deno.test("statusText() shows a command as a shell takes it", () => {
  const { slug, mode, pid } = A_RECORD;
  const hold = viewHold(A_RECORD, ["sh", "-c", "sleep 5; echo 'x'", "", "a/b"]);
  const why = "it lives";
  const holder = { slug, mode, pid, host: "vm", sinceMs: 0, why, oddity: null, isNew: false };
  const verdict = { state: "held", reason: null, why, silent: false, stopped: [] } as const;
  const held = { holder, hold, verdict, ageMs: 0, entries: [], remover: null };
  const text = statusText(
    { lock: "/srv/lock.lock", held, queue: [], absent: [], lastHold: null },
    0,
  );
  assertMatch(text, /^command +sh -c 'sleep 5; echo '\\''x'\\''' '' a\/b$/m);
});

Deno.test("statusText() has names to the left and figures to the right", () => {
  const waiter = {
    pid: 17,
    host: "vm",
    waitedMs: 90_000,
    expectedMs: null,
    stopped: false,
    note: null,
  };
  const queue = [
    { ...waiter, place: 1, slug: "a" },
    { ...waiter, place: 2, slug: "agent-12", pid: 4711, waitedMs: 1000, expectedMs: 60_000 },
  ];
  const text = statusText(
    { lock: "/srv/lock.lock", held: null, queue, absent: [], lastHold: null },
    0,
  );
  assertEquals(text.split("\n").slice(-4), [
    "place  waiter    process         waited     to go",
    "1      a         pid 17 on vm    1m 30s",
    "2      agent-12  pid 4711 on vm      1s  about 1m",
    "",
  ]);
});

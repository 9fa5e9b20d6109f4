import { assertEquals, assertGreater, assertLessOrEqual, assertThrows } from "@std/assert";
import { FIRST_POLL_MS, pollAfterMs } from "../../lib/core/backoff.ts";
import { heartbeatMs } from "../../lib/core/heartbeat.ts";
import { inOrder, nextTicketName, turnOf } from "../../lib/core/line.ts";

Deno.test("nextTicketName() comes after all in line", () => {
  assertEquals(nextTicketName([], "abc"), "0000000001-abc");
  const names = ["0000000009-zzz", "0000000010-aaa", ".0000000099-hidden", "notes.txt"];
  const next = nextTicketName(names, "aaa");
  assertEquals(next, "0000000011-aaa");
  assertEquals(inOrder([next, ...names]), ["0000000009-zzz", "0000000010-aaa", next]);
});

Deno.test("nextTicketName() keeps its form whatever was planted", () => {
  const planted = ["9999999999-x", "99999999999-x", "0000000002-X", "0000000003-", "-1-x"];
  assertEquals(nextTicketName(planted, "abc"), "0000000001-abc");
  assertEquals(nextTicketName(["9999999998-x"], "abc"), "9999999999-abc");
});

Deno.test("turnOf() tells the place and who is straight ahead", () => {
  const names = ["0000000003-c", "0000000001-a", ".0000000000-x", "0000000002-b", "junk"];
  assertEquals(turnOf(names, "0000000001-a"), { place: 1, ahead: null });
  assertEquals(turnOf(names, "0000000002-b"), { place: 2, ahead: "0000000001-a" });
  assertEquals(turnOf(names, "0000000003-c"), { place: 3, ahead: "0000000002-b" });
  assertEquals(turnOf(names, "0000000004-d"), null);
});

Deno.test("turnOf() lets the random part decide between equal numbers", () => {
  const names = ["0000000001-b", "0000000001-a"];
  assertEquals(turnOf(names, "0000000001-a")?.place, 1);
  assertEquals(turnOf(names, "0000000001-b")?.place, 2);
});

Deno.test("pollAfterMs() starts short, grows by half and ends at --poll, within a tenth", () => {
  assertEquals(pollAfterMs(0, 15_000, 1, 0.5), FIRST_POLL_MS);
  assertEquals(pollAfterMs(1, 15_000, 1, 0.5), 1.5 * FIRST_POLL_MS);
  assertEquals(pollAfterMs(1000, 15_000, 1, 0.5), 15_000);
  assertEquals(pollAfterMs(0, 10, 1, 0.5), 10);
  for (let looks = 0; looks < 200; looks++) {
    const [low, middle, high] = [0, 0.5, 0.999].map((part) => pollAfterMs(looks, 15_000, 1, part));
    assertGreater(low!, 0.899 * middle!);
    assertLessOrEqual(high!, 1.1 * middle!);
  }
});

Deno.test("pollAfterMs() lets those further back look less often at first", () => {
  assertGreater(pollAfterMs(0, 15_000, 5, 0.5), pollAfterMs(0, 15_000, 1, 0.5));
  assertEquals(pollAfterMs(0, 100, 50, 0.5), 100);
});

Deno.test("pollAfterMs() costs a hand-off at most about half the length of the hold", () => {
  for (const holdMs of [200, 1000, 10_000, 60_000]) {
    let lookMs = 0;
    for (let looks = 0; lookMs < holdMs; looks++) lookMs += pollAfterMs(looks, 1e9, 1, 0.5);
    assertLessOrEqual(lookMs - holdMs, 0.5 * holdMs + FIRST_POLL_MS);
  }
});

Deno.test("heartbeatMs() is a quarter of --stale, at most five seconds", () => {
  assertEquals([100, 400, 12_000, 600_000].map(heartbeatMs), [25, 100, 3000, 5000]);
  assertThrows(() => heartbeatMs(-1), RangeError);
});

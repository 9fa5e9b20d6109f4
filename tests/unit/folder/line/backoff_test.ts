/** How often a waiter looks, and a holder beats. */

import { assertEquals, assertGreater, assertLessOrEqual, assertThrows } from "@std/assert";
import { FIRST_POLL_MS, pollAfterMs } from "../../../../lib/folder/line/progress.ts";
import { heartbeatMs } from "../../../../lib/lock/times.ts";

Deno.test("pollAfterMs() starts short, grows by half and ends at --poll, within a tenth (L9)", () => {
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

Deno.test("heartbeatMs() is a quarter of --stale, at most five seconds (B1, V20)", () => {
  assertEquals([100, 400, 12_000, 600_000].map(heartbeatMs), [25, 100, 3000, 5000]);
  assertThrows(() => heartbeatMs(-1), RangeError);
});

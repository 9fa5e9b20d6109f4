import { assertEquals } from "@std/assert";
import { elapsedMs } from "../../../lib/sys/elapsed.ts";

const SINCE = { monotonicMs: 100, wallMs: 1_800_000_000_000 };

function later(monotonicMs: number, wallMs: number) {
  return {
    monotonicMs: SINCE.monotonicMs + monotonicMs,
    wallMs: SINCE.wallMs + wallMs,
  };
}

Deno.test("elapsedMs(): a sleep of the machine counts, though its monotonic clock stood still", () => {
  assertEquals(elapsedMs(SINCE, later(5, 60_000)), 60_000);
});

Deno.test("elapsedMs(): a wall clock that was set back hides nothing", () => {
  assertEquals(elapsedMs(SINCE, later(5000, -3_600_000)), 5000);
});

Deno.test("elapsedMs(): without sleep and with honest clocks both say the same", () => {
  assertEquals(elapsedMs(SINCE, later(5000, 5000)), 5000);
});

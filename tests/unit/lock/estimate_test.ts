import { assertEquals } from "@std/assert";
import { expectedWaitMs } from "../../../lib/lock/times.ts";

Deno.test("expectedWaitMs() counts those ahead, and what the holder has left", () => {
  assertEquals(expectedWaitMs(0, 5000, 0), 0);
  assertEquals(expectedWaitMs(1, 5000, 2000), 3000);
  assertEquals(expectedWaitMs(1, 5000, 9000), null, "overdue: nobody can say");
  assertEquals(expectedWaitMs(2, 5000, 9000), 5000);
  assertEquals(expectedWaitMs(8, 300_000, 0), 2_400_000);
});

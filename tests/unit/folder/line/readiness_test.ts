/** When a waiter gets ready for its hold. */

import { assertEquals } from "@std/assert";
import { Readiness } from "../../../../lib/folder/line/progress.ts";

const AT_MS = 5000;

function readiness(calls: string[]): Readiness {
  return new Readiness({ getReady: (token) => Promise.resolve(void calls.push(token)) });
}

Deno.test("who is next gets ready at once, a crowd one after the other (L17)", () => {
  const due = readiness([]);
  const places = [1, 2, 3, 4, 12, 13].map((place) => Math.max(0, due.dueInMs(place, AT_MS)));
  assertEquals(places, [0, 0, 50, 100, 500, Infinity]);
  assertEquals(due.dueInMs(4, AT_MS + 70), 30);
  assertEquals(due.dueInMs(12, AT_MS + 60_000) <= 0, true, "it has come near: at once");
});

Deno.test("a waiter gets ready once, its sleep too", async () => {
  const calls: string[] = [];
  const due = readiness(calls);
  await due.getReady("token", { rehearse: () => Promise.resolve(void calls.push("rung")) });
  assertEquals(calls, ["token", "rung"]);
  assertEquals(due.dueInMs(1, AT_MS), Infinity);
});

Deno.test("who has nothing to get ready is never due", () => {
  assertEquals(new Readiness({}).dueInMs(1, AT_MS + 10_000), Infinity);
});

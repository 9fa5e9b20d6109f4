import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Fleet, planFleet } from "../../../lib/fleet/plan.ts";
import { planJson, planText } from "../../../lib/fleet/plan_text.ts";

const FLEET: Fleet = {
  slots: 1,
  agents: 12,
  holdMs: 1000,
  pollMs: 15_000,
  timeoutMs: 1_800_000,
  staggerMs: 60_000,
};

Deno.test("plan of twelve agents, a second each, takes a poller about 155 seconds", () => {
  const { ours, poller } = planFleet(FLEET);
  assertEquals(Math.round(poller.wallMs / 1000), 155);
  assert(ours.wallMs < 73_000);
  assertStringIncludes(planText(planFleet(FLEET), { width: 80 }), "155s");
});

Deno.test("plan of twelve agents with half an hour lets each hold for 164 seconds", () => {
  const plan = planFleet({ ...FLEET, staggerMs: 0 });
  assertEquals(Math.round(plan.ours.longestHoldMs! / 1000), 164);
  assertStringIncludes(planText(plan, { width: 80 }), "164s");
});

Deno.test("plan takes a hand-off to last as long as the README says that it does", () => {
  assertMatch(planText(planFleet(FLEET), { width: 80 }), /^hand-off +10ms +7\.5s$/m);
});

Deno.test("plan says truly from which hold on somebody gives up", () => {
  for (const staggerMs of [0, 60_000]) {
    const { ours, poller } = planFleet({ ...FLEET, staggerMs });
    for (
      const [name, limitMs] of [["ours", ours.longestHoldMs!], [
        "poller",
        poller.longestHoldMs!,
      ]] as const
    ) {
      assertEquals(planFleet({ ...FLEET, staggerMs, holdMs: limitMs - 1 })[name].gaveUp, 0);
      assert(planFleet({ ...FLEET, staggerMs, holdMs: limitMs + 1 })[name].gaveUp > 0);
    }
  }
});

Deno.test("plan knows fleets without a limit, and of one", () => {
  const endless = planFleet({ ...FLEET, timeoutMs: null });
  assertEquals([endless.ours.gaveUp, endless.ours.longestHoldMs], [0, null]);
  const alone = planFleet({ ...FLEET, agents: 1, staggerMs: 0 });
  assertEquals([alone.ours.wallMs, alone.ours.use, alone.ours.longestHoldMs], [1000, 1, null]);
  const hopeless = planFleet({ ...FLEET, staggerMs: 3_600_000 });
  assertEquals(hopeless.ours.longestHoldMs, 0);
});

Deno.test("plan at best serves whom it can as they come", () => {
  const spread = planFleet({ ...FLEET, staggerMs: 12_000 }).oursAtBest;
  assertEquals([Math.round(spread.wallMs / 1000), spread.longestWaitMs], [13, 0]);
  const rare = planFleet(FLEET).oursAtBest;
  assertEquals([rare.wallMs, rare.longestWaitMs, rare.gaveUp], [61_000, 0, 0]);
  const dense = planFleet({ ...FLEET, staggerMs: 6000 });
  assert(dense.oursAtBest.wallMs < dense.ours.wallMs && dense.oursAtBest.longestWaitMs > 5000);
  const { gaveUp: _, ...asOne } = planFleet({ ...FLEET, staggerMs: 0 }).oursAtBest;
  const { wallMs, use, longestWaitMs } = planFleet({ ...FLEET, staggerMs: 0 }).ours;
  assertEquals(asOne, { wallMs, use, longestWaitMs }, "who come at once all wait but the first");
  assertMatch(
    planText(planFleet(FLEET), { width: 200 }),
    /free when the first one comes, this program takes 61s \(1m 1s\) in all \(use 20%\), and nobody waits\./,
  );
});

Deno.test("plan as JSON is one object", () => {
  const plan = JSON.parse(planJson(planFleet(FLEET), null));
  assertEquals([plan.agents, plan.poller.wall_ms], [12, 154_500]);
});

Deno.test("plan of several slots takes as many holds side by side, and tells the use of all", () => {
  const fleet = { ...FLEET, staggerMs: 0, slots: 3 };
  const { ours } = planFleet(fleet);
  // Four holds one after the other in each slot, and three hand-offs.
  assertEquals(ours.wallMs, 4 * 1000 + 3 * ours.handOffMs);
  assertEquals(Math.round(ours.use * 100), 99);
  assertEquals(Math.round(ours.longestHoldMs! / 1000), 600);
  assertEquals(planFleet({ ...fleet, holdMs: ours.longestHoldMs! - 1 }).ours.gaveUp, 0);
  assert(planFleet({ ...fleet, holdMs: ours.longestHoldMs! + 1 }).ours.gaveUp > 0);
  assertStringIncludes(planText(planFleet(fleet), { width: 80 }), "each holding one of 3 slots");
});

Deno.test("plan of more slots than agents lets nobody wait", () => {
  const { ours } = planFleet({ ...FLEET, staggerMs: 0, slots: 20 });
  assertEquals([ours.longestWaitMs, ours.wallMs, ours.longestHoldMs], [0, 1000, null]);
});

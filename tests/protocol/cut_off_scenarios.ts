/** Callers whose calls are cut off, and who call again: their places are kept meanwhile. */

import type { RandomScenario } from "./scenarios.ts";
import { scenario } from "./scenarios.ts";
import { holds, type Job, runs } from "./scripts.ts";

const ALPHA = { host: "alpha" };
const BETA = { host: "beta", watch: "own", attributesMayLagMs: 30_000 } as const;

/**
 * Many waits end in vain, and the place mostly outlasts the time away. None is as long as a lock must be watched before
 * age breaks it: what one call has seen counts for the next.
 */
const CUT_OFF: Job = { worksMs: 8000, timeoutMs: 3000, awayMs: 2000, keepPlaceMs: 10_000 };
const ON_A_SHARE: Job = { worksMs: 50_000, timeoutMs: 20_000, awayMs: 5000, keepPlaceMs: 30_000 };
const TWICE: Job = { ...CUT_OFF, holds: 2 };

export const CUT_OFF_SCENARIOS: readonly RandomScenario[] = [
  {
    scenario: scenario("calls that are cut off", [
      { on: ALPHA, name: "a", does: runs(TWICE) },
      { on: ALPHA, name: "b", does: runs({ worksMs: 15_000, holds: 2 }) },
      { on: ALPHA, name: "c", does: holds(TWICE) },
      { on: ALPHA, name: "c again", does: runs({ ...CUT_OFF, slug: "c" }) },
    ]),
    chaos: { events: 300, kills: 1, freezes: 2, commandKills: 1 },
  },
  {
    scenario: scenario("calls that are cut off, on two machines", [
      { on: ALPHA, name: "a", does: runs(ON_A_SHARE) },
      { on: BETA, name: "b", does: runs({ ...ON_A_SHARE, holds: 2 }) },
      { on: BETA, name: "a again", does: runs({ ...ON_A_SHARE, slug: "a", worksMs: 90_000 }) },
    ]),
    chaos: { events: 300, kills: 1, freezes: 1 },
  },
];

/** All scenes: random schedules are drawn from each in turn. */

import { CUT_OFF_SCENARIOS } from "./cut_off_scenarios.ts";
import { ALL_SCENARIOS } from "./fault_scenarios.ts";
import type { RandomScenario } from "./scenarios.ts";
import { SLOT_SCENARIOS } from "./slot_scenarios.ts";
import { TIME_SCENARIOS } from "./time_scenarios.ts";

export const EVERY_SCENARIO: readonly RandomScenario[] = [
  ...ALL_SCENARIOS,
  ...TIME_SCENARIOS,
  ...CUT_OFF_SCENARIOS,
  ...SLOT_SCENARIOS,
];

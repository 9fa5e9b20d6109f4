/** All scenes: random schedules are drawn from each in turn. */

import { ALL_SCENARIOS } from "./fault_scenarios.ts";
import type { RandomScenario } from "./scenarios.ts";
import { TIME_SCENARIOS } from "./time_scenarios.ts";

export const EVERY_SCENARIO: readonly RandomScenario[] = [...ALL_SCENARIOS, ...TIME_SCENARIOS];

/** `plan`: what a fleet can expect of the lock before it is let loose. */

import { POLL_FLOOR_MS } from "../../lock/times.ts";
import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import { planFleet } from "../../fleet/plan.ts";
import { planJson, planText } from "../../fleet/plan_text.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { countOption, durationOption } from "../options.ts";
import { slotsOption } from "../slots_option.ts";
import { outLooks } from "../say.ts";

/** Beyond this nobody plans, and the sums take long. */
const MOST_AGENTS = 100_000;

export async function planCommand(parsed: ParsedLine, host: Host): Promise<number> {
  for (const name of ["agents", "hold"] as const) {
    if (parsed.values[name] === undefined) {
      throw new UsageError(`--${name} is missing; see lock_folder_util help plan`);
    }
  }
  const plan = planFleet({
    agents: countOption(parsed, "agents", MOST_AGENTS),
    holdMs: durationOption(parsed, "hold", 0),
    pollMs: durationOption(parsed, "poll", POLL_FLOOR_MS),
    timeoutMs: parsed.values.timeout === "none" ? null : durationOption(parsed, "timeout", 0),
    staggerMs: durationOption(parsed, "stagger", 0),
    slots: slotsOption(parsed, "slots")?.length ?? 1,
  });
  const text = parsed.set.has("json")
    ? planJson(plan, await host.terminal.outColumns())
    : planText(plan, await outLooks(host));
  await host.terminal.out(text);
  return EXIT.done;
}

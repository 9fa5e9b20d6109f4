/** The slots that a command line names: few do. */

import { UsageError } from "../lock/failures.ts";
import { parseSlots } from "../lock/slots.ts";
import type { ParsedLine } from "./command_line.ts";

/**
 * The slots that a flag names.
 * @return null if it is not given
 */
export function slotsOption(
  { values }: ParsedLine,
  name: "slots" | "set",
): readonly string[] | null {
  const given = values[name];
  if (given === undefined) return null;
  const parsed = parseSlots(given);
  if ("slots" in parsed) return parsed.slots;
  throw new UsageError(`--${name} ${parsed.problem}`);
}

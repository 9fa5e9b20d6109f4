/** What the table of commands says of each. */

import type { FlagName } from "./flags.ts";

/** What a person wants to do, as the lists of commands have it, in this order. */
export const GROUPS = ["take", "look", "set up"] as const;

export interface CommandSpec {
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  /** What stands after the name, in usage lines. */
  readonly synopsis: string;
  readonly summary: string;
  /** One paragraph, in as many pieces as the source likes. */
  readonly details: readonly string[];
  readonly flags: readonly FlagName[];
  /** What is different about some of them here. */
  readonly differs?: Partial<Record<FlagName, FlagDifference>>;
  /** Whether a command of the user's follows after `--`. */
  readonly takesCommand: boolean;
  /** Whether `--name` may be given several times: all of those locks at once. */
  readonly takesSeveral?: boolean;
  /** How many words may follow its name. */
  readonly operands: number;
  /** What its operand may be: for completions. */
  readonly words?: readonly string[];
  readonly examples: readonly string[];
}

/** What a flag does or is in one command, where that is not what it is in all. */
export interface FlagDifference {
  /** Null: it must be given. */
  readonly byDefault?: string | null;
  readonly help?: string;
}

/** `completions SHELL`. */

import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import { showForeign } from "../../words/slugs.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { bashCompletions } from "../completions/bash.ts";
import { fishCompletions } from "../completions/fish.ts";
import { powershellCompletions } from "../completions/powershell.ts";
import { zshCompletions } from "../completions/zsh.ts";

const SHELLS: Readonly<Record<string, () => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
  powershell: powershellCompletions,
};

export async function completionsCommand({ operands }: ParsedLine, host: Host): Promise<number> {
  const [shell] = operands;
  const known = Object.keys(SHELLS).join(", ");
  if (shell === undefined) throw new UsageError(`completions needs a shell: one of ${known}`);
  const completions = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (!completions) {
    throw new UsageError(`no completions for "${showForeign(shell)}"; there are some for ${known}`);
  }
  await host.terminal.out(completions());
  return EXIT.done;
}

/** `completions SHELL`. */

import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import { showForeign } from "../../words/slugs.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { COMPLETIONS } from "../completions.ts";

export async function completionsCommand({ operands }: ParsedLine, host: Host): Promise<number> {
  const [shell] = operands;
  const known = Object.keys(COMPLETIONS).join(", ");
  if (shell === undefined) throw new UsageError(`completions needs a shell: one of ${known}`);
  if (!Object.hasOwn(COMPLETIONS, shell)) {
    throw new UsageError(`no completions for "${showForeign(shell)}"; there are some for ${known}`);
  }
  await host.terminal.out(COMPLETIONS[shell]!);
  return EXIT.done;
}

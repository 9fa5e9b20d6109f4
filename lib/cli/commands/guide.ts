/** `guide`: the instructions for agents, for the folder that is named. */

import { EXIT } from "../../lock/exit_codes.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { guideText } from "../wording/guide_text.ts";
import { sharedWord } from "../../words/paths.ts";
import { givenDir, lockOption } from "../which_lock.ts";

/**
 * A word stays a word: the guide is read on other machines too, where it stands for another path. The
 * folder is not looked at; whoever writes the instructions need not be where the agents will work.
 */
export async function guideCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const given = givenDir(parsed, host.environment);
  const word = sharedWord(given ?? undefined);
  const paths = lockOption(parsed, host.environment);
  const isPath = given !== null && word === null;
  await host.terminal.out(guideText({
    dir: isPath ? paths.dir : word,
    lockPath: isPath ? paths.lock : null,
    name: parsed.values.name ?? null,
  }));
  return EXIT.done;
}

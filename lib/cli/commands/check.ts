/** `check`: exits with 0 if the caller still holds the lock, with 1 and a line if not. */

import { EXIT } from "../../lock/exit_codes.ts";
import { NotHolder } from "../../lock/failures.ts";
import { HELD_VARIABLE, inheritedTokens } from "../../lock/variables.ts";
import { checkHold, type Claimant } from "../../folder/visit/check.ts";
import { lookAtMount } from "../../folder/place/mount.ts";
import { openSite } from "../../folder/open_site.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { fenceOption, lockOption } from "../options.ts";

export async function checkCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const paths = lockOption(parsed, host.environment);
  const fence = fenceOption(parsed);
  const tokens = inheritedTokens(host.environment.get(HELD_VARIABLE));
  if (fence === null && tokens.length === 0) {
    throw new NotHolder(paths.lock, "no hold inherited", null);
  }
  const claimant: Claimant = fence !== null ? { by: "fence", fence } : { by: "tokens", tokens };
  const mount = await lookAtMount(host.mounts, paths.dir);
  await checkHold(openSite(host, paths, { mount }), claimant);
  return EXIT.done;
}

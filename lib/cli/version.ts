/** `--version`: our own, as `deno.json` has it; the run-time's only when asked. */

import project from "../../deno.json" with { type: "json" };
import { PROGRAM } from "./wording/messages.ts";

const VERSION: string = project.version;

/** @param runtimeVersion shown if given */
export function versionText(runtimeVersion: string | null): string {
  return `${PROGRAM} ${VERSION}\n${runtimeVersion === null ? "" : `deno ${runtimeVersion}\n`}`;
}

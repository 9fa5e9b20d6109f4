/** How the tools end: one plain line and an exit code, never a stack trace for what is expected. */

/** EX_UNAVAILABLE of sysexits.h: something outside this folder is missing. `.ci/run` looks for it. */
const UNAVAILABLE_EXIT_CODE = 69;

/** Something that a tool needs from outside cannot be had; the message says what to do. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

/**
 * Runs a tool's work and ends the process with 1 or 69 if it fails.
 *
 * @param tool the tool's name, put before the message
 * @param work what to do
 */
export async function runTool(tool: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`${tool}: ${error instanceof Error ? error.message : String(error)}`);
    Deno.exit(error instanceof Unavailable ? UNAVAILABLE_EXIT_CODE : 1);
  }
}

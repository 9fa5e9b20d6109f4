/** What some tests need that not every machine has. A test that cannot run says why. */

import { type Outcome, type Place, PROGRAM, runCommand } from "./program.ts";

/** Something a test needs: there, or the reason why it is not. */
export interface Need {
  readonly missing: string | null;
}

const NOTHING: Need = { missing: null };

/** Commands under the lock are shell lines here. */
export const POSIX: Need = {
  missing: Deno.build.os === "windows" ? "it takes a POSIX shell and POSIX signals" : null,
};

export const LINUX: Need = {
  missing: Deno.build.os === "linux" ? null : "it takes Linux",
};

/** Registers a test, or says why it cannot run here. */
export function test(
  name: string,
  fn: () => Promise<void>,
  needs: readonly Need[] = [POSIX],
): void {
  const missing = missingOf(needs);
  if (missing !== null) console.log(`skipped: ${name}: ${missing}`);
  Deno.test({ name, ignore: missing !== null, fn });
}

/** All that is missing, each once: who provides the first must not find out the next by another run. */
export function missingOf(needs: readonly Need[]): string | null {
  const missing = needs.flatMap((need) => need.missing ?? []);
  return missing.length === 0 ? null : [...new Set(missing)].join("; ");
}

/**
 * @param args a call of the program that succeeds where it can be used at all
 * @param takes what such a call needs, where that is more than the program
 */
export async function needProgram(
  program: string,
  args: readonly string[],
  takes?: string,
): Promise<Need> {
  if (POSIX.missing !== null) return POSIX;
  const without = (reason: string): Need => ({
    missing: takes === undefined ? reason : `it takes ${takes}`,
  });
  try {
    const { success } = await new Deno.Command(program, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return success ? NOTHING : without(`${program} does not work here`);
  } catch {
    return without(`there is no ${program} here`);
  }
}

const SETPRIV = ["--reuid=65534", "--regid=65534", "--clear-groups"];

/**
 * Puts a call under an unprivileged user. Root may write everywhere, so refused writes need one; without
 * root we are one already.
 * @param command program and arguments
 */
export function unprivileged(command: readonly string[]): [string, string[]] {
  if (Deno.uid() !== 0) return [command[0]!, command.slice(1)];
  return ["setpriv", [...SETPRIV, ...command]];
}

/** That `unprivileged()` works and may execute this file. */
export async function needUnprivileged(program: string): Promise<Need> {
  if (POSIX.missing !== null || Deno.uid() !== 0) return POSIX;
  const takes = `setpriv, and a folder in which user 65534 may run ${program}`;
  return await needProgram("setpriv", [...SETPRIV, "test", "-x", program], takes);
}

/** That there are two users to act as. */
export async function needTwoUsers(program: string): Promise<Need> {
  if (Deno.build.os === "windows" || Deno.uid() !== 0) {
    return { missing: "it takes root, to act as another user" };
  }
  return await needUnprivileged(program);
}

/** That file systems can be mounted, in a mount namespace that vanishes with its process. */
export async function needMounts(): Promise<Need> {
  return await needProgram("unshare", ["-m", "true"], "root and mount namespaces (unshare -m)");
}

/** Runs a shell script in a mount namespace of its own; `$L` is the program. */
export async function inMounts(
  cwd: string,
  script: string,
  place: Pick<Place, "limitMs"> = {},
): Promise<Outcome> {
  const env = { L: PROGRAM };
  return await runCommand("unshare", ["-m", "sh", "-c", script], { cwd, env, ...place });
}

/** The compiled program under the name that its users call it by. */

import { PROGRAM } from "./program.ts";

/**
 * Puts the program into a folder `bin` of its own.
 * @param root an empty folder, or one that has it already
 * @return the environment in which `lock_folder_util` is found
 */
export async function programOnPath(root: string): Promise<{ readonly PATH: string }> {
  const bin = `${root}/bin`;
  try {
    await Deno.mkdir(bin);
    await Deno.symlink(PROGRAM, `${bin}/lock_folder_util`);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return { PATH: `${bin}:${Deno.env.get("PATH") ?? ""}` };
}

/** The working folder: the run-time changes into it, by its name, for each program that it starts. */

/** Not if it has been removed, or this user may not enter it. It is tried as the run-time does: it leads to where we are. */
export function canEnterOwnFolder(): boolean {
  try {
    Deno.chdir(Deno.cwd());
    return true;
  } catch {
    return false;
  }
}

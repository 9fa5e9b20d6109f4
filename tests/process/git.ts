/** Repositories that real git makes. */

import { assertEquals } from "@std/assert";
import type { LockFolder } from "./lock_folder.ts";
import { runCommand } from "./program.ts";

/** Nothing of the machine's own settings, and an author, without whom git commits nothing. */
export const GIT_ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

export async function git(cwd: string, ...args: string[]): Promise<void> {
  const { code, err } = await runCommand("git", args, { cwd, env: GIT_ENVIRONMENT });
  assertEquals(code, 0, err);
}

/** A repository `main` in the working folder, with a commit. */
export async function repository(folder: LockFolder): Promise<string> {
  const main = `${folder.root}/main`;
  await git(folder.root, "init", "--quiet", main);
  await git(main, "commit", "--quiet", "--allow-empty", "--message", "first");
  return main;
}

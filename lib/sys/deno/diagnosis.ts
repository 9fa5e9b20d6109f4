/** What a real machine tells of itself to a command that examines a folder. */

import { DenoCopy, stdinLines } from "./program_copies.ts";
import { mountOf } from "./files/mounts.ts";
import type { Diagnosis } from "../diagnosis.ts";
import { armListeners } from "./signal_catcher.ts";

/** Stands there exactly where systemd is in charge of the machine; see sd_booted(3). */
const SYSTEMD_RUNS = "/run/systemd/system";

export const denoDiagnosis: Diagnosis = {
  startCopy: (command) => DenoCopy.start(command),
  orders: stdinLines,
  catchSignals(onSignal) {
    armListeners(onSignal);
    return Promise.resolve();
  },
  realPath: (path) => Deno.realPath(path).catch(() => null),
  async mounted(folder) {
    if (Deno.build.os !== "linux") return null;
    try {
      const [mounts, path] = await Promise.all([
        Deno.readTextFile("/proc/self/mountinfo"),
        Deno.realPath(folder),
      ]);
      return mountOf(mounts, path);
    } catch {
      return null;
    }
  },
  async space(folder) {
    try {
      // Loaded only here: no other command should start later for it.
      const { statfs } = await import("node:fs/promises");
      const { blocks, bavail, bsize, files, ffree } = await statfs(folder);
      if (Number(blocks) === 0) return null;
      return {
        freeBytes: Number(bavail) * Number(bsize),
        freeFiles: Number(files) > 0 ? Number(ffree) : null,
      };
    } catch {
      return null;
    }
  },
  inotifyLimit,
  hasSystemd: () => Deno.stat(SYSTEMD_RUNS).then(({ isDirectory }) => isDirectory, () => false),
  gitIgnores,
};

/** Hooks and wrappers set them: git would look into another repository than that around the folder. */
const GIT_ELSEWHERE = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE"];

/** What `git check-ignore` answers with where it found something, and where it found nothing. */
const GIT_ANSWERS: readonly number[] = [0, 1];

async function gitIgnores(folder: string, paths: readonly string[]): Promise<boolean | null> {
  const env = Deno.env.toObject();
  for (const name of GIT_ELSEWHERE) delete env[name];
  try {
    const { code, stdout } = await new Deno.Command("git", {
      // A repository's own settings may name a program to be run with each command.
      args: ["-c", "core.fsmonitor=false", "check-ignore", "--", ...paths],
      cwd: folder,
      env,
      clearEnv: true,
    }).output();
    if (!GIT_ANSWERS.includes(code)) return null;
    // It prints those that are ignored, one a line.
    const ignored = new TextDecoder().decode(stdout).split("\n").length - 1;
    return ignored === paths.length;
  } catch {
    return null;
  }
}

/** How many inotify instances a user may have, on Linux. The second one is a user namespace's own. */
const INOTIFY_LIMIT_FILES = [
  "/proc/sys/fs/inotify/max_user_instances",
  "/proc/sys/user/max_inotify_instances",
];

/** @return null where there is no such limit */
async function inotifyLimit(): Promise<number | null> {
  try {
    const limits = await Promise.all(INOTIFY_LIMIT_FILES.map((path) => Deno.readTextFile(path)));
    const limit = Math.min(...limits.map(Number));
    return Number.isSafeInteger(limit) ? limit : null;
  } catch {
    return null;
  }
}

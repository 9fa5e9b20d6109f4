/** What a real machine tells of itself to a command that examines a folder. */

import { DenoCopy, stdinLines } from "./copies.ts";
import { mountOf } from "./mounts.ts";
import type { Diagnosis } from "../diagnosis.ts";
import { inotifyInstances } from "./linux/inotify.ts";
import { armListeners } from "./signal_catcher.ts";

/** Of files of one name the first counts; see tmpfiles.d(5). */
const TEMP_RULE_FOLDERS = [
  "/etc/tmpfiles.d",
  "/run/tmpfiles.d",
  "/usr/local/lib/tmpfiles.d",
  "/usr/lib/tmpfiles.d",
];
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
  inotify: inotifyInstances,
  async tempRules() {
    try {
      if (!(await Deno.stat(SYSTEMD_RUNS)).isDirectory) return null;
    } catch {
      return null;
    }
    return await readRules(TEMP_RULE_FOLDERS);
  },
};

/**
 * @param folders by rank: a file hides those of the same name in later folders, and a link to nothing too
 * @return in the order of their names
 */
export async function readRules(
  folders: readonly string[],
): Promise<{ path: string; text: string }[]> {
  const byName = new Map<string, { path: string; text: string }>();
  for (const folder of folders) {
    for (const name of await namesIn(folder)) {
      if (!name.endsWith(".conf") || byName.has(name)) continue;
      const path = `${folder}/${name}`;
      byName.set(name, { path, text: await Deno.readTextFile(path).catch(() => "") });
    }
  }
  return [...byName].sort(([a], [b]) => a < b ? -1 : 1).map(([, file]) => file);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** How many inotify instances a user may have, on Linux. */

/** The second one is a user namespace's own. */
const LIMIT_FILES = [
  "/proc/sys/fs/inotify/max_user_instances",
  "/proc/sys/user/max_inotify_instances",
];

/** @return null where there is no such limit */
export async function inotifyLimit(): Promise<number | null> {
  try {
    const limits = await Promise.all(LIMIT_FILES.map((path) => Deno.readTextFile(path)));
    const limit = Math.min(...limits.map(Number));
    return Number.isSafeInteger(limit) ? limit : null;
  } catch {
    return null;
  }
}

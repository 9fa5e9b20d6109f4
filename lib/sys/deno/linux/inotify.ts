/** How many inotify instances a user has, on Linux: each is an open file of some process. */

/** The second one is a user namespace's own. */
const LIMIT_FILES = [
  "/proc/sys/fs/inotify/max_user_instances",
  "/proc/sys/user/max_inotify_instances",
];
const INSTANCE = "anon_inode:inotify";

/** @return null where there is no such thing, or it cannot be counted */
export async function inotifyInstances(): Promise<{ used: number; limit: number } | null> {
  try {
    const limits = await Promise.all(LIMIT_FILES.map((path) => Deno.readTextFile(path)));
    const limit = Math.min(...limits.map(Number));
    const uid = Deno.uid();
    let used = 0;
    for await (const { name } of Deno.readDir("/proc")) {
      if (/^\d+$/.test(name) && await isOf(name, uid)) used += await instancesOf(name);
    }
    return Number.isSafeInteger(limit) ? { used, limit } : null;
  } catch {
    return null;
  }
}

async function isOf(pid: string, uid: number | null): Promise<boolean> {
  try {
    return (await Deno.stat(`/proc/${pid}`)).uid === uid;
  } catch {
    return false;
  }
}

/** What has ended meanwhile, or may not be looked into, has none. */
async function instancesOf(pid: string): Promise<number> {
  let instances = 0;
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
      const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
      if (target === INSTANCE) instances++;
    }
  } catch {
    // What was counted until then counts.
  }
  return instances;
}

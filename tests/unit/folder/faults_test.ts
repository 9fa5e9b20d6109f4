/** File systems that fail once, at the moments at which that matters, or tell fairy tales. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FolderUnusable } from "../../../lib/lock/failures.ts";
import { FileFault } from "../../../lib/sys/faults.ts";
import { lockPaths } from "../../../lib/folder/state/layout.ts";
import { acquire } from "../../../lib/folder/acquire.ts";
import { releaseBySlug } from "../../../lib/folder/visit/release.ts";
import type { Site } from "../../../lib/folder/site.ts";
import { denoSys } from "../../../lib/sys/deno/sys.ts";
import type { Files } from "../../../lib/sys/sys.ts";
import { eventually } from "../../process/program.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import type { AcquireRequest } from "../../../lib/lock/service.ts";
import { openSite } from "../../../lib/folder/open_site.ts";
import { lookAtLock } from "../../../lib/folder/look.ts";
import { trustMount } from "../../../lib/folder/place/mount_trust.ts";

const REQUEST: AcquireRequest = {
  slug: "a",
  mode: "run",
  pollMs: 1000,
  staleMs: 600_000,
  timeoutMs: 0,
  wakeUps: "none",
};

/** A lock on which one kind of call fails, so often, when it is about the lock itself. */
function siteThatFails(folder: string, operation: keyof Files, code: string, times: number): Site {
  const sys = denoSys();
  const paths = lockPaths(folder, "lock");
  let left = times;
  const files = new Proxy(sys.files, {
    get: (target, name: keyof Files) => (...args: unknown[]) => {
      if (name === operation && args[0] === paths.lock && left-- > 0) {
        return Promise.reject(new FileFault(code, operation, paths.lock, "refused by the test"));
      }
      return (target[name] as (...args: unknown[]) => unknown).apply(target, args);
    },
  });
  return openSite({ ...sys, files }, paths);
}

async function holdOnce(folder: string): Promise<void> {
  const hold = await acquire(openSite(denoSys(), lockPaths(folder, "lock")), REQUEST);
  await hold.release();
}

async function namesIn(path: string): Promise<string[]> {
  return await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
}

Deno.test("a lock at which the first look fails once is acquired all the same, and given back", async () => {
  await using folder = await temporaryFolder();
  await holdOnce(folder.path);
  const hold = await acquire(siteThatFails(folder.path, "entry", "EIO", 1), REQUEST);
  await hold.release();
  assertEquals((await namesIn(folder.path)).includes("lock.lock"), false);
});

Deno.test("a stale lock that cannot be removed brings no ended hold back to life (R9)", async () => {
  await using folder = await temporaryFolder();
  await holdOnce(folder.path);
  const { lock, alive } = lockPaths(folder.path, "lock");
  await Deno.mkdir(lock);
  await Deno.utime(lock, 1, 1);
  const site = siteThatFails(folder.path, "removeFolder", "EBUSY", Infinity);
  await assertRejects(() => acquire(site, REQUEST));
  assertEquals(await namesIn(alive), []);
});

async function eventsIn(folder: string): Promise<string[]> {
  const text = await Deno.readTextFile(lockPaths(folder, "lock").log);
  return text.split("\n").slice(0, -1).map((line) => line.slice(line.indexOf(" ") + 1));
}

Deno.test("a stale lock that cannot be removed is told as broken, and that is taken back (G7)", async () => {
  await using folder = await temporaryFolder();
  const { lock } = lockPaths(folder.path, "lock");
  await Deno.mkdir(lock);
  await Deno.utime(lock, 1, 1);
  const site = siteThatFails(folder.path, "removeFolder", "EBUSY", 1);
  await assertRejects(() => acquire(site, REQUEST));
  const [broke, ...rest] = await eventsIn(folder.path);
  assertEquals([broke?.split(" ")[1], rest], ["stale_break", ["a not_removed holder=unknown"]]);
  await (await acquire(site, REQUEST)).release();
  const words = (await eventsIn(folder.path)).map((line) => line.split(" ")[1]);
  assertEquals(words.slice(2), ["stale_break", "acquired", "released"]);
});

Deno.test("a forced release that cannot remove the lock is taken back in the log (G7)", async () => {
  await using folder = await temporaryFolder();
  const hold = await acquire(openSite(denoSys(), lockPaths(folder.path, "lock")), REQUEST);
  const site = siteThatFails(folder.path, "removeFolder", "EBUSY", 1);
  await assertRejects(() => releaseBySlug(site, "ops", true));
  assertEquals(await eventsIn(folder.path), [
    "a acquired",
    "ops force_release holder=a",
    "ops not_removed holder=a",
  ]);
  await hold.release();
  assertEquals((await eventsIn(folder.path)).at(-1), "a released");
});

Deno.test("a touched lock is no loss where the birth time is made out of the other times (O8)", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  const paths = lockPaths(folder.path, "lock");
  const files = new Proxy(sys.files, {
    get: (target, name: keyof Files) => {
      if (name !== "entry") return target[name].bind(target);
      return async (path: string) => {
        const entry = await target.entry(path);
        return entry && { ...entry, birthtimeMs: entry.mtimeMs };
      };
    },
  });
  const hold = await acquire(openSite({ ...sys, files }, paths), REQUEST);
  await hold.beat();
  await hold.beat();
  await Deno.utime(paths.lock, new Date(), new Date(Date.now() + 3000));
  await hold.beat();
  assertEquals(hold.lost.aborted, false);
  await hold.release();
  assertEquals((await namesIn(folder.path)).includes("lock.lock"), false);
});

Deno.test("a hold without a record is kept young on a full disk (B6)", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  const paths = lockPaths(folder.path, "lock");
  let isFull = false;
  const files = new Proxy(sys.files, {
    get: (target, name: keyof Files) => (...args: unknown[]) => {
      if (isFull && (name === "create" || name === "openNew")) {
        return Promise.reject(new FileFault("ENOSPC", name, String(args[0]), "no space left"));
      }
      return (target[name] as (...args: unknown[]) => unknown).apply(target, args);
    },
  });
  const hold = await acquire(openSite({ ...sys, files }, paths), REQUEST);
  await hold.beat();
  const mtimeMs = async () => (await sys.files.entry(paths.lock))!.mtimeMs;
  const beforeMs = await mtimeMs();
  isFull = true;
  await Deno.remove(paths.state, { recursive: true });
  await eventually("the clock has moved on", async () => {
    await hold.beat();
    return await mtimeMs() > beforeMs;
  });
  assertEquals(hold.lost.aborted, false);
  isFull = false;
  await hold.release();
});

Deno.test("a library's hold that cannot be given back is left to age, says so, and may be tried again (R20)", async () => {
  await using folder = await temporaryFolder();
  const { alive, lock } = lockPaths(folder.path, "lock");
  const request = { ...REQUEST, staleMs: 200, outlivesWait: true };
  const hold = await acquire(siteThatFails(folder.path, "removeFolder", "EBUSY", 2), request);
  const told = await assertRejects(() => hold.release(), FolderUnusable);
  assertStringIncludes(
    told.message,
    "it beats no more, and is broken by others once it is 200ms old",
  );
  assertEquals(await namesIn(alive), []);
  await assertRejects(() => hold.release(), FolderUnusable);
  await hold.release();
  assertEquals((await namesIn(folder.path)).includes("lock.lock"), false, `${lock} stands`);
});

Deno.test("a library's hold that was not given back is broken by its age though its process lives (R20, V6)", async () => {
  await using folder = await temporaryFolder();
  const request = { ...REQUEST, staleMs: 200, outlivesWait: true };
  const site = siteThatFails(folder.path, "removeFolder", "EBUSY", Infinity);
  const hold = await acquire(site, request);
  await assertRejects(() => hold.release(), FolderUnusable);
  const other = openSite(denoSys(), lockPaths(folder.path, "lock"));
  const next = await acquire(other, { ...request, slug: "b", pollMs: 20, timeoutMs: 30_000 });
  await next.release();
  assertEquals(next.slug, "b");
});

/** A share that shows the lock as a file, so often. */
function siteThatShowsAFile(folder: string, times: number): Site {
  const sys = denoSys();
  const paths = lockPaths(folder, "lock");
  let left = times;
  const files = new Proxy(sys.files, {
    get: (target, name: keyof Files) => async (...args: unknown[]) => {
      const answer = await (target[name] as (...args: unknown[]) => unknown).apply(target, args);
      const isShown = name === "entry" && args[0] === paths.lock && answer !== null && left-- > 0;
      return isShown ? { ...answer as object, kind: "file" } : answer;
    },
  });
  const mount = { type: "cifs", options: [], ...trustMount({ ...CIFS, isLocalDisk: false }) };
  return openSite({ ...sys, files }, paths, { mount });
}

const CIFS = { type: "cifs", options: [] };

Deno.test("on a share, a lock that is seen as a file for a moment is a lock all the same (M6)", async () => {
  await using folder = await temporaryFolder();
  const hold = await acquire(openSite(denoSys(), lockPaths(folder.path, "lock")), REQUEST);
  const look = await lookAtLock(siteThatShowsAFile(folder.path, 2));
  assertEquals(look.standing, "lock");
  assertEquals((await lookAtLock(siteThatShowsAFile(folder.path, 99))).standing, "other");
  await hold.release();
});

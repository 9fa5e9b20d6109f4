/** The right to remove and what shows its taker's life, on real folders that fail at the worst moment. */

import { assertEquals } from "@std/assert";
import { FileFault } from "../../../../lib/sys/faults.ts";
import {
  lifelinePath,
  lockPaths,
  takerFolder,
  takerLifePath,
  takerWhoPath,
} from "../../../../lib/folder/state/layout.ts";
import {
  fileLockState,
  lockForLife,
  tidyLifelines,
} from "../../../../lib/folder/state/lifeline.ts";
import { lookAtLock } from "../../../../lib/folder/look.ts";
import { removeLock } from "../../../../lib/folder/removal/removal.ts";
import type { Site } from "../../../../lib/folder/site.ts";
import { readTaker, takerState } from "../../../../lib/folder/removal/takers.ts";
import { denoSys } from "../../../../lib/sys/deno/sys.ts";
import type { Files, Sys } from "../../../../lib/sys/sys.ts";
import { eventually } from "../../../process/program.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { openSite } from "../../../../lib/folder/open_site.ts";

function siteIn(folder: string, sys: Sys = denoSys()): Site {
  return openSite(sys, lockPaths(folder, "lock"));
}

/** Fails where `refuses` says so. */
function failing(refuses: (operation: keyof Files, path: string) => boolean): Sys {
  const sys = denoSys();
  const files = new Proxy(sys.files, {
    get: (target, name: keyof Files) => (...args: unknown[]) => {
      const path = String(args[0]);
      if (refuses(name, path)) {
        return Promise.reject(new FileFault("EIO", name, path, "refused by the test"));
      }
      return (target[name] as (...args: unknown[]) => unknown).apply(target, args);
    },
  });
  return { ...sys, files };
}

async function removed(site: Site): Promise<string> {
  await Deno.mkdir(site.paths.lock);
  const { outcome } = await removeLock(site, {
    slug: "a",
    lockToken: null,
    lookAgain: () => lookAtLock(site),
    announce: () => Promise.resolve(),
    mayBeAnothers: true,
    patienceMs: 0,
  });
  return outcome;
}

async function takersIn(site: Site): Promise<string[]> {
  return await site.sys.files.list(site.paths.removing) ?? [];
}

Deno.test("a judge that asks for the file lock in that moment keeps no lifeline from being locked", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  const path = `${folder.path}/lifeline`;
  const lifeline = await sys.files.openNew(path, "");
  const judge = await sys.files.open(path);
  assertEquals(await judge?.tryLock("shared"), "granted");
  const clock = { ...sys.clock, sleep: async () => await judge?.close() };
  await lockForLife(siteIn(folder.path, { ...sys, clock }), lifeline);
  assertEquals(await fileLockState(siteIn(folder.path), path), "locked");
  await lifeline.close();
});

Deno.test("a taker that holds its file lock lives, though no process has its number (R11)", async () => {
  await using folder = await temporaryFolder();
  const site = siteIn(folder.path);
  const { machine } = await site.sys.processes.self();
  const who = { token: "t".repeat(24), slug: "b", pid: 2 ** 22 + 1, processStart: "1", machine };
  await Deno.mkdir(takerFolder(site.paths, 1), { recursive: true });
  await Deno.writeTextFile(takerWhoPath(site.paths, 1), JSON.stringify(who));
  const life = await site.sys.files.openNew(takerLifePath(site.paths, 1), "");
  await lockForLife(site, life);
  assertEquals(await takerState(site, await readTaker(site, 1)), "lives");
  await life.close();
  let state = await takerState(site, await readTaker(site, 1));
  // Before Deno 2.7 a file is held until the request that found it held has come back.
  while (state === "lives") state = await takerState(site, await readTaker(site, 1));
  assertEquals(state, "gone");
});

Deno.test("one error while a taker reads its own name costs it nothing but time", async () => {
  await using folder = await temporaryFolder();
  let left = 1;
  const sys = failing((operation, path) =>
    operation === "read" && path.endsWith("/who.json") && left-- > 0
  );
  const site = siteIn(folder.path, sys);
  assertEquals(await removed(site), "removed");
  assertEquals([left < 0, await takersIn(site)], [true, []]);
});

Deno.test("a taker that could not be cleared away blocks no later removal of the same process (R13)", async () => {
  await using folder = await temporaryFolder();
  let fails = true;
  const sys = failing((operation, path) =>
    fails && operation !== "create" && path.endsWith("/who.json")
  );
  let nowMs = 0;
  const clock = {
    ...sys.clock,
    sleep: () => Promise.resolve(),
    // Each question takes a second: the taker gives up as soon as it may.
    moment: () => Promise.resolve({ monotonicMs: nowMs += 1000, wallMs: nowMs }),
  };
  const site = siteIn(folder.path, { ...sys, clock });
  assertEquals(await removed(site), "blocked");
  assertEquals(await takersIn(site), ["1"]);
  fails = false;
  await Deno.remove(site.paths.lock);
  assertEquals(await removed(siteIn(folder.path)), "removed");
  assertEquals(await takersIn(site), []);
});

Deno.test("a breaker takes away old lifelines that nobody holds, and no others (D5)", async () => {
  await using folder = await temporaryFolder();
  const site = siteIn(folder.path);
  await Deno.mkdir(site.paths.alive, { recursive: true });
  const longAgo = Date.now() / 1000 - 2 * 86_400;
  const make = async (token: string) => {
    const file = await site.sys.files.openNew(lifelinePath(site.paths, token), "");
    if (token !== "young") await Deno.utime(lifelinePath(site.paths, token), longAgo, longAgo);
    return file;
  };
  const files = await Promise.all(["young", "old", "ofrecord", "locked"].map(make));
  await lockForLife(site, files[3]!);
  await tidyLifelines(site, Date.now(), "ofrecord");
  assertEquals((await site.sys.files.list(site.paths.alive))?.sort(), [
    "locked",
    "ofrecord",
    "young",
  ]);
  for (const file of files) await file.close();
});

/** A taker of this machine whose process lives: our parent's, which takes no rights. */
async function placeTaker(site: Site): Promise<void> {
  const { machine } = await site.sys.processes.self();
  const found = await site.sys.processes.look(Deno.ppid);
  assertEquals(found.state, "alive");
  const processStart = found.state === "alive" ? found.start : null;
  const who = { token: "t".repeat(24), slug: "b", pid: Deno.ppid, processStart, machine };
  await Deno.mkdir(takerFolder(site.paths, 1), { recursive: true });
  await Deno.writeTextFile(takerWhoPath(site.paths, 1), JSON.stringify(who));
  await Deno.writeTextFile(takerLifePath(site.paths, 1), "");
}

Deno.test("a living process that has done, and could not clear its right away, blocks others for half a minute", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  let nowMs = 0;
  const clock = { ...sys.clock, monotonicMs: () => Promise.resolve(nowMs) };
  const site = siteIn(folder.path, { ...sys, clock });
  await placeTaker(site);
  assertEquals(await takerState(site, await readTaker(site, 1)), "mute");
  nowMs = 61_000;
  assertEquals(await takerState(site, await readTaker(site, 1)), "gone");
});

Deno.test("on a mount where file locks tell nothing, a taker whose process lives is never passed over (R11)", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  let nowMs = 0;
  const clock = { ...sys.clock, monotonicMs: () => Promise.resolve(nowMs) };
  const mount = {
    isLocalDisk: false,
    locksProveLife: false,
    cachesForMs: 20_000,
    listingsLagMs: 0,
  };
  const local = siteIn(folder.path, { ...sys, clock });
  const site = { ...local, mount: { ...local.mount, ...mount } };
  await placeTaker(site);
  for (const laterMs of [0, 61_000, 1_000_000]) {
    nowMs = laterMs;
    assertEquals(await takerState(site, await readTaker(site, 1)), "lives");
  }
});

Deno.test("a server that keeps a dead machine's file lock blocks no removal for ever (R12)", async () => {
  await using folder = await temporaryFolder();
  const sys = denoSys();
  let nowMs = 0;
  const clock = { ...sys.clock, monotonicMs: () => Promise.resolve(nowMs) };
  const local = siteIn(folder.path, { ...sys, clock });
  const mount = {
    isLocalDisk: false,
    locksProveLife: false,
    cachesForMs: 60_000,
    listingsLagMs: 0,
  };
  const site = { ...local, mount: { ...local.mount, ...mount } };
  const who = { token: "t".repeat(24), slug: "b", pid: 1, processStart: "1" };
  const machine = { host: "dead", bootId: "another", pidNamespace: "pid:[1]" };
  await Deno.mkdir(takerFolder(site.paths, 1), { recursive: true });
  await Deno.writeTextFile(takerWhoPath(site.paths, 1), JSON.stringify({ ...who, machine }));
  const kept = await sys.files.openNew(takerLifePath(site.paths, 1), "");
  await lockForLife(site, kept);
  assertEquals(await takerState(site, await readTaker(site, 1)), "mute");
  nowMs = 61_000;
  assertEquals(await takerState(site, await readTaker(site, 1)), "gone");
  await kept.close();
  // Up to Deno 2.6 a request for a held lock cannot be taken back: it is granted now.
  const path = takerLifePath(site.paths, 1);
  await eventually("nobody asks any more", async () => await fileLockState(site, path) === "free");
});

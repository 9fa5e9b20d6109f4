/** Waits on a share that leaves calls without an answer, or answers them late. */

import { assertEquals, assertGreater, assertLess, assertRejects } from "@std/assert";
import { GaveUp } from "../../../lib/lock/failures.ts";
import { FileFault } from "../../../lib/sys/faults.ts";
import { type LockPaths, lockPaths } from "../../../lib/folder/state/layout.ts";
import { acquire } from "../../../lib/folder/acquire.ts";
import { siteOfWaiter } from "../../../lib/folder/unanswered_calls.ts";
import type { Site } from "../../../lib/folder/site.ts";
import { denoSys } from "../../../lib/sys/deno/sys.ts";
import type { Files } from "../../../lib/sys/sys.ts";
import { eventually } from "../../process/program.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import type { AcquireRequest, UnansweredCall } from "../../../lib/lock/service.ts";
import { openSite } from "../../../lib/folder/open_site.ts";

const REQUEST: AcquireRequest = {
  slug: "waiter",
  mode: "run",
  pollMs: 20,
  staleMs: 600_000,
  timeoutMs: null,
  wakeUps: "none",
  answerWithinMs: 500,
};

type Call = (name: keyof Files, path: string, call: () => Promise<unknown>) => Promise<unknown>;

/** A share whose calls go through this. */
function share(paths: LockPaths, through: Call): Site {
  const sys = denoSys();
  const files = new Proxy(sys.files, {
    get: (target, name: keyof Files) => (...args: unknown[]) => {
      const call = (target[name] as (...args: unknown[]) => Promise<unknown>).bind(target);
      return through(name, String(args[0]), () => call(...args));
    },
  });
  return openSite({ ...sys, files }, paths);
}

async function exists(path: string): Promise<boolean> {
  return await denoSys().files.entry(path) !== null;
}

/** Answers nothing, ever. */
const NEVER = new Promise<never>(() => {});

function test(name: string, fn: (paths: LockPaths) => Promise<void>): void {
  Deno.test(name, async () => {
    await using folder = await temporaryFolder();
    await fn(lockPaths(folder.path, "lock"));
  });
}

test("a wait goes on though a call is never answered, and takes the lock once it is free (S1)", async (paths) => {
  const holder = await acquire(openSite(denoSys(), paths), { ...REQUEST, slug: "holder" });
  const told: UnansweredCall[] = [];
  let isSilent = false;
  const waiting = acquire(
    share(paths, (name, path, call) => {
      const isLost = isSilent && name === "list" && path === paths.queue;
      isSilent &&= !isLost;
      return isLost ? NEVER : call();
    }),
    REQUEST,
    {
      looked: () => {
        isSilent ||= told.length === 0;
        return Promise.resolve();
      },
      silent: async (call) => {
        told.push(call);
        await holder.release();
      },
    },
  );
  const hold = await waiting;
  assertEquals([told[0]?.operation, told[0]?.path], ["list", paths.queue]);
  await hold.release();
});

test("a wait on a share that answers nothing any more ends at its timeout (S1)", async (paths) => {
  await using _holder = await acquire(openSite(denoSys(), paths), { ...REQUEST, slug: "holder" });
  let isSilent = false;
  const site = share(paths, (_name, _path, call) => isSilent ? NEVER : call());
  const startMs = performance.now();
  const looked = () => {
    isSilent = true;
    return Promise.resolve();
  };
  const waiting = acquire(site, { ...REQUEST, timeoutMs: 1000 }, { looked });
  const failure = await assertRejects(() => waiting, GaveUp, "the share did not answer (");
  assertEquals(failure.holder?.slug, "holder", "as it was seen last");
  assertLess(performance.now() - startMs, 20_000);
});

test("a wait begins though its folder, its line and its ticket do not answer at first (S1)", async (paths) => {
  const holder = await acquire(openSite(denoSys(), paths), { ...REQUEST, slug: "holder" });
  const lost = new Set(["entry", "list", "openNew"]);
  const site = share(paths, (name, path, call) => {
    const isLost = lost.has(name) && path !== paths.lock;
    if (isLost) lost.delete(name);
    return isLost ? NEVER : call();
  });
  const told: string[] = [];
  const silent = (call: UnansweredCall) => Promise.resolve(void told.push(call.operation));
  const looked = () => holder.release();
  const hold = await acquire(site, REQUEST, { silent, looked });
  assertEquals(told, ["stat", "list", "create"]);
  await hold.release();
});

test("a wait that could not begin for want of answers ends at its timeout, and says so", async (paths) => {
  const site = share(paths, (_name, _path, _call) => NEVER);
  const waiting = acquire(site, { ...REQUEST, timeoutMs: 700 });
  const failure = await assertRejects(() => waiting, GaveUp, "the share did not answer (");
  assertEquals([failure.holder, failure.place], [null, null]);
});

test("a wait begins though the log does not answer", async (paths) => {
  const holder = await acquire(openSite(denoSys(), paths), { ...REQUEST, slug: "holder" });
  let isSilent = true;
  const site = share(paths, (name, path, call) => {
    return isSilent && name === "append" && path === paths.log ? NEVER : call();
  });
  const told: string[] = [];
  const silent = async (call: UnansweredCall) => {
    told.push(call.operation);
    isSilent = false;
    await holder.release();
  };
  const hold = await acquire(site, REQUEST, { silent });
  assertEquals(told[0], "append");
  await hold.release();
});

test("an mkdir that is answered late still takes the lock (S3, S4)", async (paths) => {
  let silences = 0;
  const site = share(paths, async (name, path, call) => {
    const answer = await call();
    if (name === "makeFolder" && path === paths.lock) {
      await eventually("the share is said to be silent", () => silences === 1);
    }
    return answer;
  });
  const silent = () => Promise.resolve(void silences++);
  const hold = await acquire(site, REQUEST, { silent });
  assertEquals(await exists(paths.lock), true);
  await hold.release();
  assertEquals(await exists(paths.lock), false);
});

test("a lock that an mkdir makes after the end of the wait is given back (S4)", async (paths) => {
  const answered = Promise.withResolvers<void>();
  const site = share(paths, async (name, path, call) => {
    if (name !== "makeFolder" || path !== paths.lock) return await call();
    await answered.promise;
    return await call();
  });
  const waiting = acquire(site, { ...REQUEST, timeoutMs: 100 });
  await assertRejects(() => waiting, GaveUp, "the share did not answer (mkdir ");
  answered.resolve();
  await eventually("the lock is made", async () => {
    return (await denoSys().files.list(`${paths.state}/removing`).catch(() => null)) !== null;
  });
  await eventually("the lock is given back", async () => !await exists(paths.lock));
  const next = await acquire(openSite(denoSys(), paths), { ...REQUEST, timeoutMs: 0 });
  await next.release();
});

test("the right to remove is kept for as long as the rmdir of a break is not answered (S5)", async (paths) => {
  await Deno.mkdir(paths.lock);
  await Deno.utime(paths.lock, 1, 1);
  const answered = Promise.withResolvers<void>();
  const site = share(paths, async (name, path, call) => {
    if (name === "removeFolder" && path === paths.lock) await answered.promise;
    return await call();
  });
  const silenced = Promise.withResolvers<void>();
  const silent = () => Promise.resolve(silenced.resolve());
  const waiting = acquire(site, REQUEST, { silent });
  await silenced.promise;
  const other = { ...REQUEST, slug: "other", timeoutMs: 0 };
  await assertRejects(() => acquire(openSite(denoSys(), paths), other), GaveUp);
  assertEquals(await exists(paths.lock), true, "nobody else removes it meanwhile");
  answered.resolve();
  const hold = await waiting;
  await hold.release();
});

test("what a call opens after it was given up on is closed (S2)", async (paths) => {
  const site = openSite(denoSys(), paths);
  await site.sys.files.create(paths.log, "");
  const answered = Promise.withResolvers<void>();
  let closed = 0;
  const slow = share(paths, async (name, _path, call) => {
    if (name !== "open") return await call();
    await answered.promise;
    const file = await call() as { close(): Promise<void> };
    return {
      close: async () => {
        closed++;
        await file.close();
      },
    };
  });
  const { files } = siteOfWaiter(slow, 20).sys;
  const fault = await assertRejects(() => files.open(paths.log), FileFault);
  assertEquals([fault.code, fault.operation, fault.path], ["ETIMEDOUT", "open", paths.log]);
  answered.resolve();
  await eventually("it is closed", () => closed === 1);
});

test("a silent share is owed no more than a few calls at once", async (paths) => {
  let asked = 0;
  const answered = Promise.withResolvers<void>();
  const silent = share(paths, async (_name, _path, call) => {
    asked++;
    await answered.promise;
    return await call();
  });
  const { files } = siteOfWaiter(silent, 20).sys;
  for (let calls = 0; calls < 10; calls++) {
    await assertRejects(() => files.entry(paths.lock), FileFault, "no answer within");
  }
  assertEquals(asked, 4);
  answered.resolve();
  await eventually("the share is asked again", async () => {
    return await files.entry(paths.lock).then(() => true, () => false);
  });
  assertGreater(asked, 4);
});

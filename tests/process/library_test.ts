/** The lock for Deno programs, on real files. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { acquire, FolderUnusable, GaveUp, HoldLost, withLock } from "../../lib/mod.ts";
import { exists, LockFolder } from "./lock_folder.ts";

Deno.test("acquire() gives a hold that is given back when it is disposed of", async () => {
  await using folder = await LockFolder.make();
  {
    await using hold = await acquire({ dir: folder.dir, slug: "a" });
    assertEquals(await exists(folder.lock), true);
    assertEquals([hold.slug, hold.fence, hold.lockPath], ["a", 1, folder.lock]);
  }
  await folder.assertFree();
  assertEquals(await folder.events(), ["a acquired", "a released"]);
});

Deno.test("acquire() tells who holds when it gives up", async () => {
  await using folder = await LockFolder.make();
  await using _hold = await acquire({ dir: folder.dir, slug: "a" });
  const failure = await assertRejects(
    () => acquire({ dir: folder.dir, slug: "b", timeoutMs: 0 }),
    GaveUp,
  );
  assertEquals(failure.holder?.slug, "a");
});

Deno.test("acquire() is called off by its signal, and leaves the line", async () => {
  await using folder = await LockFolder.make();
  await using _hold = await acquire({ dir: folder.dir, slug: "a" });
  const calledOff = new AbortController();
  const waiting = acquire({ dir: folder.dir, slug: "b", signal: calledOff.signal });
  await folder.waiters(1);
  calledOff.abort(new Error("no longer needed"));
  await assertRejects(() => waiting, Error, "no longer needed");
  await folder.waiters(0);
});

Deno.test("acquire() says which option is out of its range, and what it was", async () => {
  const failure = await assertRejects(() => acquire({ dir: ".", slug: "a b" }), RangeError);
  assertEquals(
    failure.message,
    'Cannot acquire the lock: slug must be 1 to 64 visible characters, no white space: current value is "a b"',
  );
  await assertRejects(() => acquire({ dir: ".", slug: "a", pollMs: 1 }), RangeError);
  await assertRejects(() => acquire({ dir: "/nonexistent", slug: "a" }), FolderUnusable);
});

Deno.test("withLock() excludes, in one process as between many", async () => {
  await using folder = await LockFolder.make();
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside--;
  };
  const slugs = ["a", "b", "c", "d", "e"];
  await Promise.all(slugs.map((slug) => withLock({ dir: folder.dir, slug }, work)));
  assertEquals([most, inside], [1, 0]);
  assertEquals((await folder.events()).filter((line) => line.endsWith("acquired")).length, 5);
  await folder.assertFree();
});

Deno.test("withLock() gives back and passes on what the function throws", async () => {
  await using folder = await LockFolder.make();
  await assertRejects(
    () => withLock({ dir: folder.dir, slug: "a" }, () => Promise.reject(new Error("no"))),
    Error,
    "no",
  );
  await folder.assertFree();
});

Deno.test("withLock() fails if the lock turned out to be lost while the function ran", async () => {
  await using folder = await LockFolder.make();
  const options = { dir: folder.dir, slug: "a", staleMs: 200 };
  await assertRejects(
    () =>
      withLock(options, async (hold) => {
        await Deno.remove(folder.lock);
        await new Promise<void>((resolve) => hold.lost.addEventListener("abort", () => resolve()));
        assert(hold.lost.aborted);
      }),
    HoldLost,
  );
});

/** A process that was stopped when it was about to remove the lock: all are told who it is, and what helps. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { exists, LockFolder, setBack } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";
import { eventually } from "./program.ts";

/** `Bf`, which has the right to remove the lock, stopped by a signal. Its lock is another, to be held meanwhile. */
async function stoppedTaker(folder: LockFolder) {
  const taker = await folder.hold("Bf", ["--name", "other"]);
  const { pid } = await folder.plantTaker("other");
  taker.program.signal("SIGSTOP");
  await eventually("it is stopped", async () => {
    return /^State:\tT/m.test(await Deno.readTextFile(`/proc/${pid}/status`));
  });
  return {
    pid,
    [Symbol.asyncDispose]: async () => {
      taker.program.signal("SIGCONT");
      await taker.finish();
      await taker[Symbol.asyncDispose]();
    },
  };
}

/** One of no living process, that nobody has beaten for an hour. */
async function makeStaleLock(folder: LockFolder): Promise<void> {
  await Deno.mkdir(folder.lock);
  await setBack(folder.lock, 3600);
}

test(
  "release --force says that the one in the way is stopped, and never to remove the lock by hand",
  async () => {
    await using folder = await LockFolder.make();
    await using taker = await stoppedTaker(folder);
    await makeStaleLock(folder);
    const { code, err } = await folder.run(["release", "--slug", "op", "--force"]);
    assertEquals(code, 74, err);
    assertMatch(err, /lock\.lock could not be removed: Bf \(pid \d+ on .*\) .* and is stopped; /);
    assert(err.includes(`kill -CONT ${taker.pid}`) && err.includes(`kill -9 ${taker.pid}`), err);
    assert(!err.includes("rmdir"), err);
    assert(await exists(folder.lock));
  },
  [LINUX],
);

test(
  "status and a waiter say that who removes a stale lock is stopped, and what lets it go on",
  async () => {
    await using folder = await LockFolder.make();
    await using taker = await stoppedTaker(folder);
    await makeStaleLock(folder);
    const words =
      `Bf (pid ${taker.pid}) is stopped while it removes the lock: kill -CONT ${taker.pid}`;
    const { out } = await folder.run(["status", "--stale", "60"]);
    assert(out.includes(words), out);
    assert(!out.includes("the next waiter breaks it"), out);
    const { remover } = JSON.parse((await folder.run(["status", "--json"])).out);
    assertEquals([remover.slug, remover.pid, remover.stopped], ["Bf", taker.pid, true]);
    const run = ["run", "--slug", "a", "--stale", "60", "--timeout", "8", "--", "true"];
    await using waiter = folder.start(run);
    await waiter.says(/lock\.lock, last held by .*, is stale: Bf \(pid/);
    const gaveUp = await waiter.finish();
    assertEquals(gaveUp.code, 75, gaveUp.err);
    assert(gaveUp.err.split("gave up")[1]!.includes(words), gaveUp.err);
  },
  [LINUX],
);

/** What every kind of lock does for the command line: tried on a folder, and on the lock in memory that tests use. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { lookAtMount } from "../../lib/folder/place/mount.ts";
import { openSite } from "../../lib/folder/open_site.ts";
import { FolderService } from "../../lib/folder/service.ts";
import { lockPaths } from "../../lib/folder/state/layout.ts";
import { GaveUp, HoldLost, NotHolder } from "../../lib/lock/failures.ts";
import { NEVER_STALE_MS } from "../../lib/lock/times.ts";
import type { LockService, WaitRequest } from "../../lib/lock/service.ts";
import { denoSys } from "../../lib/sys/deno/sys.ts";
import { LockFolder } from "../process/lock_folder.ts";
import { MemoryLock } from "./memory_lock.ts";

/** A lock, and a hand that takes it away. */
interface Kind extends AsyncDisposable {
  readonly service: LockService;
  takeAway(): Promise<void>;
}

const KINDS: Readonly<Record<string, () => Promise<Kind>>> = {
  "a folder": async () => {
    const folder = await LockFolder.make();
    const host = denoSys();
    const mount = await lookAtMount(host.mounts, folder.dir);
    const service = new FolderService(
      openSite(host, lockPaths(folder.dir, "lock"), { mount }),
      host,
    );
    return {
      service,
      takeAway: () => Deno.remove(folder.lock),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
  "a lock in memory": () => {
    const service = new MemoryLock();
    return Promise.resolve({
      service,
      takeAway: () => Promise.resolve(service.remove()),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};

function request(slug: string, mode: "run" | "acquire", change: Partial<WaitRequest> = {}) {
  const times = { pollMs: 50, staleMs: 600_000, timeoutMs: 0 };
  return { slug, mode, ...times, outlivesWait: true, ...change };
}

async function logOf(service: LockService): Promise<string[]> {
  let text = "";
  await service.readLog((piece) => text += piece);
  return text.split("\n").slice(0, -1).map((line) => line.slice(line.indexOf(" ") + 1));
}

for (const [name, make] of Object.entries(KINDS)) {
  Deno.test(`${name} is held by one at a time, and its fence grows`, async () => {
    await using kind = await make();
    const { service } = kind;
    const first = await service.acquire(request("a", "run"));
    const failure = await assertRejects(() => service.acquire(request("b", "run")), GaveUp);
    assertEquals([failure.lock, failure.holder?.slug], [service.lock, "a"]);
    await first.release();
    const second = await service.acquire(request("b", "run"));
    assert(second.fence > first.fence);
    await second.release();
    assertEquals(
      await logOf(service),
      [
        ...["a acquired", "b gave_up waited=0s reason=timeout", "a released"],
        ...["b acquired", "b released"],
      ].map((line) => name === "a folder" ? line : line.replace(/ waited=.*/, "")),
    );
  });

  Deno.test(`${name} goes to a waiter when it is given back, and tells it whom it waits for`, async () => {
    await using kind = await make();
    const { service } = kind;
    const first = await service.acquire(request("a", "run"));
    const seen: (string | null | undefined)[] = [];
    const second = await service.acquire(request("b", "run", { timeoutMs: 60_000 }), {
      looked: async ({ holder }) => {
        seen.push(holder?.slug);
        await first.release();
      },
    });
    assertEquals(seen[0], "a");
    assertEquals(second.waited.place, 1);
    await second.release();
  });

  Deno.test(`a wait for ${name} ends with the reason of its interrupt`, async () => {
    await using kind = await make();
    const { service } = kind;
    const first = await service.acquire(request("a", "run"));
    const interrupt = new AbortController();
    const asked = request("b", "run", { timeoutMs: null, interrupt: interrupt.signal });
    const looked = () => Promise.resolve(interrupt.abort(new Error("enough")));
    await assertRejects(() => service.acquire(asked, { looked }), Error, "enough");
    await first.release();
  });

  Deno.test(`an acquire hold of ${name} is renewed, checked and released by its slug`, async () => {
    await using kind = await make();
    const { service } = kind;
    const hold = await service.acquire(request("a", "acquire"));
    await hold.leaveStanding();
    await service.renew("a");
    await service.check({ by: "fence", fence: hold.fence });
    await service.check({ by: "tokens", tokens: [hold.token] });
    const { fences } = await assertRejects(
      () => service.check({ by: "fence", fence: hold.fence + 1 }),
      NotHolder,
    );
    assertEquals(fences, { asked: hold.fence + 1, present: hold.fence });
    await assertRejects(() => service.renew("b"), NotHolder, "held by another");
    await assertRejects(() => service.release("b", false), NotHolder, "held by another");
    assertEquals((await service.release("a", false)).was, "acquired");
    await assertRejects(() => service.release("a", false), NotHolder, "not held");
    assertEquals(await logOf(service), ["a acquired", "a released"]);
  });

  Deno.test(`a run hold of ${name} is neither renewed nor released from outside, but by force`, async () => {
    await using kind = await make();
    const { service } = kind;
    const hold = await service.acquire(request("a", "run"));
    await assertRejects(() => service.renew("a"), NotHolder, "beats by itself");
    await assertRejects(() => service.release("a", false), NotHolder, "command still running");
    const forced = await service.release("op", true);
    assertEquals([forced.was, forced.worksOn, forced.holder.slug], ["held by force", true, "a"]);
    await hold.release();
    assert(hold.lost.reason instanceof HoldLost);
  });

  Deno.test(`a call from inside a hold of ${name} is known by the token of the present one`, async () => {
    await using kind = await make();
    const { service } = kind;
    assertEquals(await service.around([]), null);
    const hold = await service.acquire(request("a", "run"));
    const { slug, token, fence } = (await service.around(["x".repeat(24), hold.token]))!;
    assertEquals({ slug, token, fence }, { slug: "a", token: hold.token, fence: hold.fence });
    await hold.release();
    assertEquals(await service.around([hold.token]), null);
  });

  Deno.test(`the status of ${name} tells its hold, and that it is free`, async () => {
    await using kind = await make();
    const { service } = kind;
    const hold = await service.acquire(request("a", "run"));
    const { lock, held } = await service.status(NEVER_STALE_MS);
    assertEquals([lock, held?.holder.slug, held?.holder.mode], [service.lock, "a", "run"]);
    assertEquals([held?.verdict.state, held?.hold?.fence], ["held", hold.fence]);
    await hold.release();
    assertEquals((await service.status(NEVER_STALE_MS)).held, null);
  });

  Deno.test(`a hold of ${name} that somebody takes away is found lost at its release`, async () => {
    await using kind = await make();
    const { service } = kind;
    const hold = await service.acquire(request("a", "run"));
    await kind.takeAway();
    await hold.release();
    assert(hold.lost.reason instanceof HoldLost);
  });
}

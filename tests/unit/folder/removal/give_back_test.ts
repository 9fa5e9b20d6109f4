import { assertEquals, assertMatch } from "@std/assert";
import { describeFailure } from "../../../../lib/cli/wording/messages.ts";
import { lockPaths } from "../../../../lib/folder/state/layout.ts";
import { blockedBy } from "../../../../lib/folder/removal/give_back.ts";
import type { TakerWho } from "../../../../lib/folder/removal/request.ts";
import { openSite } from "../../../../lib/folder/open_site.ts";
import { denoSys } from "../../../../lib/sys/deno/sys.ts";

const SITE = openSite(denoSys(), lockPaths("/w", "lock"));

const AWAY: TakerWho = {
  token: "abcdefgh12345678",
  slug: "agent-2",
  pid: 4711,
  processStart: "1",
  machine: { host: "box", bootId: "boot", pidNamespace: "pid:[1]" },
  lockToken: null,
};

const OPERATOR = { isForced: true, mayTryAgain: true };
const HOLDER = { isForced: false, mayTryAgain: false };

async function told(
  by: TakerWho | null,
  removal: Parameters<typeof blockedBy>[2] = OPERATOR,
  isMute = false,
): Promise<string> {
  const failure = await blockedBy(SITE, { by, isMute, forMs: 10_000 }, removal);
  return describeFailure(failure, { slug: "a", lockFlags: "", nowMs: 0 });
}

/** This very process. */
async function here(): Promise<TakerWho> {
  return { ...AWAY, ...await denoSys().processes.self() };
}

Deno.test("a lock that cannot be given back names who is in the way, for how long, and what helps", async () => {
  assertEquals(
    await told(await here(), HOLDER),
    `/w/lock.lock could not be given back: agent-2 (pid ${Deno.pid} on ${Deno.hostname()}) has been about to ` +
      `remove it for 10s; wait for it, or end it with kill -9 ${Deno.pid}; then the lock is broken as stale`,
  );
  assertMatch(
    await told(null, HOLDER),
    /: another process has been about to remove it for 10s; the lock is broken as stale once/,
  );
});

Deno.test("a forced removal that another is in the way of is no giving back, and may be tried again", async () => {
  assertMatch(
    await told(AWAY),
    /could not be removed: agent-2 .* look after it there .*; then try/,
  );
  assertMatch(
    await told(AWAY, OPERATOR, true),
    / is passed over once .* a minute; then try again$/,
  );
  assertMatch(await told(null), /; try again once that is over$/);
});

Deno.test("nobody is told to remove by hand a lock that another is about to remove", async () => {
  for (const by of [null, AWAY, await here()]) {
    for (const removal of [OPERATOR, HOLDER]) {
      for (const isMute of [true, false]) {
        assertEquals((await told(by, removal, isMute)).includes("rmdir"), false);
      }
    }
  }
});

Deno.test("what another wrote about itself beside the lock is shown harmless", async () => {
  const machine = { ...AWAY.machine, host: "\x1b[2J" };
  assertEquals((await told({ ...AWAY, machine })).includes("on \\u{1b}[2J)"), true);
});

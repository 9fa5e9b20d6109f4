import { assertEquals } from "@std/assert";
import { describeFailure } from "../../../../lib/cli/wording/messages.ts";
import { blockedBy } from "../../../../lib/folder/removal/give_back.ts";
import type { TakerWho } from "../../../../lib/folder/removal/request.ts";

const TAKER: TakerWho = {
  token: "abcdefgh12345678",
  slug: "agent-2",
  pid: 4711,
  processStart: "1",
  machine: { host: "box", bootId: "boot", pidNamespace: "pid:[1]" },
  lockToken: null,
};

const told = (by: TakerWho | null) =>
  describeFailure(blockedBy("/w/lock.lock", { by, forMs: 10_000 }), {
    slug: "a",
    lockFlags: "",
    nowMs: 0,
  });

Deno.test("a lock that cannot be given back names who is in the way, and for how long", () => {
  assertEquals(
    told(TAKER),
    "/w/lock.lock could not be given back: agent-2 (pid 4711 on box) has been about to remove it for 10s; " +
      "it stands until it is broken as stale, or remove it by hand: rmdir /w/lock.lock",
  );
  assertEquals(
    told(null).includes(": another process has been about to remove it for 10s; "),
    true,
  );
});

Deno.test("what another wrote about itself beside the lock is shown harmless", () => {
  const machine = { ...TAKER.machine, host: "\x1b[2J" };
  assertEquals(told({ ...TAKER, machine }).includes("on \\u{1b}[2J)"), true);
});

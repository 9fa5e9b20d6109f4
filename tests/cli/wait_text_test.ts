import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  acquiredJson,
  gaveUpJson,
  holderIsOdd,
  lockWasBroken,
  progressLine,
  waitBegins,
  waitGoesOn,
  waitIsTooShort,
  type WaitState,
} from "../../lib/cli/wording/wait_text.ts";

const NOW_MS = Date.parse("2026-08-22T23:10:00Z");

const STATE: WaitState = {
  lock: "/srv/locks/lock.lock",
  holder: {
    slug: "agent-1",
    mode: "run",
    pid: 17,
    host: "alpha",
    sinceMs: NOW_MS - 60_000,
    why: "its process 17 lives",
    oddity: null,
    isNew: false,
  },
  slug: "me",
  place: 3,
  waitedMs: 12_400,
  timeoutMs: 1_800_000,
  holdMs: 300_000,
  nowMs: NOW_MS,
};

Deno.test("wait text names lock, holder, since when, place and limit when a wait begins", () => {
  assertEquals(
    waitBegins(STATE),
    "waiting for up to 30m for /srv/locks/lock.lock: held by agent-1 (run, pid 17 on alpha) for 1m " +
      "(since 2026-08-22T23:09:00Z); you are number 3 in line",
  );
  assertStringIncludes(waitBegins({ ...STATE, timeoutMs: null, place: 1 }), "without a time limit");
  assertStringIncludes(waitBegins({ ...STATE, place: 1 }), "you are first in line");
});

Deno.test("wait text warns at once of a wait that will most likely be in vain", () => {
  const state = { ...STATE, place: 8 };
  assertEquals(
    waitIsTooShort(state),
    "8 ahead, holds of about 5m: expect 40m, but --timeout is 30m",
  );
  assertEquals(waitIsTooShort({ ...state, place: 6 }), null);
  assertEquals(waitIsTooShort({ ...state, timeoutMs: null }), null);
  assertEquals(waitIsTooShort({ ...state, holdMs: null }), null);
});

Deno.test("wait text tells place and estimate as the line moves up", () => {
  assertEquals(
    waitGoesOn(STATE),
    "still waiting for /srv/locks/lock.lock after 12s: held by agent-1 (run, pid 17 on alpha) for 1m; " +
      "you are number 3 in line, about 14m to go",
  );
});

const ODD = {
  ...STATE,
  holder: {
    ...STATE.holder!,
    oddity: {
      short: "stopped",
      why: "its process 17 lives; it is stopped",
      isOrphan: false,
      isOutOfSight: false,
    },
  },
};

Deno.test("wait text says what is odd about a holder, and that it is not broken", () => {
  assertEquals(
    holderIsOdd(ODD),
    "/srv/locks/lock.lock: held by agent-1: its process 17 lives; it is stopped; " +
      "it is not broken while it lives",
  );
  for (const text of [waitBegins, waitGoesOn]) assertStringIncludes(text(ODD), "; it is stopped");
  assertStringIncludes(progressLine(ODD, 200), "for 1m, stopped · you are");
});

const MISSED = "it is on forge-7, which this machine cannot see into; silent for 17s, " +
  "3 beats missed; broken after 10m of silence, in 9m 43s; to look: ssh forge-7, pid 17";

Deno.test("wait text says of a holder elsewhere that misses beats when it is broken, once", () => {
  const oddity = {
    short: "silent",
    why: MISSED,
    isOrphan: false,
    isOutOfSight: false,
    isMissed: true,
  };
  const state = { ...STATE, holder: { ...STATE.holder!, oddity, expiresInMs: 583_000 } };
  assertEquals(holderIsOdd(state), `/srv/locks/lock.lock: held by agent-1: ${MISSED}`);
  assertEquals(
    waitBegins(state),
    `waiting for up to 30m for /srv/locks/lock.lock: held by agent-1 (run, pid 17 on alpha) for 1m ` +
      `(since 2026-08-22T23:09:00Z); ${MISSED}; ` +
      "you are number 3 in line",
  );
});

const BARE = {
  ...STATE.holder!,
  slug: "peer",
  mode: null,
  pid: null,
  host: null,
  sinceMs: null,
  expiresInMs: 599_000,
  trace: { owner: "alice", sinceMs: NOW_MS - 1000 },
};

Deno.test("wait text says of a lock without a record whose folder it is, since when, and the way out", () => {
  const words = "held by peer (no holder record), a folder of alice since 2026-08-22T23:09:59Z, " +
    "broken by age in 9m 59s if it gives no sign of life; " +
    "if nothing works under it: release --slug YOU --force; you are number 3 in line";
  for (const text of [waitBegins, waitGoesOn]) {
    assertStringIncludes(text({ ...STATE, holder: BARE }), words);
  }
  const trace = { ...BARE.trace, owner: null };
  const ownerless = waitBegins({ ...STATE, holder: { ...BARE, trace } });
  assertStringIncludes(ownerless, "(no holder record), a folder since 2026-");
});

Deno.test("wait text does not take a lock made a moment ago for a peer's", () => {
  const holder = {
    ...STATE.holder!,
    slug: null,
    mode: null,
    pid: null,
    sinceMs: null,
    isNew: true,
  };
  assertStringIncludes(
    waitBegins({ ...STATE, holder }),
    "held by somebody who took it a moment ago",
  );
});

Deno.test("wait text tells who waits for its own hold", () => {
  const holder = { ...STATE.holder!, mode: "acquire" as const };
  const own = "; that is your own slug: if it is you who holds, renew or release it";
  assertStringIncludes(waitBegins({ ...STATE, holder, slug: "agent-1" }), own);
  assert(!waitBegins({ ...STATE, holder }).includes(own));
  assert(!waitBegins({ ...STATE, slug: "agent-1" }).includes(own), "run ends by itself");
});

Deno.test("wait text gives no estimate where the hold is longer than all before it", () => {
  const holder = { ...STATE.holder!, sinceMs: NOW_MS - 900_000 };
  assert(!waitGoesOn({ ...STATE, holder, place: 1 }).includes("to go"));
});

Deno.test("wait text says whose lock was broken, and what that may mean", () => {
  assertEquals(
    lockWasBroken({ ...STATE.holder!, why: "its process 17 is gone" }),
    "broke the stale lock of agent-1: its process 17 is gone; what it was doing may be half done",
  );
});

Deno.test("the progress line is one line that fits the terminal, whatever its width", () => {
  assertEquals(
    progressLine(STATE, 200),
    "waiting 12s · held by agent-1 (run, pid 17 on alpha) for 1m · you are number 3 in line · about 14m to go",
  );
  for (let columns = 1; columns < 120; columns++) {
    const line = progressLine(STATE, columns);
    assert([...line].length <= Math.max(columns - 1, 1), `${columns} columns: ${line}`);
    assert(!line.includes("\n"));
  }
});

Deno.test("names out of the record are shown escaped in every line of a wait", () => {
  const holder = { ...STATE.holder!, slug: "a\u001b[31m" };
  assert(!lockWasBroken(holder).includes("\u001b"));
  for (const text of [waitBegins, waitGoesOn, holderIsOdd]) {
    assert(!text({ ...STATE, holder }).includes("\u001b"));
  }
  assert(!progressLine({ ...STATE, holder }, 200).includes("\u001b"));
});

Deno.test("the JSON of a wait is one line with documented fields", () => {
  const about = { lock: "/l", slug: "a", fence: 7, waitedMs: 12.6, position: 2 };
  assertEquals(
    acquiredJson({ ...about, broke: null }),
    '{"event":"acquired","lock":"/l","slug":"a","fence":7,"waited_ms":13,"position":2,"broke":null}',
  );
  const broke = JSON.parse(acquiredJson({ ...about, broke: STATE.holder })).broke;
  assertEquals(broke, { slug: "agent-1", verdict: "its process 17 lives" });
  const gaveUp = JSON.parse(gaveUpJson({
    ...about,
    expectedMs: 900_000,
    holder: STATE.holder,
    circle: null,
    kept: { place: 2, of: 3, untilMs: Date.parse("2026-08-22T23:20:00.5Z") },
  }));
  assertEquals([gaveUp.place, gaveUp.ahead], [2, 1]);
  assertEquals(gaveUp.place_kept_until, "2026-08-22T23:20:00.500Z");
  assertEquals([gaveUp.event, gaveUp.expected_ms], ["gave_up", 900_000]);
  assertEquals(gaveUp.holder.slug, "agent-1");
  assertEquals(gaveUp.holder.since, "2026-08-22T23:09:00.000Z");
});

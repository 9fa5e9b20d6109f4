/** The table of verdicts, row by row. */

import { BARE_PATIENCE_MS } from "../../../../lib/lock/times.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { LOCAL_DISK, type MountTrust } from "../../../../lib/folder/place/mount_trust.ts";
import type { HolderRecord, RecordTie } from "../../../../lib/folder/state/record.ts";
import { judge, speaksForLock } from "../../../../lib/folder/verdict/judge.ts";
import { A_RECORD } from "../a_record.ts";
import type { Evidence, HolderEvidence, Verdict } from "../../../../lib/folder/verdict/findings.ts";

const STALE_MS = 600_000;
const HOUR_MS = 3_600_000;
const YOUNG = { ageMs: 1000 };
const OLD = { ageMs: HOUR_MS };

const RECORD: HolderRecord = { ...A_RECORD, childPid: 4712, childStart: "12346" };

const LOOKED_AT: Omit<Evidence, "holder"> = {
  ageMs: 0,
  mtimeInFuture: false,
  mtimeStillForMs: 0,
  wallJumpedAgoMs: null,
  beside: { heartbeatMs: null, stillForMs: 0 },
  mount: LOCAL_DISK,
};

/** A dead holder of this machine, but for what is changed. */
function holder(edit: Partial<HolderEvidence>, record: Partial<HolderRecord> = {}): HolderEvidence {
  return {
    record: { ...RECORD, ...record },
    sameMachine: true,
    ours: RECORD.machine,
    namespaceEmptied: false,
    process: "gone",
    child: "gone",
    lifeline: "free",
    removerDied: false,
    beatStillForMs: 0,
    stopped: [],
    ...edit,
  };
}

function verdictOn(who: Evidence["holder"], age: Partial<Evidence>, staleMs = STALE_MS): Verdict {
  return judge({ ...LOOKED_AT, holder: who, ...age }, staleMs);
}

/** `held`, or the reason for stale. */
function shortly(who: Evidence["holder"], age: Partial<Evidence>, staleMs = STALE_MS): string {
  const verdict = verdictOn(who, age, staleMs);
  return verdict.verdict === "held" ? "held" : verdict.reason;
}

Deno.test("a live process holds whatever the age, and is called silent when old (V7)", () => {
  const witnesses: Partial<HolderEvidence>[] = [
    { lifeline: "locked" },
    { lifeline: "locked", process: "unknown", child: "unknown" },
    { lifeline: "locked", sameMachine: false, process: "unknown", child: "unknown" },
    { process: "alive" },
    { process: "alive", lifeline: "unknown", child: "unknown" },
  ];
  for (const witness of witnesses) {
    const young = verdictOn(holder(witness), YOUNG);
    const old = verdictOn(holder({ ...witness, beatStillForMs: HOUR_MS }), OLD);
    assertEquals([young.verdict, old.verdict], ["held", "held"]);
    assertEquals("silent" in young && young.silent, false);
    assertEquals("silent" in old && old.silent, true);
    assertMatch(old.why, /4711 lives.*silent for 1h/);
  }
});

Deno.test("a command that outlives its program holds whatever the age, and is an orphan (V8)", () => {
  const orphan = verdictOn(holder({ child: "alive", beatStillForMs: HOUR_MS }), OLD);
  assertEquals(orphan.verdict, "held");
  assertEquals("orphan" in orphan && orphan.orphan, true);
  assertMatch(orphan.why, /4711 is gone but its command \(pid 4712\) lives/);
  assertEquals(shortly(holder({ child: "alive" }, { childPid: null }), OLD), "held");
});

Deno.test("a record that does not belong speaks for the lock only while its hold is seen alive (T6)", () => {
  const alive: Partial<HolderEvidence>[] = [
    { lifeline: "locked", sameMachine: false, process: "unknown", child: "unknown" },
    { process: "alive", lifeline: "unknown", child: "unknown" },
    { child: "alive" },
  ];
  const not: Partial<HolderEvidence>[] = [
    {},
    { lifeline: "unknown", process: "unknown", child: "unknown" },
    { process: "alive", lifeline: "missing" },
    { child: "alive", lifeline: "missing" },
    { child: "alive", sameMachine: false },
    { lifeline: "missing", removerDied: true },
  ];
  for (const witness of alive) assertEquals(speaksForLock(holder(witness), "unknown"), true);
  for (const witness of not) assertEquals(speaksForLock(holder(witness), "unknown"), false);
  for (const witness of alive) assertEquals(speaksForLock(holder(witness), "none"), false);
  const anyProcess = holder({ process: "alive" }, { processStart: null });
  assertEquals(speaksForLock(anyProcess, "unknown"), false, "a number that any process may have");
});

Deno.test("the record of the same folder speaks for it, alive or dead, until its hold is given back (T3, T5)", () => {
  for (const lifeline of ["locked", "free", "unknown"] as const) {
    assertEquals(speaksForLock(holder({ lifeline }), "birth"), true);
  }
  assertEquals(speaksForLock(holder({ lifeline: "missing", child: "alive" }), "birth"), false);
});

Deno.test("a record that belongs speaks for the lock unless its hold was being given back (T7, T8)", () => {
  const speaks: Partial<HolderEvidence>[] = [
    {},
    { lifeline: "unknown" },
    { lifeline: "missing", child: "alive" },
    { lifeline: "missing", child: "unknown" },
    { lifeline: "missing", process: "alive" },
    { lifeline: "missing", removerDied: true },
  ];
  for (const witness of speaks) assertEquals(speaksForLock(holder(witness), "mtime"), true);
  assertEquals(speaksForLock(holder({ lifeline: "missing" }), "mtime"), false);
});

Deno.test("the record of an acquire hold speaks for the lock while it is the same folder, until given back", () => {
  const acquired = (lifeline: HolderEvidence["lifeline"], tie: RecordTie) =>
    speaksForLock(holder({ lifeline, process: "unknown" }, { mode: "acquire" }), tie);
  const ties = ["mtime", "birth", "unknown", "none"] as const;
  assertEquals(ties.map((tie) => acquired("unknown", tie)), [true, true, false, false]);
  assertEquals(ties.map((tie) => acquired("missing", tie)), [false, false, false, false]);
});

Deno.test("process and command gone is dead at once, whatever the age (V9)", () => {
  for (const age of [YOUNG, OLD, { ageMs: 0, mtimeInFuture: true }]) {
    assertEquals(shortly(holder({}), age), "dead");
    assertEquals(shortly(holder({ lifeline: "unknown" }), age), "dead");
  }
  assertMatch(verdictOn(holder({}), YOUNG).why, /4711 and its command \(pid 4712\) are gone/);
});

Deno.test("what could not be found out never counts as death (E3, V10)", () => {
  const doubts: Partial<HolderEvidence>[] = [
    { process: "unknown" },
    { child: "unknown" },
    { process: "unknown", child: "unknown", lifeline: "unknown" },
    { process: "gone", child: "unknown" },
  ];
  for (const doubt of doubts) {
    assertEquals(shortly(holder(doubt), YOUNG), "held");
    assertEquals(shortly(holder(doubt), OLD), "held", "old, but not yet watched");
    assertEquals(shortly(holder({ ...doubt, beatStillForMs: 10_001 }), OLD), "expired");
  }
});

Deno.test("another machine's run hold expires by age and a beat that stands still while we watch (V3, V17)", () => {
  const stranger = { sameMachine: false, process: "unknown", child: "unknown" } as const;
  for (const lifeline of ["free", "missing", "unknown"] as const) {
    assertEquals(shortly(holder({ ...stranger, lifeline }), YOUNG), "held");
    const watched = (ms: number) => holder({ ...stranger, lifeline, beatStillForMs: ms });
    assertEquals(shortly(watched(10_000), OLD), "held", "two heartbeats must be over");
    assertEquals(shortly(watched(10_001), OLD), "expired");
    assertEquals(shortly(watched(HOUR_MS), YOUNG), "held", "a young one is no matter of watching");
  }
  const silent = verdictOn(holder(stranger), OLD);
  assertEquals("silent" in silent && silent.silent, true);
});

Deno.test("who is stopped is said, with what lets it go on (E5)", () => {
  const cases: [Partial<HolderEvidence>, RegExp][] = [
    [
      { process: "alive", stopped: [4711] },
      /^its process 4711 lives; it is stopped: kill -CONT 4711 lets it go on$/,
    ],
    [
      { process: "alive", stopped: [4712] },
      /lives; its command is stopped: kill -CONT 4712 lets it go on$/,
    ],
    [
      { process: "alive", stopped: [4711, 4712] },
      /lives; it and its command are stopped: kill -CONT 4711 4712 lets them go on$/,
    ],
    [
      { child: "alive", stopped: [4712] },
      /its command \(pid 4712\) lives; its command is stopped: kill/,
    ],
  ];
  for (const [edit, words] of cases) {
    const verdict = verdictOn(holder(edit), YOUNG);
    assertMatch(verdict.why, words);
    assertEquals("stopped" in verdict && verdict.stopped, edit.stopped);
    assertMatch(verdictOn(holder(edit), OLD).why, /silent for 1h; .* stopped: kill -CONT 4/);
  }
  const running = verdictOn(holder({ process: "alive" }), YOUNG);
  assertEquals("stopped" in running && running.stopped, []);
});

Deno.test("a missing lifeline says that the hold was being given back: dead only with its remover (V5, T9)", () => {
  assertEquals(shortly(holder({ lifeline: "missing" }), YOUNG), "held");
  assertEquals(shortly(holder({ lifeline: "missing" }), OLD), "held");
  assertEquals(shortly(holder({ lifeline: "missing", removerDied: true }), YOUNG), "dead");
  assertEquals(
    shortly(holder({ lifeline: "missing", removerDied: true, process: "alive" }), YOUNG),
    "held",
  );
  assertEquals(
    shortly(holder({ lifeline: "missing", removerDied: true, child: "alive" }), OLD),
    "held",
  );
  assertEquals(shortly(holder({ lifeline: "missing", beatStillForMs: 10_001 }), OLD), "expired");
});

Deno.test("a lifeline that was deleted does not cost the hold of who is seen alive (V4)", () => {
  const deleted = { lifeline: "missing", beatStillForMs: HOUR_MS } as const;
  const orphan = verdictOn(holder({ ...deleted, child: "alive" }), OLD);
  assertEquals([orphan.verdict, "orphan" in orphan && orphan.orphan], ["held", true]);
  const stopped = holder({ ...deleted, process: "alive", stopped: [4711] });
  assertEquals(shortly(stopped, OLD), "held", "it could not make it again");
  assertEquals(
    shortly(holder({ ...deleted, process: "alive" }), OLD),
    "expired",
    "it would have made it again if the hold were still its own",
  );
});

Deno.test("an acquire hold expires by age and two heartbeats of standing still, whatever became of its process (V11, V17)", () => {
  for (const process of ["alive", "gone", "unknown"] as const) {
    for (const lifeline of ["locked", "free", "unknown"] as const) {
      for (const sameMachine of [true, false]) {
        const watched = (beatStillForMs: number) =>
          holder({ process, lifeline, sameMachine, beatStillForMs }, { mode: "acquire" });
        assertEquals(shortly(watched(HOUR_MS), YOUNG), "held");
        assertEquals(shortly(watched(10_000), OLD), "held");
        assertEquals(shortly(watched(10_001), OLD), "expired");
      }
    }
  }
});

Deno.test("without a record that speaks for the lock, age alone decides, at once (V12)", () => {
  for (const who of ["no record", "unreadable record", "record of another hold"] as const) {
    assertEquals(shortly(who, { ageMs: STALE_MS }), "held");
    assertEquals(shortly(who, { ageMs: STALE_MS + 1 }), "expired");
    assertMatch(verdictOn(who, OLD).why, /there is no .*record.*1h ago, longer than 10m/);
  }
});

/** A share that shows what is up to 20 seconds old. */
const SHARE: MountTrust = {
  isLocalDisk: false,
  locksProveLife: false,
  cachesForMs: 20_000,
  listingsLagMs: 0,
};

Deno.test("on a share no age ends a hold before two heartbeats and the time it caches for have been watched (V13, V18)", () => {
  const acquired = (beatStillForMs: number) => holder({ beatStillForMs }, { mode: "acquire" });
  const unseen = (beatStillForMs: number) =>
    holder({ beatStillForMs, sameMachine: false, process: "unknown", child: "unknown" });
  for (const who of [acquired, unseen]) {
    assertEquals(shortly(who(30_000), { ...OLD, mount: SHARE }), "held");
    assertEquals(shortly(who(30_001), { ...OLD, mount: SHARE }), "expired");
  }
});

Deno.test("on a share a record that does not belong is watched like one that does (V18)", () => {
  for (const who of ["record of another hold", "unreadable record", "no record"] as const) {
    const watched = (stillForMs: number, heartbeatMs: number | null) =>
      shortly(who, { ...OLD, mount: SHARE, beside: { stillForMs, heartbeatMs } });
    assertEquals([watched(30_000, 5000), watched(30_001, 5000)], ["held", "expired"]);
    assertEquals([watched(30_000, null), watched(30_001, null)], ["held", "expired"]);
  }
  const hasty = (stillForMs: number) =>
    shortly("record of another hold", {
      ageMs: 15_000,
      mount: SHARE,
      beside: { stillForMs, heartbeatMs: 5000 },
    }, 100);
  assertEquals([hasty(30_000), hasty(30_001)], ["held", "expired"], "by its heartbeat, not ours");
});

Deno.test("on a share the file lock of who cannot be seen is life only while its beat moves (E10)", () => {
  const locked = {
    lifeline: "locked",
    sameMachine: false,
    process: "unknown",
    child: "unknown",
  } as const;
  const share = { ...OLD, mount: SHARE };
  assertEquals(shortly(holder({ ...locked, beatStillForMs: 30_000 }), share), "held");
  assertEquals(shortly(holder({ ...locked, beatStillForMs: 30_001 }), share), "expired");
  assertEquals(shortly(holder({ ...locked, beatStillForMs: HOUR_MS }), YOUNG), "held");
  const seen = holder({ lifeline: "locked", process: "alive", beatStillForMs: HOUR_MS });
  assertEquals(shortly(seen, share), "held", "who is seen alive is never broken");
});

Deno.test("a bare lock is watched for two heartbeats once the wall clock was seen to be set (V14, V19)", () => {
  const after = (wallJumpedAgoMs: number, mtimeStillForMs: number) =>
    shortly("no record", { ...OLD, wallJumpedAgoMs, mtimeStillForMs });
  assertEquals([after(10_000, HOUR_MS), after(10_001, HOUR_MS)], ["held", "expired"]);
  assertEquals([after(HOUR_MS, 10_000), after(HOUR_MS, 10_001)], ["held", "expired"]);
});

Deno.test("a verdict tells how soon time alone may turn it", () => {
  const turns = (who: Evidence["holder"], age: Partial<Evidence>) => {
    const verdict = verdictOn(who, age);
    return verdict.verdict === "held" ? verdict.turnsInMs : null;
  };
  const acquired = (beatStillForMs: number) => holder({ beatStillForMs }, { mode: "acquire" });
  assertEquals(turns("no record", { ageMs: STALE_MS - 7 }), 7);
  assertEquals(turns(acquired(4000), { ageMs: STALE_MS - 7 }), 6000);
  assertEquals(turns(acquired(4000), OLD), 6000);
  assertEquals(turns(holder({ process: "unknown", beatStillForMs: 9999 }), OLD), 1);
  assertEquals(turns(holder({ process: "alive" }), OLD), undefined);
});

Deno.test("a holder that cannot be seen is told with how soon age breaks it", () => {
  const stranger = holder({ sameMachine: false, process: "unknown", lifeline: "unknown" });
  const verdict = verdictOn(stranger, { ageMs: 7 });
  assertEquals(verdict.verdict, "held");
  assertEquals("expiresInMs" in verdict && verdict.expiresInMs! > 0, true);
});

/** A holder that cannot be seen, on a machine of this description. */
function away(machine: Partial<HolderRecord["machine"]>, edit: Partial<HolderEvidence> = {}) {
  const unknown = { sameMachine: false, process: "unknown", child: "unknown" } as const;
  const there = { ...RECORD.machine, ...machine };
  return holder({ ...unknown, ...edit }, { machine: there, pid: 15079 });
}

const FORGE = { host: "forge-7", bootId: "another" };

Deno.test("a holder elsewhere that has missed two beats is told with where it is, and how to look there", () => {
  assertEquals(
    verdictOn(away(FORGE), { ageMs: 17_000 }).why,
    "it is on forge-7, which this machine cannot see into; silent for 17s, 3 beats missed; " +
      "broken after 10m of silence, in 9m 43s; to look: ssh forge-7, pid 15079",
  );
  assertEquals(
    verdictOn(away(FORGE), { ageMs: 10_000 }).why,
    "it is on forge-7, which this machine cannot see into; its last beat was 10s ago",
  );
  const cached = verdictOn(away(FORGE), { ageMs: 30_000, mount: SHARE });
  assertMatch(cached.why, /; its last beat was 30s ago$/, "so old is what the share shows");
  const late = verdictOn(away(FORGE), { ageMs: 30_001, mount: SHARE });
  assertMatch(
    late.why,
    /; silent for 30s, 6 beats missed; broken after 10m of silence, in 9m 30s;/,
  );
});

Deno.test("a holder elsewhere whose silence is long enough is told with how long it is still watched", () => {
  const verdict = verdictOn(away(FORGE, { beatStillForMs: 4000 }), OLD);
  assertMatch(
    verdict.why,
    /; silent for 1h, 720 beats missed; broken after 10m of silence, once it has been watched for another 6s; to look: ssh forge-7, pid 15079$/,
  );
  const unlimited = verdictOn(away(FORGE), { ageMs: 17_000 }, Number.MAX_SAFE_INTEGER);
  assertMatch(unlimited.why, /; silent for 17s, 3 beats missed; to look: ssh forge-7, pid 15079$/);
});

Deno.test("where a holder elsewhere is depends on what its machine has in common with this one", () => {
  const why = (machine: Partial<HolderRecord["machine"]>) =>
    verdictOn(away(machine), { ageMs: 17_000 }).why;
  assertMatch(
    why({ host: "web-1", pidNamespace: "pid:[1]" }),
    /^it is in another pid namespace of this machine, such as a container, called web-1; .*; to look: pid 15079 in there$/,
  );
  assertMatch(
    why({ bootId: "another" }),
    /^it is on box, as this machine is called too, but of another boot; .*; if this machine was restarted since, it is dead: release --slug YOU --force$/,
  );
  assertMatch(
    why({ bootId: null }),
    /^it is on box, where this machine cannot tell which processes live; .*; to look: pid 15079$/,
  );
});

Deno.test("a record cannot slip a flag, or anything else, into the command that looks", () => {
  for (const host of ["-oProxyCommand=x", "a b", "a;b", "\u001b[2J", ""]) {
    const { why } = verdictOn(away({ ...FORGE, host }), { ageMs: 17_000 });
    assertMatch(why, /; to look: pid 15079 there$/);
    assertEquals(why.includes("\u001b"), false);
  }
});

Deno.test("an mtime in the future is as age zero until it has stood still for --stale (V21)", () => {
  const acquired = holder({ beatStillForMs: HOUR_MS }, { mode: "acquire" });
  const stranger = holder({
    sameMachine: false,
    process: "unknown",
    child: "unknown",
    beatStillForMs: HOUR_MS,
  });
  for (const who of ["no record", acquired, stranger] as const) {
    const future = { ageMs: 0, mtimeInFuture: true };
    assertEquals(shortly(who, { ...future, mtimeStillForMs: STALE_MS }), "held");
    assertEquals(shortly(who, { ...future, mtimeStillForMs: STALE_MS + 1 }), "expired");
  }
});

Deno.test("a --stale below three heartbeats of the record that belongs is not taken at its word (V15)", () => {
  const own = { mode: "acquire", heartbeatSeconds: 5, stale: 1 } as const;
  const slow = holder({ beatStillForMs: HOUR_MS }, own);
  assertEquals(shortly(slow, { ageMs: 15_000 }, 100), "held");
  assertEquals(shortly(slow, { ageMs: 15_001 }, 100), "expired");
});

Deno.test("an `acquire` hold is broken no sooner than its own --stale says (V15)", () => {
  const own = { mode: "acquire", heartbeatSeconds: 5, stale: 60 } as const;
  const lease = holder({ beatStillForMs: HOUR_MS }, own);
  assertEquals(shortly(lease, { ageMs: 60_000 }, 16_000), "held");
  assertEquals(shortly(lease, { ageMs: 60_001 }, 16_000), "expired");
  assertEquals(shortly(lease, { ageMs: 60_001 }, 90_000), "held", "the waiter is patient");
});

Deno.test("a lock without a record is left alone for as long as a claim may take, whatever --stale (V15, C3)", () => {
  for (const bare of ["no record", "unreadable record", "record of another hold"] as const) {
    assertEquals(shortly(bare, { ageMs: BARE_PATIENCE_MS }, 100), "held");
    assertEquals(shortly(bare, { ageMs: BARE_PATIENCE_MS + 1 }, 100), "expired");
    assertEquals(shortly(bare, { ageMs: BARE_PATIENCE_MS + 1 }, 60_000), "held");
  }
});

Deno.test("judge() never calls stale what any witness sees alive, over all evidence there is (I9, V1)", () => {
  const lives = ["alive", "gone", "unknown"] as const;
  let judged = 0;
  for (const process of lives) {
    for (const child of lives) {
      for (const lifeline of ["locked", "free", "missing", "unknown"] as const) {
        for (const removerDied of [true, false]) {
          for (const age of [YOUNG, OLD]) {
            const who = holder({
              process,
              child,
              lifeline,
              removerDied,
              beatStillForMs: HOUR_MS,
            });
            const reason = shortly(who, age);
            if (process === "alive") {
              assertEquals(shortly({ ...who, stopped: [4711] }, age), "held", "it cannot beat");
            }
            const alive = lifeline === "locked" || child === "alive" ||
              (lifeline !== "missing" && process === "alive");
            if (alive) assertEquals(reason, "held");
            const surelyDead = process === "gone" && child === "gone";
            if (reason === "dead") assertEquals(surelyDead, true);
            judged++;
          }
        }
      }
    }
  }
  assertEquals(judged, 144);
});

Deno.test("a hold of a pid namespace that no process is in any more is dead, unless its lifeline says otherwise (V2, E12)", () => {
  const ended = {
    sameMachine: false,
    process: "unknown",
    child: "unknown",
    namespaceEmptied: true,
  } as const;
  const verdict = verdictOn(holder(ended), {});
  assertEquals([verdict.verdict, shortly(holder(ended), {})], ["stale", "dead"]);
  assertMatch(verdict.why, /no process is left in the pid namespace of its process 4711/);
  for (const lifeline of ["locked", "missing", "unknown"] as const) {
    assertEquals(shortly(holder({ ...ended, lifeline }), {}), "held", lifeline);
  }
  assertEquals(shortly(holder(ended, { mode: "acquire" }), {}), "held");
});

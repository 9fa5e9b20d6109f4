import { assertEquals } from "@std/assert";
import type { Moment } from "../../../lib/sys/elapsed.ts";
import type { HolderRecord, LockLook } from "../../../lib/folder/state/record.ts";
import { type HoldMemory, isStillOurs as isOurs } from "../../../lib/folder/still_ours.ts";
import { A_RECORD } from "./a_record.ts";

const MTIME_MS = 1_800_000_000_000;
const OURS = "ourtoken00000000";
const THEIRS = "theirtoken000000";

const MEMORY: HoldMemory = {
  token: OURS,
  leftMtimeMs: MTIME_MS,
  birthtimeMs: MTIME_MS,
  beatAt: { monotonicMs: 0, wallMs: MTIME_MS },
  staleMs: 600_000,
};

function isStillOurs(look: LockLook, memory: HoldMemory, now: Moment): boolean {
  return isOurs(look, memory, now, false);
}

/** Long after our last beat could still prove anything. */
const LATE = after(400_000);
const SOON = after(1000);

function after(ms: number): Moment {
  return { monotonicMs: ms, wallMs: MTIME_MS + ms };
}

function recordOf(token: string, lockMtime: number): HolderRecord {
  return { ...A_RECORD, token, lockMtime };
}

type Standing = Extract<LockLook, { standing: "lock" }>;

function lookAt(edit: Partial<Standing>): LockLook {
  return {
    standing: "lock",
    mtimeMs: MTIME_MS,
    birthtimeMs: MTIME_MS,
    uid: null,
    entries: [],
    record: { record: recordOf(OURS, MTIME_MS), fileMtimeMs: MTIME_MS },
    ...edit,
  };
}

const theirRecord = (lockMtime: number) => ({
  record: recordOf(THEIRS, lockMtime),
  fileMtimeMs: lockMtime,
});

Deno.test("isStillOurs(): a lock with the mtime that we left, whatever became of the record (O3)", () => {
  for (const record of ["none", "unreadable", theirRecord(MTIME_MS - 9000)] as const) {
    assertEquals(isStillOurs(lookAt({ record }), MEMORY, LATE), true);
  }
  assertEquals(isStillOurs(lookAt({}), MEMORY, LATE), true);
});

Deno.test("isStillOurs(): no lock, or something else in its place, is not ours", () => {
  assertEquals(isStillOurs({ standing: "nothing" }, MEMORY, SOON), false);
  assertEquals(isStillOurs({ standing: "other", found: "a file" }, MEMORY, SOON), false);
});

Deno.test("isStillOurs(): a record that speaks for another's lock outweighs an equal mtime (O1)", () => {
  assertEquals(isStillOurs(lookAt({ record: theirRecord(MTIME_MS) }), MEMORY, SOON), false);
});

Deno.test("isStillOurs(): a touched lock is ours while our last beat is young (O6)", () => {
  for (const record of ["none", "unreadable"] as const) {
    const touched = lookAt({ mtimeMs: MTIME_MS + 5000, birthtimeMs: null, record });
    assertEquals(isStillOurs(touched, MEMORY, SOON), true);
    assertEquals(isStillOurs(touched, MEMORY, LATE), false);
  }
});

Deno.test("isStillOurs(): a touched lock is ours by its birth time, where there is one (O6)", () => {
  const touched = lookAt({ mtimeMs: MTIME_MS + 5000, record: "none" });
  assertEquals(isStillOurs(touched, MEMORY, LATE), true);
  for (const birthtimeMs of [null, 0]) {
    const unborn = lookAt({ mtimeMs: MTIME_MS + 5000, birthtimeMs, record: "none" });
    assertEquals(isStillOurs(unborn, { ...MEMORY, birthtimeMs }, LATE), false);
  }
});

Deno.test("isStillOurs(): a touched folder that was born later is another's, however young our beat (O5)", () => {
  const later = lookAt({ mtimeMs: MTIME_MS + 5000, birthtimeMs: MTIME_MS + 5000, record: "none" });
  assertEquals(isStillOurs(later, MEMORY, SOON), false);
  const earlier = lookAt({
    mtimeMs: MTIME_MS - 5000,
    birthtimeMs: MTIME_MS - 5000,
    record: "none",
  });
  assertEquals(isStillOurs(earlier, MEMORY, SOON), true, "macOS sets it back with the mtime");
});

Deno.test("isStillOurs(): another mtime and another's record say lost, at any time (O4)", () => {
  const theirs = lookAt({ mtimeMs: MTIME_MS + 5000, record: theirRecord(MTIME_MS + 4000) });
  assertEquals(isStillOurs(theirs, MEMORY, SOON), false);
});

Deno.test("isStillOurs(): a beat before a sleep of the machine is not young after it (K1, O6)", () => {
  const touched = lookAt({ mtimeMs: MTIME_MS + 5000, birthtimeMs: null, record: "none" });
  const slept = { monotonicMs: 1000, wallMs: MTIME_MS + 400_000 };
  assertEquals(isStillOurs(touched, MEMORY, slept), false);
});

Deno.test("isStillOurs(): on a share a record of a later hold outweighs the mtime that we left (O2)", () => {
  const later = { record: recordOf(THEIRS, MTIME_MS + 5000), fileMtimeMs: MTIME_MS - 9000 };
  const writtenLater = { record: recordOf(THEIRS, MTIME_MS - 1), fileMtimeMs: MTIME_MS + 5000 };
  for (const record of [later, writtenLater]) {
    assertEquals(isOurs(lookAt({ record }), MEMORY, SOON, true), false);
    assertEquals(
      isOurs(lookAt({ record }), MEMORY, SOON, false),
      true,
      "a disk of our own shows what is",
    );
  }
  const record = theirRecord(MTIME_MS - 9000);
  assertEquals(
    isOurs(lookAt({ record }), MEMORY, LATE, true),
    true,
    "an older one is a late writer's",
  );
});

import { assertEquals } from "@std/assert";
import {
  type HolderRecord,
  type LockLook,
  recordByMtime,
  recordTie,
} from "../../../../lib/folder/state/record.ts";
import { A_RECORD } from "../a_record.ts";

const MTIME_MS = 1_800_000_000_000;
const OURS = "ourtoken00000000";

type Standing = Extract<LockLook, { standing: "lock" }>;

function recordOf(token: string, lockMtime: number): HolderRecord {
  return { ...A_RECORD, token, lockMtime };
}

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

Deno.test("recordTie(): by mtime, else by birth time, else not known (T1, T2, T3, T4)", () => {
  const tie = (lockBirthtime: number | null, edit: Partial<Standing>) => {
    const record = { ...recordOf(OURS, MTIME_MS), lockBirthtime };
    return recordTie(lookAt({ record: { record, fileMtimeMs: MTIME_MS }, ...edit }));
  };
  const touched = { mtimeMs: MTIME_MS + 5000 };
  assertEquals(tie(MTIME_MS, {}), "mtime");
  assertEquals(tie(MTIME_MS, touched), "birth");
  assertEquals(tie(MTIME_MS - 5000, touched), "none");
  assertEquals(tie(MTIME_MS - 5000, {}), "mtime", "some shares make a birth time of the others");
  assertEquals(tie(null, touched), "unknown");
  assertEquals(tie(MTIME_MS, { ...touched, birthtimeMs: null }), "unknown");
  assertEquals(recordTie(lookAt({ record: "none" })), "none");
});

Deno.test("recordByMtime() is the one with the mtime of this lock, or none", () => {
  assertEquals(recordByMtime(lookAt({}))?.token, OURS);
  assertEquals(recordByMtime(lookAt({ mtimeMs: MTIME_MS + 1 })), null);
  assertEquals(recordByMtime(lookAt({ record: "none" })), null);
  assertEquals(recordByMtime(lookAt({ record: "unreadable" })), null);
  assertEquals(recordByMtime({ standing: "nothing" }), null);
});

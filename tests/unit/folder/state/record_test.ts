import { assertEquals } from "@std/assert";
import {
  type HolderRecord,
  isSameMachine,
  parseRecord,
  parseWhoAndWhere,
  recordBelongs,
} from "../../../../lib/folder/state/record.ts";
import { A_RECORD as RECORD } from "../a_record.ts";

function parsedWith(edit: Record<string, unknown>): HolderRecord | null {
  return parseRecord(JSON.stringify({ ...RECORD, ...edit }));
}

Deno.test("parseRecord() reads back what is written", () => {
  assertEquals(parseRecord(JSON.stringify(RECORD)), RECORD);
  const running = { ...RECORD, childPid: 4712, childStart: "12346", command: ["make", "all"] };
  assertEquals(parseRecord(JSON.stringify(running)), running);
});

Deno.test("parseRecord() takes no text that is not a whole record (D9)", () => {
  const whole = JSON.stringify(RECORD);
  const texts = ["", "{", "null", "true", "7", '"x"', "[]", `[${whole}]`, "{}", "\0", `${whole}x`];
  for (const text of [...texts, whole.slice(0, -1), whole.slice(0, 40)]) {
    assertEquals(parseRecord(text), null, text);
  }
});

Deno.test("parseRecord() takes no process number that could mean a group or none", () => {
  for (const pid of [0, -1, -4711, 1.5, 2 ** 31, 1e300, NaN, "4711", null, [4711]]) {
    assertEquals(parsedWith({ pid }), null, String(pid));
    if (pid !== null && !Number.isNaN(pid)) {
      assertEquals(parsedWith({ childPid: pid }), null, String(pid));
    }
  }
});

Deno.test("parseRecord() takes no field of another type or range", () => {
  const wrong: Record<string, unknown[]> = {
    token: ["", "short", "UPPERCASE", "../../x", "a".repeat(65), 7, null],
    slug: ["", "a b", "x\nreleased", "\x1b[2J", 7],
    mode: ["", "RUN", "hold", null],
    machine: [null, "box", [], {}, { ...RECORD.machine, host: 7 }, {
      ...RECORD.machine,
      bootId: {},
    }, { ...RECORD.machine, timeNamespace: 7 }],
    processStart: [7, "x".repeat(300)],
    beat: [-1, 0.5, "0", null],
    heartbeatSeconds: [0, -5, "5", null, 5.1, 1e9],
    stale: [0, -1, null],
    fence: [-1, 2 ** 60, null],
    lockMtime: [-1, "now", 0.5],
    acquiredAt: [null, "today", 8.64e15 + 1],
    command: ["make", [7], {}, null],
  };
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertEquals(parsedWith({ [field]: value }), null, `${field}: ${JSON.stringify(value)}`);
    }
  }
});

Deno.test("parseWhoAndWhere() is content with who and where", () => {
  const { token, slug, pid, processStart, machine } = RECORD;
  const who = { token, slug, pid, processStart, machine };
  assertEquals(parseWhoAndWhere(JSON.stringify(who)), who);
  assertEquals(parseWhoAndWhere(JSON.stringify({ ...who, pid: 0 })), null);
  assertEquals(parseWhoAndWhere("[]"), null);
});

Deno.test("isSameMachine() needs one boot, one pid and one time namespace, whatever the host's name (E1)", () => {
  const here = RECORD.machine;
  assertEquals(isSameMachine(here, { ...here, host: "renamed" }), true);
  for (
    const other of [
      { ...here, bootId: "other" },
      { ...here, pidNamespace: "other" },
      { ...here, timeNamespace: "other" },
      { ...here, timeNamespace: null },
    ]
  ) assertEquals(isSameMachine(here, other), false);
  for (const unknown of [{ ...here, bootId: null }, { ...here, pidNamespace: null }]) {
    assertEquals(isSameMachine(unknown, unknown), false);
  }
});

Deno.test("isSameMachine() takes a record from before time namespaces, or a kernel without them, for one without", () => {
  const { timeNamespace: _, ...without } = RECORD.machine;
  const none = { ...without, timeNamespace: null };
  assertEquals(isSameMachine(without, none), true);
  assertEquals(isSameMachine(without, RECORD.machine), false);
  assertEquals(parsedWith({ machine: without })?.machine, without);
});

Deno.test("recordBelongs() to a lock of the mtime that the holder read", () => {
  assertEquals(recordBelongs(RECORD, 5, RECORD.lockMtime), true);
  assertEquals(recordBelongs(RECORD, 5, RECORD.lockMtime + 1), false);
});

Deno.test("recordBelongs() to a lock of the record file's own mtime, as a beat leaves it", () => {
  const beatMs = RECORD.lockMtime + 5000;
  assertEquals(recordBelongs(RECORD, beatMs, beatMs), true);
  assertEquals(recordBelongs(RECORD, beatMs, beatMs + 1), false);
});

import { assertEquals, assertMatch } from "@std/assert";
import type {
  AppendsFound,
  FileLocksFound,
  HandOverFound,
  Judgement,
  RaceFound,
  TimesFound,
  WatchFound,
} from "../../../../lib/doctor/rules/judgement.ts";
import {
  judgeAppends,
  judgeBirthtime,
  judgeClock,
  judgeFileLocks,
  judgeFreedByDeath,
  judgeHandOver,
  judgeMtime,
  judgeMtimeSeen,
  judgePeer,
  judgeRace,
  judgeWatch,
  judgeWriting,
} from "../../../../lib/doctor/rules/trial_rules.ts";

type Row = readonly [what: string, judgement: Judgement, status: string, text: RegExp];

function rows(rule: string, table: readonly Row[]): void {
  for (const [what, { status, text }, wantedStatus, wantedText] of table) {
    Deno.test(`${rule}: ${what}: ${wantedStatus}`, () => {
      assertEquals(status, wantedStatus, text);
      assertMatch(text, wantedText);
      // A sentence of a list: no full stop, no line break.
      assertMatch(text, /^[^\n]*[^.\n]$/);
    });
  }
}

function writing(code: string, reason: string) {
  return judgeWriting({ problem: { code, reason, folderMade: false, uid: 0, mode: 0o755 } });
}

rows("writable", [
  ["all could be written", judgeWriting({ problem: null }), "PASS", /written and removed/],
  ["missing", writing("ENOENT", "it does not exist"), "FAIL", /^it does not exist.*mkdir -p/],
  ["a file", writing("ENOTDIR", "it is not a folder"), "FAIL", /name a folder with --dir/],
  ["full", writing("ENOSPC", "no space"), "FAIL", /before some space is free/],
  ["over quota", writing("EDQUOT", "quota"), "FAIL", /before some space is free/],
  ["frozen", writing("ETIMEDOUT", "no answer within 30 s"), "FAIL", /does not answer/],
  ["read-only", writing("EROFS", "read-only"), "FAIL", /\(owner uid 0, mode 755\).*write to/],
]);

const RACE: RaceFound = {
  processes: 8,
  races: 200,
  severalWinners: 0,
  mostWinners: 1,
  noWinner: 0,
  otherCodes: [],
};

rows("mkdir race", [
  ["one winner each", judgeRace(RACE, "here"), "PASS", /^one winner in each of 200 races of 8/],
  ["one winner each, across", judgeRace(RACE, "across"), "PASS", /half of them on each mount$/],
  [
    "two winners once",
    judgeRace({ ...RACE, severalWinners: 1, mostWinners: 2 }, "here"),
    "FAIL",
    /up to 2 win in 1 of 200 races: two would hold/,
  ],
  ["no winner", judgeRace({ ...RACE, noWinner: 3 }, "here"), "FAIL", /nobody won 3 of 200/],
  [
    "another failure than EEXIST",
    judgeRace({ ...RACE, otherCodes: ["EIO"] }, "here"),
    "FAIL",
    /EIO instead of EEXIST/,
  ],
]);

const HAND_OVER: HandOverFound = {
  handOvers: 20,
  madeWhileHeld: 0,
  slowestMs: 2,
  gaveUpAfterMs: null,
  otherCodes: [],
};

rows("hand-over", [
  ["at once", judgeHandOver(HAND_OVER, "here"), "PASS", /within 2ms of rmdir, 20 times/],
  ["slow", judgeHandOver({ ...HAND_OVER, slowestMs: 900 }, "here"), "WARN", /up to 900ms/],
  ["made twice", judgeHandOver({ ...HAND_OVER, madeWhileHeld: 1 }, "across"), "FAIL", /two would/],
  [
    "never",
    judgeHandOver({ ...HAND_OVER, gaveUpAfterMs: 3000 }, "here"),
    "FAIL",
    /3s after rmdir/,
  ],
  [
    "late on the other mount",
    judgeHandOver({ ...HAND_OVER, gaveUpAfterMs: 3000 }, "across"),
    "WARN",
    /longer than that/,
  ],
  [
    "another failure",
    judgeHandOver({ ...HAND_OVER, otherCodes: ["EBUSY"] }, "here"),
    "FAIL",
    /EBUSY/,
  ],
]);

const TIMES: TimesFound = { setFailed: null, offMs: 0, stepMs: 4, keepsBirthtime: true };

rows("mtime", [
  ["to the millisecond", judgeMtime(TIMES), "PASS", /kept exactly; .* step by 4ms/],
  ["to 10 ms", judgeMtime({ ...TIMES, offMs: 7 }), "PASS", /kept to 7ms/],
  ["no step seen", judgeMtime({ ...TIMES, stepMs: null }), "PASS", /kept exactly$/],
  ["whole seconds", judgeMtime({ ...TIMES, offMs: 987, stepMs: null }), "WARN", /steps of 1s/],
  ["even seconds", judgeMtime({ ...TIMES, offMs: 1987 }), "WARN", /steps of 2s/],
  ["new files in whole seconds", judgeMtime({ ...TIMES, stepMs: 1000 }), "WARN", /steps of 1s/],
  ["not kept", judgeMtime({ ...TIMES, offMs: 1e9 }), "FAIL", /would not show/],
  ["refused", judgeMtime({ ...TIMES, setFailed: "not allowed" }), "FAIL", /\(not allowed\)/],
]);

rows("birthtime", [
  ["kept", judgeBirthtime(TIMES), "PASS", /^kept$/],
  ["none", judgeBirthtime({ ...TIMES, keepsBirthtime: false }), "PASS", /none is kept/],
]);

rows("clock", [
  ["the same", judgeClock({ aheadMs: -3, resolutionMs: 10 }), "PASS", /is this machine's$/],
  ["coarse", judgeClock({ aheadMs: -900, resolutionMs: 1000 }), "PASS", /is this machine's$/],
  ["nearly", judgeClock({ aheadMs: 500, resolutionMs: 10 }), "PASS", /differ by 490ms/],
  [
    "ahead",
    judgeClock({ aheadMs: 90_000, resolutionMs: 10 }),
    "WARN",
    /1m 30s ahead of .* too late/,
  ],
  ["behind", judgeClock({ aheadMs: -90_000, resolutionMs: 10 }), "WARN", /behind .* too soon/],
]);

const LOCKS: FileLocksFound = { whileHeld: "held", freedAfterMs: 2, limitMs: 5000 };

rows("file locks", [
  ["exclude", judgeFileLocks(LOCKS, "here"), "PASS", /keeps another process out$/],
  ["both granted", judgeFileLocks({ ...LOCKS, whileHeld: "granted" }, "across"), "WARN", /across/],
  ["not there", judgeFileLocks({ ...LOCKS, whileHeld: "unknown" }, "here"), "WARN", /do not work/],
]);

rows("freed by death", [
  ["at once", judgeFreedByDeath(LOCKS, "here"), "PASS", /within 2ms$/],
  [
    "late",
    judgeFreedByDeath({ ...LOCKS, freedAfterMs: 3000 }, "across"),
    "WARN",
    /other mount .* 3s/,
  ],
  ["never", judgeFreedByDeath({ ...LOCKS, freedAfterMs: null }, "here"), "WARN", /after 5s$/],
]);

const WATCH: WatchFound = { refused: null, removals: 5, seen: 5, slowestMs: 3 };

rows("watch", [
  ["all seen", judgeWatch(WATCH, "here"), "PASS", /another process are seen within 3ms/],
  ["slow", judgeWatch({ ...WATCH, slowestMs: 800 }, "here"), "WARN", /within 800ms/],
  ["some seen", judgeWatch({ ...WATCH, seen: 4 }, "here"), "WARN", /saw 4 of 5/],
  [
    "none seen",
    judgeWatch({ ...WATCH, seen: 0, slowestMs: null }, "across"),
    "WARN",
    /other mount/,
  ],
  ["no watch", judgeWatch({ ...WATCH, refused: "too many" }, "here"), "WARN", /\(too many\)/],
]);

const APPENDS: AppendsFound = { writers: 8, lines: 200, lost: 0, torn: 0, failures: [] };

rows("appends", [
  ["all there", judgeAppends(APPENDS, "here"), "PASS", /^200 lines by 8 writers: all there/],
  ["lost", judgeAppends({ ...APPENDS, lost: 2 }, "here"), "FAIL", /2 were lost and 0 torn/],
  ["torn", judgeAppends({ ...APPENDS, torn: 1 }, "here"), "FAIL", /cannot be believed/],
  ["lost between mounts", judgeAppends({ ...APPENDS, lost: 2 }, "across"), "WARN", /lock holds/],
  ["failed", judgeAppends({ ...APPENDS, failures: ["EBADF"] }, "across"), "FAIL", /EBADF/],
]);

rows("peer", [
  ["seen at once", judgePeer({ seenAfterMs: 1, limitMs: 5000 }), "PASS", /same folder/],
  ["seen late", judgePeer({ seenAfterMs: 2500, limitMs: 5000 }), "WARN", /within 2.5s/],
  ["not seen", judgePeer({ seenAfterMs: null, limitMs: 5000 }), "FAIL", /another folder/],
  ["mtime seen", judgeMtimeSeen({ seenAfterMs: 1000, limitMs: 5000 }), "PASS", /within 1s$/],
  ["mtime late", judgeMtimeSeen({ seenAfterMs: 4000, limitMs: 5000 }), "WARN", /minutes/],
  ["mtime not seen", judgeMtimeSeen({ seenAfterMs: null, limitMs: 5000 }), "WARN", /within 5s/],
]);

/** docs/json.md has each field that the program prints with `--json`, and no other. */

import { assert, assertEquals } from "@std/assert";
import { checksOf } from "../../lib/doctor/rules/checkup.ts";
import type { Findings } from "../../lib/doctor/rules/judgement.ts";
import { checkupJson } from "../../lib/doctor/rules/checkup_text.ts";
import { LockFolder, setBack } from "./lock_folder.ts";
import { gaveUpJson } from "../../lib/cli/wording/wait_text.ts";
import { test } from "./needs.ts";
import { PROGRAM, projectFolder } from "./program.ts";

// deno-lint-ignore no-explicit-any -- whatever is printed
type Printed = any;

const SECTIONS = new Map(
  (await Deno.readTextFile(`${projectFolder()}/docs/json.md`)).split(/^## /m).slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

/** The rows of the tables that begin with this heading, cell by cell. */
function rows(section: string, heading: string): string[][] {
  const text = SECTIONS.get(section);
  assert(text, `there is no section ${section}`);
  const table = new RegExp(`^\\| ${heading} +\\|.*\\n\\|[ -|]*\\n((?:\\|.*\\n)+)`, "m").exec(text);
  assert(table, `there is no table of ${heading} in ${section}`);
  return table[1]!.trimEnd().split("\n").map((row) =>
    row.split("|").slice(1, -1).map((cell) => cell.trim())
  );
}

function inCode(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
}

function documented(section: string): string[] {
  return rows(section, "field").flatMap(([cell]) => inCode(cell!)).sort();
}

/** All keys of what was printed: `a`, `a.b`, `a[].b`. */
function fieldsOf(values: readonly Printed[], stopAt: readonly string[] = []): string[] {
  const fields = new Set<string>();
  const walk = (value: Printed, path: string) => {
    if (stopAt.includes(path)) return;
    if (Array.isArray(value)) { for (const one of value) walk(one, `${path}[]`); }
    else if (value !== null && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) {
        const field = path === "" ? key : `${path}.${key}`;
        fields.add(field);
        walk(inner, field);
      }
    }
  };
  for (const value of values) walk(value, "");
  return [...fields].sort();
}

async function printed(folder: LockFolder, args: readonly string[]): Promise<Printed> {
  const { out, err } = await folder.run([...args, "--json"]);
  assert(out.startsWith("{"), out + err);
  return JSON.parse(out);
}

const SLOTS = ["--name", "counted", "--slots", "2"];

test("docs/json.md has the fields of slots, and of the status of a lock with slots", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h", SLOTS);
  const name = SLOTS.slice(0, 2);
  assertEquals(fieldsOf([await printed(folder, ["slots", ...name])]), documented("`slots`"));
  const counted = await printed(folder, ["status", ...name]);
  const plain = await printed(folder, ["status"]);
  const ofAll = Object.keys(counted);
  assertEquals(ofAll.includes("slots"), true);
  const ofEach = Object.keys(plain).filter((field) => !ofAll.includes(field));
  assertEquals(Object.keys(counted.slots[0]).toSorted(), ["slot", ...ofEach].toSorted());
  assertEquals(documented("`status` of a lock with slots"), ["slots", "slots[].slot"]);
  await holder.finish();
});

test("docs/json.md has the fields of run, acquire and status", async () => {
  await using folder = await LockFolder.make();
  const acquired = await folder.run(["acquire", "--slug", "a", "--json", "--stale", "1"]);
  await setBack(folder.lock, 3600);
  const broke = await folder.run(["acquire", "--slug", "a", "--json", "--stale", "20"]);
  const slotted = await folder.run(["acquire", "--slug", "a", "--json", ...SLOTS]);
  const both = ["--name", "one", "--name", "other"];
  const several = await folder.run(["acquire", "--slug", "a", "--json", ...both]);
  await folder.run(["release", "--slug", "a", "--name", "other"]);
  const granted = [acquired, broke, slotted, several].map(({ err }) => JSON.parse(err));
  assertEquals(fieldsOf(granted), documented("`run`, `acquire`"));
  const nested = [PROGRAM, "acquire", "--slug", "c", "--json", "--name", "other"];
  const { err } = await folder.run(["run", "--slug", "b", "--name", "other", "--", ...nested]);
  assertEquals(fieldsOf([JSON.parse(err)]), documented("`run`, `acquire`: inside"));
  await folder.run(["release", "--slug", "a"]);
  const free = await printed(folder, ["status"]);
  await using holder = await folder.hold("b");
  const inVain = ["run", "--slug", "c", "--timeout", "0", "--json", "--", "true"];
  const [line] = (await folder.run(inVain)).err.split("\n");
  const circle = gaveUpJson({
    ...{ lock: "", slug: "c", waitedMs: 1, position: 1, expectedMs: null },
    ...{ holder: null, kept: null, circle: [{ slug: "b", holds: "db", waitsFor: "cache" }] },
  });
  const gaveUp = [JSON.parse(line!), JSON.parse(circle)];
  assertEquals(fieldsOf(gaveUp), documented("`run`, `acquire`: gave up"));
  await using ended = folder.start(["run", "--slug", "e", "--json", "--", "true"]);
  await folder.waiters(1);
  ended.signal("SIGTERM");
  const interrupted = JSON.parse((await ended.finish()).err);
  assertEquals(fieldsOf([interrupted]), documented("`run`, `acquire`: interrupted"));
  await using waiter = folder.startHolding("d");
  await waiter.program.says(/waiting/);
  const job = ["run", "--detach", "--json", "--slug", "job", "--", "true"];
  const submitted = JSON.parse((await folder.run(job)).out);
  assertEquals(fieldsOf([submitted]), documented("`run --detach`"));
  await folder.plantTaker("lock");
  const held = await printed(folder, ["status"]);
  await Deno.remove(`${folder.state}/removing`, { recursive: true });
  assertEquals(fieldsOf([free, held]), documented("`status`"));
  await holder.finish();
  await waiter.finish();
  assertEquals((await folder.run(["result", submitted.id])).code, 0);
});

/** Has all that a log can have, some of it twice. */
const LOG = `2026-08-22T23:05:00Z a acquired
2026-08-22T23:05:10Z a released
2026-08-22T23:05:20Z b acquired
2026-08-22T23:05:30Z c stale_break age=9s reason=dead holder=b
2026-08-22T23:05:29Z c acquired
2026-08-22T23:05:40Z d acquired
2026-08-22T23:05:50Z d danced
no line
`;

/** One that waited, and took the lock over. */
const JOURNAL = [
  ["2026-08-22T23:05:05.000Z", "b", "waiting", "bb"],
  ["2026-08-22T23:05:19.990Z", "a", "released", "aa"],
  ["2026-08-22T23:05:20.001Z", "b", "acquired", "bb"],
].map(([at, slug, event, token]) =>
  `${JSON.stringify({ at, slug, event, token: token!.repeat(12), note: "why" })}\n`
).join("");

/** A hold is described once. */
const HOLDS = ["overlaps.first[].first", "overlaps.first[].second", "leaked.first[]"];

test("docs/json.md has the fields of report, whose holds are all alike", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, LOG);
  await Deno.mkdir(folder.state);
  await Deno.writeTextFile(`${folder.state}/journal`, JOURNAL);
  await using running = await LockFolder.make();
  await using holder = await running.hold("a");
  const reports = [
    await printed(folder, ["report"]),
    await printed(running, ["report"]),
    await printed(folder, ["report", "--slug", "b"]),
  ];
  assertEquals(reports[0].other_events, [{ event: "danced", count: 1 }]);
  assertEquals(fieldsOf(reports, HOLDS), documented("`report`"));
  const [{ holds, leaked, overlaps }] = reports;
  const [overlap] = overlaps.first;
  for (const hold of [leaked.first[0], overlap.first, overlap.second]) {
    assertEquals(Object.keys(hold), Object.keys(holds[0]));
  }
  await holder.finish();
});

test("docs/json.md has the fields of plan and herd", async () => {
  await using folder = await LockFolder.make();
  const plan = await printed(folder, ["plan", "--agents", "3", "--hold", "1"]);
  assertEquals(fieldsOf([plan]), documented("`plan`"));
  const herd = await printed(folder, ["herd", "--agents", "2", "--hold", "10ms"]);
  assertEquals(fieldsOf([herd], ["report"]), documented("`herd`"));
  const known = new Set(documented("`report`"));
  const unknown = fieldsOf([herd.report], HOLDS).filter((field) => !known.has(field));
  assertEquals(unknown, []);
});

const FILE_LOCKS = { whileHeld: "held", freedAfterMs: 1, limitMs: 1 } as const;
const RACE = { processes: 8, races: 1, severalWinners: 0, mostWinners: 1, noWinner: 0 };
const HAND_OVER = { handOvers: 1, madeWhileHeld: 0, slowestMs: 1, gaveUpAfterMs: null };
const WATCH = { refused: null, removals: 1, seen: 1, slowestMs: 1 };
const APPENDS = { writers: 8, lines: 1, lost: 0, torn: 0, failures: [] };
const FILE_SYSTEM = { type: "ext4", source: "/dev/vda", path: "/srv", markers: [] };

/** No machine finds all of this at once; its type says that nothing is missing here. */
const FINDINGS: Required<Findings> = {
  writing: { problem: { code: "EIO", reason: "", folderMade: true, uid: 0, mode: 0 } },
  race: { ...RACE, otherCodes: [] },
  handOver: { ...HAND_OVER, otherCodes: [] },
  times: { setFailed: null, offMs: 0, stepMs: 1, keepsBirthtime: true },
  clock: { aheadMs: 0, resolutionMs: 1 },
  fileLocks: FILE_LOCKS,
  watch: WATCH,
  appends: APPENDS,
  space: { freeBytes: 1, freeFiles: 1 },
  fileSystem: FILE_SYSTEM,
  inotify: { limit: 1 },
  cleaner: { below: "/tmp" },
  otherLock: { lock: "/srv/.git/lock_folder_util/lock.lock", held: false, loggedAgoMs: 1 },
  gitReach: { workTree: "/srv", below: "", ignored: false },
  inTheWay: { things: [{ path: "/srv", problem: "", blocks: true }] },
  peer: { seenAfterMs: 1, limitMs: 1 },
  peerFileSystem: FILE_SYSTEM,
  raceAcross: { ...RACE, otherCodes: [] },
  handOverAcross: { ...HAND_OVER, otherCodes: [] },
  mtimeAcross: { seenAfterMs: 1, limitMs: 1 },
  fileLocksAcross: FILE_LOCKS,
  watchAcross: WATCH,
  appendsAcross: APPENDS,
  leftBehind: "/srv/x",
};

const MEASURED = ["checks[].measured"];
const PEER = "peer: ";

/** `check: field`. */
function measuredIn({ checks }: Printed): Set<string> {
  return new Set(checks.flatMap(({ name, measured }: Printed) => {
    const isOwn = name === "peer: mtime" || !name.startsWith(PEER);
    const check = isOwn ? name : name.slice(PEER.length);
    return fieldsOf([measured]).map((field) => `${check}: ${field}`);
  }));
}

test("docs/json.md has the fields of doctor, and what each check measures", async () => {
  const all = JSON.parse(checkupJson({ folder: "/srv", peer: "/mnt" }, checksOf(FINDINGS), null));
  const measured = new Set(
    rows("`doctor`", "check").flatMap(([check, fields]) =>
      inCode(fields!).map((field) => `${check}: ${field}`)
    ),
  );
  assertEquals([...measured].sort(), [...measuredIn(all)].sort());
  await using folder = await LockFolder.make();
  const found = await printed(folder, ["doctor", "--peer", folder.dir]);
  assertEquals(fieldsOf([found], MEASURED), documented("`doctor`"));
  const unknown = [...measuredIn(found)].filter((field) => !measured.has(field));
  assertEquals(unknown.filter((field) => !field.endsWith(": untried")), []);
});

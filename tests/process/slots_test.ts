/** Locks with slots, on the compiled program. */

import { assertEquals, assertMatch } from "@std/assert";
import { exists, LockFolder, namesIn, shell } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";
import { eventually, PROGRAM } from "./program.ts";

const THREE = ["--slots", "3"];

async function statusOf(folder: LockFolder) {
  return JSON.parse((await folder.run(["status", "--json"])).out);
}

interface SlotJson {
  readonly slot: string;
  readonly holder: { readonly slug: string; readonly pid: number } | null;
}

/** Which slot somebody holds. */
async function slotOf(folder: LockFolder, slug: string): Promise<string> {
  return await eventually(`${slug} holds a slot`, async () => {
    const { slots } = await statusOf(folder) as { slots: readonly SlotJson[] };
    return slots.find(({ holder }) => holder?.slug === slug)?.slot;
  });
}

async function slotLog(folder: LockFolder, slot: string): Promise<string> {
  return await Deno.readTextFile(`${folder.dir}/lock.${slot}.log`).catch(() => "");
}

/** A command that tells how many are inside with it, and in which slot. */
const COUNTS = shell(
  'mkdir "in.$LOCK_FOLDER_SLOT" || : > twice; ls -d in.* | wc -l >> inside; sleep 0.1; rmdir "in.$LOCK_FOLDER_SLOT"',
);

test("twelve agents on three slots: never two in one, and all three are used (P7)", async () => {
  await using folder = await LockFolder.make();
  const agents = Array.from({ length: 12 }, (_, at) => {
    return folder.run(["run", "--slug", `agent-${at}`, ...THREE, "--", ...COUNTS]);
  });
  for (const { code, err } of await Promise.all(agents)) assertEquals(code, 0, err);
  assertEquals(await folder.has("twice"), false);
  const inside = (await folder.read("inside")).trim().split("\n").map(Number);
  assertEquals([inside.length, Math.max(...inside)], [12, 3]);
  const logs = await Promise.all(["1", "2", "3"].map((slot) => slotLog(folder, slot)));
  for (const log of logs) assertMatch(log, / acquired\n.* released\n/);
  assertEquals(await exists(folder.lock), false);
});

test(
  "the command finds its slot and that slot's fence; a plain hold inside of it has none",
  async () => {
    await using folder = await LockFolder.make();
    const inner = '"$L" run --name other --slug a -- sh -c \'echo "inner:$LOCK_FOLDER_SLOT:"\'';
    const script = `echo "$LOCK_FOLDER_SLOT $LOCK_FOLDER_FENCE"; ${inner}`;
    const args = ["run", "--slug", "a", "--slots", "gpu0", "--", ...shell(script)];
    const { out } = await folder.run(args, { env: { L: PROGRAM } });
    const fence = Number(await Deno.readTextFile(`${folder.dir}/lock.gpu0.state/fence`));
    assertEquals(out, `gpu0 ${fence}\ninner::\n`);
    assertEquals(await Deno.readTextFile(`${folder.dir}/lock.slots`), "gpu0\n");
  },
  [LINUX],
);

test("a run inside of a hold of any slot goes straight through", async () => {
  await using folder = await LockFolder.make();
  const script = '"$L" run --slug b --slots 2 -- echo through';
  const args = ["run", "--slug", "a", "--slots", "2", "--", ...shell(script)];
  const { code, out } = await folder.run(args, { env: { L: PROGRAM } });
  assertEquals([code, out], [0, "through\n"]);
}, [LINUX]);

test("who waits is served by whichever slot comes free first, in order of arrival", async () => {
  await using folder = await LockFolder.make();
  await using first = await folder.hold("first", ["--slots", "2"]);
  await using second = await folder.hold("second", ["--slots", "2"]);
  await using third = folder.startHolding("third", ["--slots", "2"]);
  await third.program.says(
    /waiting .* for \S+lock\.slots: all 2 slots are held, by first and second; you are first in line/,
  );
  await using fourth = folder.startHolding("fourth", ["--slots", "2"]);
  await fourth.program.says(/all 2 slots are held; you are number 2 in line/);
  await second.finish();
  await folder.appears("third.runs");
  assertEquals(await folder.has("fourth.runs"), false);
  await first.finish();
  await folder.appears("fourth.runs");
  await third.finish();
  await fourth.finish();
}, [LINUX]);

for (const [slots, holders] of [["3", 3], ["20", 20]] as const) {
  test(`of ${slots} slots, the one of a holder that was killed is broken at once`, async () => {
    await using folder = await LockFolder.make();
    await using rest = new AsyncDisposableStack();
    for (let at = 0; at < holders; at++) {
      rest.use(await folder.hold(`h${at}`, ["--slots", slots]));
    }
    await using waiter = folder.startHolding("w", ["--slots", slots]);
    await waiter.program.says(/you are first in line/);
    const slot = await slotOf(folder, "h1");
    const record = `${folder.dir}/lock.${slot}.state/holder.json`;
    const { pid, childPid } = await eventually("the command is named", async () => {
      const seen = JSON.parse(await Deno.readTextFile(record));
      return seen.childPid === null ? null : seen;
    });
    Deno.kill(pid, "SIGKILL");
    Deno.kill(childPid, "SIGKILL");
    await folder.appears("w.runs");
    assertMatch(await slotLog(folder, slot), / w stale_break age=\ds reason=dead holder=h1\n/);
    await waiter.finish();
  }, [LINUX]);
}

test("a holder that is frozen keeps its slot, and the others go on", async () => {
  await using folder = await LockFolder.make();
  await using frozen = await folder.hold("frozen", ["--slots", "2"]);
  const slot = await slotOf(folder, "frozen");
  frozen.program.signal("SIGSTOP");
  for (const slug of ["a", "b", "c"]) {
    const { code, out } = await folder.run(
      [
        "run",
        "--slug",
        slug,
        "--slots",
        "2",
        "--stale",
        "15",
        "--",
        ...shell("echo $LOCK_FOLDER_SLOT"),
      ],
    );
    assertEquals([code, out.trim() === slot], [0, false]);
  }
  frozen.program.signal("SIGCONT");
  await frozen.finish();
  assertEquals((await slotLog(folder, slot)).includes("stale_break"), false);
}, [LINUX]);

test("a slot whose folder is removed is lost, and its holder is told", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h", THREE);
  const slot = await slotOf(folder, "h");
  await Deno.remove(`${folder.dir}/lock.${slot}.lock`);
  const { err } = await holder.finish();
  assertMatch(err, /lock\.\d\.lock is lost: somebody else removed it/);
  assertMatch(await slotLog(folder, slot), / h lost\n/);
}, [LINUX]);

test("a shell that takes a slot by mkdir is waited for (Y1)", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(`${folder.dir}/lock.2.lock`);
  const where = shell("echo $LOCK_FOLDER_SLOT");
  const free = await folder.run(["run", "--slug", "a", "--slots", "2", "--", ...where]);
  assertEquals([free.code, free.out], [0, "1\n"]);
  await using holder = await folder.hold("h", ["--slots", "2"]);
  await using waiter = folder.start(["run", "--slug", "w", "--slots", "2", "--", ...where]);
  await waiter.says(/all 2 slots are held, by (a peer and h|h and a peer)/);
  await Deno.remove(`${folder.dir}/lock.2.lock`);
  assertEquals((await waiter.finish()).out, "2\n");
  await holder.finish();
}, [LINUX]);

/** Bad input gets one line, and 64. */
const REFUSED: readonly (readonly [string[], RegExp])[] = [
  [["--slots", "0"], /--slots "0" is out of range: a number from 1 to 256, or names/],
  [["--slots", "257"], /--slots "257" is out of range/],
  [["--slots", ","], /--slots "" is no name of a slot/],
  [["--slots", "a b"], /--slots "a b" is no name of a slot/],
  [["--slots", "../x,y"], /--slots "\.\.\/x" is no name of a slot/],
  [["--slots", "gpu0,GPU0"], /--slots slot GPU0 is named twice/],
  [["--slots", "gpu0,gpu0"], /--slots slot gpu0 is named twice/],
  [["--slots", ""], /--slots needs a value/],
  [
    ["--slots", Array.from({ length: 257 }, (_, at) => `s${at}`).join()],
    /--slots 257 names are too many: at most 256/,
  ],
  [["--slots", "2", "--name", "a", "--name", "b"], /--slots goes with one --name/],
];

test("a list of slots that is none is refused in one line with 64", async () => {
  await using folder = await LockFolder.make();
  for (const [flags, says] of REFUSED) {
    const { code, err } = await folder.run(["run", "--slug", "a", ...flags, "--", "touch", "ran"]);
    assertEquals([code, err.trimEnd().split("\n").length], [64, 1], err);
    assertMatch(err, says);
  }
  assertEquals([await folder.has("ran"), await namesIn(folder.dir)], [false, []]);
});

test("another list than the one in use is refused, and both are named (Q7)", async () => {
  await using folder = await LockFolder.make();
  assertEquals((await folder.run(["run", "--slug", "a", ...THREE, "--", "true"])).code, 0);
  const call = (...flags: string[]) => folder.run(["run", "--slug", "a", ...flags, "--", "true"]);
  assertEquals((await call("--slots", "3,2,1")).code, 0, "the order means nothing");
  const other = await call("--slots", "gpu0,gpu1");
  assertEquals(other.code, 64);
  assertMatch(
    other.err,
    /--slots gpu0,gpu1 is not what \S+lock\.slots has: this lock has 3 slots \(1, 2, 3\); say --slots 3,/,
  );
  const plain = await call();
  assertEquals(plain.code, 64);
  assertMatch(plain.err, /this lock has 3 slots \(1, 2, 3\), as \S+ says; .* --slots 3\n$/);
});

test("a lock that is used without slots gets none (Q7)", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h");
  const args = ["run", "--slug", "a", "--slots", "2", "--", "true"];
  const held = await folder.run(args);
  assertEquals(held.code, 64);
  assertMatch(
    held.err,
    /this lock is used without slots: \S+lock\.lock stands; .* another --name\n$/,
  );
  await holder.finish();
  const free = await folder.run(args);
  assertEquals(free.code, 64);
  assertMatch(free.err, /used without slots: \S+lock\.log tells of a hold of h; /);
  assertEquals(await exists(`${folder.dir}/lock.slots`), false);
}, [LINUX]);

test("a list that was deleted under its holders lets no fourth in (Q9)", async () => {
  await using folder = await LockFolder.make();
  await using rest = new AsyncDisposableStack();
  for (const slug of ["a", "b", "c"]) rest.use(await folder.hold(slug, THREE));
  await Deno.remove(`${folder.dir}/lock.slots`);
  const fourth = ["run", "--slug", "d", ...THREE, "--timeout", "0.3", "--", "touch", "ran"];
  assertEquals((await folder.run(fourth)).code, 75);
  assertEquals(await folder.has("ran"), false);
  assertEquals(await Deno.readTextFile(`${folder.dir}/lock.slots`), "1\n2\n3\n");
}, [LINUX]);

test("release, renew and check find the slot, and ask for --slot where two match", async () => {
  await using folder = await LockFolder.make();
  const acquire = () => folder.run(["acquire", "--slug", "a", ...THREE]);
  const first = await acquire();
  assertMatch(first.err, /holding \S+lock\.(\d)\.lock, slot \1, fence \d+; renew/);
  assertEquals((await folder.run(["check", "--slug", "a"])).code, 0);
  assertEquals((await folder.run(["renew", "--slug", "a"])).code, 0);
  await acquire();
  for (const command of ["release", "renew", "check"]) {
    const { code, err } = await folder.run([command, "--slug", "a"]);
    assertEquals(code, 64, err);
    assertMatch(err, /a holds slots \d and \d: say which with --slot\n$/);
  }
  const slot = await slotOf(folder, "a");
  const none = await folder.run(["release", "--slug", "a", "--slot", "9"]);
  assertEquals(none.code, 64);
  assertMatch(none.err, /--slot "9" is not one of the slots of this lock: it has 3 slots/);
  assertEquals((await folder.run(["release", "--slug", "a", "--slot", slot])).code, 0);
  assertEquals((await folder.run(["release", "--slug", "a"])).code, 0);
  assertEquals((await folder.run(["release", "--slug", "a"])).code, 1);
  const plain = await folder.run(["check", "--slug", "a", "--slot", "1", "--name", "plain"]);
  assertMatch(plain.err, /--slot is for a lock with slots, and this one has none/);
});

test("slots shows the list, and --set changes it while nobody holds or waits (Q8)", async () => {
  await using folder = await LockFolder.make();
  const say = async (...args: string[]) => await folder.run(["slots", ...args]);
  assertMatch((await say()).out, /lock\.lock has no slots: one at a time holds it\n$/);
  assertMatch((await say("--set", "2")).out, /lock\.slots: 2 slots \(1, 2\)\n$/);
  await using holder = await folder.hold("h", ["--slots", "2"]);
  const held = await say("--set", "3");
  assertEquals([held.code, held.out], [75, ""]);
  assertMatch(held.err, /are as they were: slot \d is held; /);
  await holder.finish();
  assertEquals(JSON.parse((await say("--set", "gpu0,gpu1", "--json")).out).slots, ["gpu0", "gpu1"]);
  assertEquals(
    (await namesIn(folder.dir)).filter((name) => name.endsWith(".lock")),
    [],
    "all slots are given back",
  );
  assertEquals((await folder.run(["run", "--slug", "a", "--slots", "2", "--", "true"])).code, 64);
}, [LINUX]);

test("status shows a line a slot and the one line of waiters", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h", ["--slots", "gpu0,gpu1", "--note", "training"]);
  const { out } = await folder.run(["status"]);
  assertMatch(out, /^lock {3}\S+lock\.slots\nslots {2}1 of 2 free\n\nslot .*\n/);
  assertMatch(out, /\ngpu\d {2,}h: "training" {2,}run, pid \d+ on /);
  assertMatch(out, /\ngpu\d {2,}free/);
  const { slots, queue, state } = await statusOf(folder);
  assertEquals([slots.length, queue, state], [2, [], undefined]);
  await holder.finish();
}, [LINUX]);

test(
  "what stands where the list belongs is named, and slots --set writes a broken list anew",
  async () => {
    await using folder = await LockFolder.make();
    const list = `${folder.dir}/lock.slots`;
    const call = () => folder.run(["run", "--slug", "a", "--slots", "2", "--", "true"]);
    await Deno.symlink("/etc/passwd", list);
    for (const args of [["run", "--slug", "a", "--", "true"], ["status"], ["slots"]]) {
      const { code, err } = await folder.run(args);
      assertEquals(code, 78, err);
      assertMatch(
        err,
        /lock\.slots cannot be used: it is a symbolic link, which is never followed/,
      );
    }
    await Deno.remove(list);
    await Deno.writeTextFile(list, "x y\n");
    const broken = await call();
    assertEquals(broken.code, 78);
    assertMatch(broken.err, /lock\.slots cannot be used: it names no slots; .* slots --set/);
    assertEquals((await folder.run(["slots", "--set", "2"])).code, 0);
    assertEquals((await call()).code, 0);
  },
  [LINUX],
);

test("slots of a folder that is none, or cannot be written, fails with 78", async () => {
  await using folder = await LockFolder.make();
  for (
    const args of [["slots"], ["slots", "--set", "2"], [
      "run",
      "--slug",
      "a",
      "--slots",
      "2",
      "--",
      "true",
    ]]
  ) {
    const { code, err } = await folder.run([
      ...args.slice(0, 1),
      "--dir",
      "nowhere",
      ...args.slice(1),
    ]);
    assertEquals(code, 78, err);
    assertMatch(err, /nowhere is not a writable directory; it does not exist/);
  }
});

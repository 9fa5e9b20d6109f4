/** Locks whose mtime somebody set, and folders that somebody put in their place. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { LockFolder, setBack, shell } from "./lock_folder.ts";
import { LINUX, type Need, test } from "./needs.ts";
import { eventually, projectFolder, startCommand } from "./program.ts";

/** Births closer together than this are not told apart. */
const APART_MS = 50;

async function birthMs(path: string): Promise<number> {
  return (await Deno.stat(path)).birthtime?.getTime() ?? 0;
}

async function needBirthTimes(): Promise<Need> {
  const folder = await Deno.makeTempDir();
  try {
    return {
      missing: await birthMs(folder) > 0 ? null : "it takes a file system with birth times",
    };
  } finally {
    await Deno.remove(folder);
  }
}

const BIRTHS = [LINUX, await needBirthTimes()];

/** As a foreign peer does once somebody has removed the lock: a folder that was born later. */
async function replaceLock(folder: LockFolder): Promise<void> {
  const bornMs = await birthMs(folder.lock);
  await eventually("a later folder stands there", async () => {
    await Deno.remove(folder.lock);
    await Deno.mkdir(folder.lock);
    return await birthMs(folder.lock) > bornMs + APART_MS;
  });
}

async function takeOver(folder: LockFolder): Promise<void> {
  const { code, err } = await folder.run(["acquire", "--slug", "b", "--timeout", "30"]);
  assertEquals(code, 0, err);
}

async function status(folder: LockFolder) {
  return JSON.parse((await folder.run(["status", "--json"])).out);
}

test("a lock touched by hand is still its frozen holder's, or its orphan's", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const command = await folder.commandPid();
  const held = async (why: RegExp) => {
    await setBack(folder.lock, 3600);
    const { out } = await folder.run(["status", "--json"]);
    const { state, holder, verdict } = JSON.parse(out);
    assertEquals([state, holder.slug], ["held", "a"]);
    assertMatch(verdict.why, why);
    const refused = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
    assertEquals(refused.code, 75, refused.err);
  };
  a.program.signal("SIGSTOP");
  await held(/its process \d+ lives/);
  a.program.signal("SIGKILL");
  await a.program.ended;
  await held(/is gone but its command \(pid \d+\) lives/);
  Deno.kill(command, "SIGKILL");
  await setBack(folder.lock, 0);
  await takeOver(folder);
  assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=dead holder=a$/);
}, BIRTHS);

test("once a lock is emptied, that of a dead holder is broken at once", async () => {
  await using folder = await LockFolder.make();
  const refused = await folder.run(["run", "--slug", "a", "--", ...shell(": > .tmp/lock.lock/x")]);
  assertMatch(refused.err, /is not empty \(it holds x\)/);
  await Deno.remove(`${folder.lock}/x`);
  await takeOver(folder);
  assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=dead holder=a$/);
}, BIRTHS);

test("who has lost the lock does not speak for the one that another makes after it", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a", ["--stale", "0.4"]);
  await Deno.remove(folder.lock);
  await folder.logShows(/^a lost$/);
  await Deno.mkdir(folder.lock);
  await setBack(folder.lock, 3600);
  await takeOver(folder);
  assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=expired/);
  await a.finish();
}, [LINUX]);

test(
  "a holder that beats leaves a peer's lock alone that was made in the place of its own",
  async () => {
    await using folder = await LockFolder.make();
    await using a = await folder.hold("a");
    await folder.commandPid();
    await replaceLock(folder);
    await setBack(folder.lock, 100);
    const { mtime } = await Deno.stat(folder.lock);
    const inside = await folder.run(["check", "--fence", await folder.fence()]);
    assertEquals(inside.code, 1, "its record does not speak for the lock");
    assertEquals((await a.finish()).code, 0);
    assertEquals(await folder.events(), ["a acquired", "a lost"]);
    assertEquals((await Deno.stat(folder.lock)).mtime, mtime);
  },
  BIRTHS,
);

test(
  "a dead peer's lock is broken by age though the command of the hold before lives on",
  async () => {
    await using folder = await LockFolder.make();
    await using a = await folder.hold("a");
    await folder.commandPid();
    a.program.signal("SIGKILL");
    await a.program.ended;
    await replaceLock(folder);
    await setBack(folder.lock, 3600);
    await takeOver(folder);
    assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=expired/);
  },
  BIRTHS,
);

test(
  "a dead peer's lock is broken by age though who could not give its own back lives on",
  async () => {
    await using folder = await LockFolder.make();
    await folder.write(
      "server.ts",
      `import { acquire } from ${JSON.stringify(`file://${projectFolder()}/lib/mod.ts`)};
const hold = await acquire({ dir: ${JSON.stringify(folder.dir)}, slug: "server" });
Deno.writeTextFileSync(hold.lock + "/x", "");
await hold.release().catch((failure) => Deno.writeTextFile("failed", failure.message));
await new Promise((resolve) => setTimeout(resolve, 600_000));
`,
    );
    await using _server = startCommand(Deno.execPath(), ["run", "--allow-all", "server.ts"], {
      cwd: folder.root,
    });
    await eventually("it says why it failed", async () => {
      const said = await folder.has("failed") ? await folder.read("failed") : "";
      return /not empty, and is never removed with its contents/.test(said);
    });
    await Deno.remove(`${folder.lock}/x`);
    await replaceLock(folder);
    await setBack(folder.lock, 3600);
    await takeOver(folder);
  },
  BIRTHS,
);

test("renew makes the record of a touched acquire hold speak for its lock again", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["acquire", "--slug", "a", "--stale", "60"]);
  await setBack(folder.lock, 2);
  const check = async () => (await folder.run(["check", "--fence", await folder.fence()])).code;
  assertEquals([await check(), (await status(folder)).holder.mode], [0, "acquire"]);
  const early = ["acquire", "--slug", "b", "--stale", "1", "--timeout", "0"];
  assertEquals((await folder.run(early)).code, 75, "never before three of its heartbeats");
  assertEquals((await folder.run(["renew", "--slug", "a"])).code, 0);
  const { lockMtime } = JSON.parse(await Deno.readTextFile(folder.record));
  assert(lockMtime > 0 && await check() === 0);
  await Deno.remove(folder.log);
  await setBack(folder.lock, 2);
  const released = await folder.run(["release", "--slug", "a"]);
  assertEquals(released.code, 0, released.err);
}, BIRTHS);

test(
  "a record that does not belong is no evidence of life where it names any process",
  async () => {
    await using folder = await LockFolder.make();
    await using a = await folder.hold("a");
    const command = await folder.commandPid();
    a.program.signal("SIGKILL");
    Deno.kill(command, "SIGKILL");
    await a.program.ended;
    const record = JSON.parse(await Deno.readTextFile(folder.record));
    Object.assign(record, { pid: Deno.pid, processStart: null, lockBirthtime: null });
    await Deno.writeTextFile(folder.record, JSON.stringify(record));
    await setBack(folder.record, 60);
    await setBack(folder.lock, 3600);
    await takeOver(folder);
    assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=expired/);
  },
  [LINUX],
);

test(
  "a lock folder that is moved away or deleted is a lost lock, and the command's status is passed on",
  async () => {
    for (const [away, status] of [["mv .tmp away", 0], ["rm -rf .tmp; exit 7", 7]] as const) {
      await using folder = await LockFolder.make();
      const { code, err } = await folder.run(["run", "--slug", "a", "--", ...shell(away)]);
      assertEquals(code, status);
      assertMatch(
        err,
        /^lock_folder_util: \S+lock\.lock is lost: its folder was deleted or moved away, .*; the command had ended by then\n$/,
      );
    }
  },
  [LINUX],
);

test("--on-lost terminate ends the command of a hold whose folder is gone", async () => {
  await using folder = await LockFolder.make();
  const flags = ["--slug", "a", "--stale", "0.8", "--on-lost", "terminate"];
  const command = shell("rm -rf .tmp; exec sleep 60");
  const { code, err } = await folder.run(["run", ...flags, "--", ...command]);
  assertEquals(code, 76, err);
  assertMatch(err, /is lost: its folder was deleted or moved away, .*; ending the command\n$/);
}, [LINUX]);

test(
  "release and renew leave a peer's lock alone that was made in the place of one's own",
  async () => {
    await using folder = await LockFolder.make();
    await folder.run(["acquire", "--slug", "a"]);
    await replaceLock(folder);
    const { mtime } = await Deno.stat(folder.lock);
    for (const command of ["renew", "release"]) {
      const { code, err } = await folder.run([command, "--slug", "a"]);
      assertEquals(code, 1, command);
      assertMatch(
        err,
        /is not a's: held by (a peer that is not in the log|somebody who took it a moment ago)/,
      );
    }
    assertEquals((await Deno.stat(folder.lock)).mtime, mtime);
    assertEquals(await folder.events(), ["a acquired"]);
  },
  BIRTHS,
);

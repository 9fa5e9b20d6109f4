/** The whole: fleets of agents, and peers that know nothing but mkdir, rmdir and the log. */

import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { exists, LockFolder, setBack, shell } from "./lock_folder.ts";
import { needProgram, test } from "./needs.ts";
import {
  eventually,
  type Outcome,
  PROGRAM,
  projectFolder,
  runCommand,
  startCommand,
  type Started,
} from "./program.ts";

/** What is done under the lock. The folder `inside` is a second, independent proof of exclusion. */
const WORK = "mkdir inside || : > overlap; sleep 0.2; rmdir inside";

const NOW = "date -u +%Y-%m-%dT%H:%M:%SZ";

/** Two lines of shell are enough to take part; the log is a courtesy. */
const SHELL_PEER = `
until mkdir .tmp/lock.lock 2> /dev/null; do sleep 0.05; done
echo "$(${NOW}) $1 acquired" >> .tmp/lock.log
${WORK}
echo "$(${NOW}) $1 released" >> .tmp/lock.log
rmdir .tmp/lock.lock
`;

const PYTHON_PEER = `
import os, subprocess, sys, time
def log(event):
    with open(".tmp/lock.log", "a") as out:
        out.write(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()) + f" {sys.argv[1]} {event}\\n")
while True:
    try:
        os.mkdir(".tmp/lock.lock")
        break
    except FileExistsError:
        time.sleep(0.05)
log("acquired")
subprocess.run(["sh", "-c", sys.argv[2]])
log("released")
os.rmdir(".tmp/lock.lock")
`;

function agent(folder: LockFolder, slug: string): Promise<Outcome> {
  const flags = ["--poll", "2", "--stale", "12", "--quiet"];
  return folder.run(["run", "--slug", slug, ...flags, "--", ...shell(WORK)]);
}

function shellPeer(folder: LockFolder, slug: string): Promise<Outcome> {
  return runCommand("sh", ["-c", SHELL_PEER, "peer", slug], { cwd: folder.root });
}

function pythonPeer(folder: LockFolder, slug: string): Promise<Outcome> {
  return runCommand("python3", ["-c", PYTHON_PEER, slug, WORK], { cwd: folder.root });
}

const NO_WATCH = "echo 0 > /proc/sys/user/max_inotify_instances";

type Member = (folder: LockFolder, slug: string) => Promise<Outcome>;

/** Starts all at once; the log must then tell of one hold after the other. */
async function assertTakesTurns(members: readonly Member[]): Promise<void> {
  await using folder = await LockFolder.make();
  const ended = await Promise.all(
    members.map((member, index) => member(folder, `member-${index}`)),
  );
  assertEquals(ended, members.map(() => ({ code: 0, out: "", err: "" })));
  assertEquals(await folder.has("overlap"), false, "two were inside at once");
  const events = await folder.events();
  assertEquals(events.length, 2 * members.length);
  for (let index = 0; index < events.length; index += 2) {
    const [slug] = events[index]!.split(" ");
    assertEquals(events.slice(index, index + 2), [`${slug} acquired`, `${slug} released`]);
  }
  await folder.assertFree();
}

test("eight agents take turns", async () => {
  await assertTakesTurns(Array<Member>(8).fill(agent));
});

test("four agents and four shell peers take turns", async () => {
  await assertTakesTurns([0, 1, 2, 3].flatMap(() => [agent, shellPeer]));
});

test("agents, shell peers and Python peers take turns", async () => {
  await assertTakesTurns([agent, shellPeer, pythonPeer, agent, shellPeer, pythonPeer]);
}, [await needProgram("python3", ["--version"])]);

test("an hour-old lock of a peer is broken at once by the next agent, and logged", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, "2026-01-01T00:00:00Z peer acquired\n");
  await Deno.mkdir(folder.lock);
  await setBack(folder.lock, 3600);
  const startMs = performance.now();
  const { code, err } = await folder.run([
    ...["run", "--slug", "a", "--poll", "2", "--stale", "12", "--", "true"],
  ]);
  assertEquals(code, 0, err);
  assertLess(performance.now() - startMs, 5000);
  const events = await folder.events();
  assertMatch(events[1]!, /^a stale_break age=36\d\ds reason=expired holder=peer$/);
  assertEquals(events.slice(2), ["a acquired", "a released"]);
  await folder.assertFree();
});

test("eight agents that meet an hour-old lock break it once", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await setBack(folder.lock, 3600);
  const ended = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((index) =>
    folder.run([
      ...["run", "--slug", `a${index}`, "--poll", "0.2", "--stale", "12", "--quiet", "--"],
      ...shell("mkdir inside || : > overlap; sleep 0.05; rmdir inside"),
    ])
  ));
  assertEquals(ended, ended.map(() => ({ code: 0, out: "", err: "" })));
  assertEquals(await folder.has("overlap"), false);
  const events = await folder.events();
  const breaks = events.filter((line) => line.includes(" stale_break "));
  assertEquals(breaks.length, 1, `${breaks}`);
  assertMatch(breaks[0]!, /^a\d stale_break age=36\d\ds reason=expired holder=unknown$/);
  assertEquals(events.length, 17);
  await folder.assertFree();
});

test("a peer's hold that is younger than --stale is waited for", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await using waiter = folder.startHolding("a", ["--poll", "0.1"]);
  await waiter.program.says(
    /waiting .*held by (somebody who took it a moment ago|a peer that is not in the log)/,
  );
  assertEquals(await folder.has("a.runs"), false);
  await Deno.remove(folder.lock);
  assertEquals((await waiter.finish()).code, 0);
});

test("a wait that the state folder is taken away from goes on", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  const waits = ["a", "b", "c"].map((slug) =>
    folder.start(["run", "--slug", slug, "--poll", "0.3", "--", ...shell(WORK)])
  );
  try {
    for (const wait of waits) await wait.says(/waiting/);
    // They go on writing there: it may take more than one try.
    await eventually("the state folder is taken away", async () => {
      return await Deno.remove(folder.state, { recursive: true }).then(() => true, () => false);
    });
    await holder.finish();
    for (const wait of waits) assertEquals((await wait.finish()).code, 0);
    assertEquals(await folder.has("overlap"), false);
  } finally {
    for (const wait of waits) await wait[Symbol.asyncDispose]();
  }
});

/** The protocol's peer, a script; its beat is quick here. */
async function protocolPeer(folder: LockFolder, work: string): Promise<Started> {
  const page = await Deno.readTextFile(`${projectFolder()}/PROTOCOL.md`);
  const block = page.match(/^```sh\n[^]*?^```$/gm)!.find((text) => /until mkdir/.test(text))!;
  const lines = block.split("\n").slice(1, -1).join("\n").replace("sleep 5", "sleep 0.1");
  await folder.write("peer.sh", lines);
  await folder.write("work.sh", `#!/bin/sh\n${work}\n`);
  await Deno.chmod(`${folder.root}/work.sh`, 0o755);
  return startCommand("sh", ["peer.sh"], { cwd: folder.root, env: { L: PROGRAM } });
}

test("the protocol's peer is respected by agents, lets go, and passes its work's status on", async () => {
  await using folder = await LockFolder.make();
  await using peer = await protocolPeer(folder, `"$L" acquire --slug a --timeout 0; exit $?`);
  assertEquals((await peer.finish()).code, 75);
  assertEquals((await folder.run(["acquire", "--slug", "a", "--timeout", "0"])).code, 0);
});

test("the protocol's peer keeps its lock young while it works, and no longer", async () => {
  await using folder = await LockFolder.make();
  await using peer = await protocolPeer(folder, "until [ -e go ]; do sleep 0.02; done");
  await eventually("the peer holds", () => exists(folder.lock));
  await setBack(folder.lock, 3600);
  await eventually("its lock is young again", async () => {
    return Date.now() - (await Deno.stat(folder.lock)).mtime!.getTime() < 60_000;
  });
  await folder.write("go", "");
  assertEquals((await peer.finish()).code, 0);
  await folder.assertFree();
});

test("the protocol's peer does not wait for a lock folder that is missing", async () => {
  await using folder = await LockFolder.make();
  await Deno.remove(folder.dir);
  await using peer = await protocolPeer(folder, ": > ran");
  const { code, err } = await peer.finish();
  assertEquals([code, err], [1, "there is no .tmp to write to\n"]);
  assertEquals(await folder.has("ran"), false);
});

test("waiters are served where the machine has no folder watch left", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  const script = `${NO_WATCH} && exec "$L" run --slug a --poll 0.2 -- true`;
  await using waiter = startCommand("unshare", ["-Ur", "sh", "-c", script], {
    cwd: folder.root,
    env: { L: PROGRAM },
  });
  await waiter.says(/waiting/);
  await holder.finish();
  assertEquals((await waiter.finish()).code, 0);
}, [
  await needProgram(
    "unshare",
    ["-Ur", "sh", "-c", NO_WATCH],
    "user namespaces in which watches can be forbidden (unshare -Ur)",
  ),
]);

test("waiters are served without any wake-up but the timer", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  const env = { LOCK_FOLDER_NO_WATCH: "1" };
  await using waiter = folder.startHolding("a", ["--poll", "0.2"], { env });
  await waiter.program.says(/waiting/);
  await holder.finish();
  assertEquals((await waiter.finish()).code, 0);
});

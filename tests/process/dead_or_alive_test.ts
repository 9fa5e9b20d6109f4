/** Holders that were killed, frozen, or cannot be asked. */

import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { exists, type Holder, LockFolder, namesIn, setBack, shell } from "./lock_folder.ts";
import { LINUX, needProgram, needTwoUsers, test, unprivileged } from "./needs.ts";
import { eventually, PROGRAM, runCommand, startCommand, type Started } from "./program.ts";

interface RecordText {
  pid: number;
  processStart: string;
  childPid: number | null;
  machine: { host: string; bootId: string; pidNamespace: string; timeNamespace: string | null };
  lockMtime: number;
}

async function readRecord(folder: LockFolder): Promise<RecordText> {
  return JSON.parse(await Deno.readTextFile(folder.record));
}

/** Changes the record that stands, keeping it the record of the lock that stands. */
async function editRecord(folder: LockFolder, edit: (record: RecordText) => void): Promise<void> {
  const record = await readRecord(folder);
  edit(record);
  const { mtime } = await Deno.stat(folder.lock);
  record.lockMtime = mtime!.getTime();
  await Deno.writeTextFile(folder.record, JSON.stringify(record));
}

async function killWithCommand(folder: LockFolder, holder: Holder): Promise<void> {
  const command = await folder.commandPid();
  holder.program.signal("SIGKILL");
  Deno.kill(command, "SIGKILL");
  await holder.program.ended;
}

/** Acquires without waiting for an end of the holder, and says in how many milliseconds. */
async function takeOver(folder: LockFolder, slug: string): Promise<number> {
  const startMs = performance.now();
  const { code, err } = await folder.run(["acquire", "--slug", slug, "--timeout", "30"]);
  assertEquals(code, 0, err);
  return performance.now() - startMs;
}

test(
  "a holder killed with its command is broken as dead by a waiter, long before its --poll",
  async () => {
    await using folder = await LockFolder.make();
    await using a = await folder.hold("a");
    await using b = folder.startHolding("b", ["--poll", "60"]);
    await b.program.says(/waiting/);
    const killedMs = performance.now();
    await killWithCommand(folder, a);
    await folder.appears("b.runs");
    assertLess(performance.now() - killedMs, 5000, "the kernel wakes the waiter, not its timer");
    await folder.logShows(/^b stale_break age=\d+s reason=dead holder=a$/);
    const { code, err } = await b.finish();
    assertEquals(code, 0);
    assertMatch(err, /broke the stale lock of a: its process \d+ and .* are gone; .*half done\n$/);
    await folder.assertFree();
  },
  [LINUX],
);

test("a command that cleaned its environment is known before its record names it", async () => {
  await using folder = await LockFolder.make();
  const script = ': > "$1/runs"; until [ -e "$1/go" ]; do sleep 0.02; done';
  const scrubbed = ["env", "-i", "sh", "-c", script, "sh", folder.root];
  await using run = folder.start(["run", "--slug", "a", "--", ...scrubbed]);
  await folder.appears("runs");
  const { token } = JSON.parse(await Deno.readTextFile(folder.record));
  await eventually("the lifeline names the command", async () => {
    return /"childPid":[1-9]/.test(await Deno.readTextFile(`${folder.state}/alive/${token}`));
  });
  run.signal("SIGKILL");
  await run.ended;
  // Whatever the record had time for since.
  await editRecord(folder, (record) => record.childPid = null);
  const status = async () => JSON.parse((await folder.run(["status", "--json"])).out);
  const held = await status();
  assertEquals([held.state, held.verdict.stopped], ["held", []]);
  assertMatch(held.verdict.why, /is gone but its command \(pid \d+\) lives/);
  const command = held.holder.child_pid;
  Deno.kill(command, "SIGSTOP");
  await eventually("the command is seen stopped", async () => {
    return (await status()).verdict.stopped.includes(command);
  });
  Deno.kill(command, "SIGCONT");
  const refused = await folder.run(["acquire", "--slug", "b", "--timeout", "1"]);
  assertEquals(refused.code, 75);
  await folder.write("go", "");
  await takeOver(folder, "b");
  assertMatch((await folder.events()).at(-2)!, /^b stale_break .*reason=dead holder=a$/);
}, [LINUX]);

test("what is left of a dead hold's command is not inside, and does not hold", async () => {
  await using folder = await LockFolder.make();
  const left = "until [ -e go ]; do sleep 0.02; done; " +
    '"$L" check 2> check.txt; echo $? > check.code; ' +
    '"$L" run --slug b --quiet -- true; echo $? > run.code';
  const script = `(setsid sh -c '${left}' &) ; : > runs; sleep 600`;
  const env = { L: PROGRAM };
  await using run = folder.start(["run", "--slug", "a", "--", ...shell(script)], { env });
  await folder.appears("runs");
  const command = await folder.commandPid();
  run.signal("SIGKILL");
  await run.ended;
  Deno.kill(command, "SIGKILL");
  await folder.write("go", "");
  const code = async (name: string) => {
    return await eventually(`${name} is written`, async () => {
      return await folder.has(name) && await folder.read(name) || null;
    });
  };
  assertEquals([await code("check.code"), await code("run.code")], ["1\n", "0\n"]);
  assertMatch(await folder.read("check.txt"), /is held by a .*that hold is dead: .*are gone; stop/);
  assertMatch((await folder.events()).at(1)!, /^b stale_break .*reason=dead holder=a$/);
}, [LINUX]);

test("a wrapper killed before anything names its command is not called dead", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const command = await folder.commandPid();
  a.program.signal("SIGKILL");
  await a.program.ended;
  await editRecord(folder, (record) => record.childPid = null);
  const { token } = JSON.parse(await Deno.readTextFile(folder.record));
  await Deno.writeTextFile(`${folder.state}/alive/${token}`, "{}");
  Deno.kill(command, "SIGKILL");
  const { out } = await folder.run(["status", "--json"]);
  assertEquals(JSON.parse(out).state, "held");
  assertMatch(JSON.parse(out).verdict.why, /whether its command lives could not be found out/);
  const { err: waited } = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
  assertMatch(
    waited,
    /is gone, and whether its command lives .*, broken by age in (9m \d+s|10m) if/,
  );
  const { err: refused } = await folder.run(["release", "--slug", "a"]);
  assertMatch(refused, /; its command may be still running: age decides, an operator may/);
  const { err: renewed } = await folder.run(["renew", "--slug", "a"]);
  assertMatch(renewed, /; nothing beats for it any more, and there is nothing to renew\n$/);
}, [LINUX]);

test("status shows the waiters that live, and which of them are stopped", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await using b = folder.startHolding("b");
  await folder.waiters(1);
  await using c = folder.startHolding("c");
  await folder.waiters(2);
  b.program.signal("SIGKILL");
  await b.program.ended;
  c.program.signal("SIGSTOP");
  const queue = await eventually("c is seen stopped", async () => {
    const { out } = await folder.run(["status", "--json"]);
    const { queue } = JSON.parse(out);
    return queue.length === 1 && queue[0].stopped ? queue : null;
  });
  assertEquals([queue[0].slug, queue[0].place], ["c", 1]);
  c.program.signal("SIGCONT");
  await a.finish();
  await c.finish();
}, [LINUX]);

test(
  "a command that was over before it was named is known, should the lock not be given back",
  async () => {
    await using folder = await LockFolder.make();
    const script = "chmod 555 .tmp; exit 9";
    await Deno.chmod(folder.root, 0o777);
    await Deno.chmod(folder.dir, 0o777);
    const [program, args] = unprivileged([PROGRAM, "run", "--slug", "a", "--", ...shell(script)]);
    await Deno.chown(folder.dir, 65534, 65534);
    await using run = startCommand(program, args, { cwd: folder.root });
    assertEquals((await run.finish()).code, 74);
    const record = await readRecord(folder);
    assertEquals(typeof record.childPid, "number");
    const { out } = await folder.run(["status", "--json"]);
    assertEquals(JSON.parse(out).verdict.reason, "dead");
  },
  [LINUX, await needTwoUsers(PROGRAM)],
);

test("JSON says whose stale lock was broken on the way", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await killWithCommand(folder, a);
  const { err } = await folder.run(["acquire", "--slug", "b", "--json"]);
  const { event, broke } = JSON.parse(err);
  assertEquals([event, broke.slug], ["acquired", "a"]);
  assertMatch(broke.verdict, /are gone/);
}, [LINUX]);

test("a dead holder is broken by whoever comes later", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await killWithCommand(folder, a);
  assertLess(await takeOver(folder, "b"), 5000);
  assertEquals((await folder.events()).length, 3);
}, [LINUX]);

test("a killed holder whose command lives keeps the lock until that has ended", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const command = await folder.commandPid();
  a.program.signal("SIGKILL");
  await a.program.ended;
  const refused = await folder.run(["acquire", "--slug", "c", "--timeout", "0"]);
  assertMatch(refused.err, new RegExp(`is gone but its command \\(pid ${command}\\) lives; see`));
  const early = await folder.run(["acquire", "--slug", "b", "--timeout", "1.5", "--stale", "0.2"]);
  assertEquals(early.code, 75, early.err);
  await a.letGo();
  await takeOver(folder, "b");
  assertMatch((await folder.events()).at(-2)!, /^b stale_break age=\d+s reason=dead holder=a$/);
}, [LINUX]);

/** A hold whose wrapper was killed while its command lives. */
async function holdOfOrphan(folder: LockFolder, flags: readonly string[] = []): Promise<Holder> {
  const holder = await folder.hold("a", flags);
  await folder.commandPid();
  holder.program.signal("SIGKILL");
  await holder.program.ended;
  return holder;
}

test("a living command is not called dead from where time began at another moment", async () => {
  await using folder = await LockFolder.make();
  await using a = await holdOfOrphan(folder);
  const elsewhere = ["-T", "--boottime", "100000", PROGRAM];
  const acquire = ["acquire", "--slug", "b", "--timeout", "0.5"];
  const there = await runCommand("unshare", [...elsewhere, ...acquire], { cwd: folder.root });
  assertEquals(there.code, 75, there.err);
  assertEquals(await folder.events(), ["a acquired", "b gave_up waited=0s reason=timeout"]);
  await a.letGo();
}, [LINUX, await needProgram("unshare", ["-T", "true"], "root and time namespaces")]);

test("a host that has another name by now still sees the life and death of a command", async () => {
  await using folder = await LockFolder.make();
  await using a = await holdOfOrphan(folder, ["--stale", "0.4"]);
  const command = await folder.commandPid();
  const renamed = async (slug: string, timeout: string) => {
    const acquire = `"$1" acquire --slug ${slug} --stale 0.4 --timeout ${timeout}`;
    const args = ["-u", ...shell(`hostname other && exec ${acquire}`), "sh", PROGRAM];
    return await runCommand("unshare", args, { cwd: folder.root });
  };
  const early = await renamed("b", "1.5");
  assertEquals(early.code, 75, early.err);
  assertMatch(early.err, new RegExp(`is gone but its command \\(pid ${command}\\) lives`));
  await a.letGo();
  const later = await renamed("c", "30");
  assertEquals(later.code, 0, later.err);
  assertMatch((await folder.events()).at(-2)!, /^c stale_break age=\d+s reason=dead holder=a$/);
}, [LINUX, await needProgram("unshare", ["-u", "hostname", "x"], "root and host name namespaces")]);

/** A container whose first process starts a `run`, and kills it, without its command, when there is a file `kill`. */
function startContainer(folder: LockFolder): Started {
  const run = '"$0" run --slug a -- sh -c ": > a.runs; until [ -e a.go ]; do sleep 0.02; done"';
  const kill = "until [ -e kill ]; do sleep 0.02; done; kill -9 $!; wait $!; : > killed";
  const script = `${run} & ${kill}; sleep 600`;
  const args = ["-p", "-f", "--kill-child", "--mount-proc", "sh", "-c", script, PROGRAM];
  return startCommand("unshare", args, { cwd: folder.root });
}

const CONTAINERS = await needProgram("unshare", ["-p", "-f", "true"], "root and pid namespaces");

test("the lock of a container that was ended is broken as dead at once", async () => {
  await using folder = await LockFolder.make();
  await using container = startContainer(folder);
  await folder.appears("a.runs");
  await using b = folder.startHolding("b", ["--poll", "0.2"]);
  await b.program.says(/waiting/);
  container.signal("SIGKILL");
  await folder.appears("b.runs");
  const { err } = await b.finish();
  assertMatch(err, /broke the stale lock of a: no process is left in the pid namespace of its/);
  assertMatch((await folder.events())[1]!, /^b stale_break age=\d+s reason=dead holder=a$/);
}, [LINUX, CONTAINERS]);

test("a container in which something lives keeps the lock of a killed wrapper", async () => {
  await using folder = await LockFolder.make();
  await using container = startContainer(folder);
  await folder.appears("a.runs");
  await folder.commandPid();
  await folder.write("kill", "");
  await folder.appears("killed");
  const early = await folder.run(["acquire", "--slug", "b", "--timeout", "1"]);
  assertEquals(early.code, 75, early.err);
  container.signal("SIGKILL");
  await takeOver(folder, "c");
}, [LINUX, CONTAINERS]);

/** Its first thread ends; another works until there is a file `go`, and is what is left of it. */
const HEADLESS = `
import ctypes, os, threading, time
def work():
    open("runs", "w").close()
    while not os.path.exists("go"): time.sleep(0.02)
threading.Thread(target=work).start()
ctypes.CDLL(None).pthread_exit(None)
`;

test("a command whose first thread has ended while another works lives", async () => {
  await using folder = await LockFolder.make();
  await using run = folder.start(["run", "--slug", "a", "--", "python3", "-c", HEADLESS]);
  await folder.appears("runs");
  const command = await folder.commandPid();
  await eventually("its first thread has ended", async () => {
    return /^State:\s+Z/m.test(await Deno.readTextFile(`/proc/${command}/status`));
  });
  run.signal("SIGKILL");
  await run.ended;
  const early = await folder.run(["acquire", "--slug", "b", "--timeout", "1"]);
  assertEquals(early.code, 75, early.err);
  assertMatch(early.err, new RegExp(`is gone but its command \\(pid ${command}\\) lives`));
  await folder.write("go", "");
  await takeOver(folder, "c");
  assertMatch((await folder.events()).at(-2)!, /^c stale_break age=\d+s reason=dead holder=a$/);
}, [LINUX, await needProgram("python3", ["-c", "import ctypes"])]);

test("a frozen holder of this machine is not broken, and goes on afterwards", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a", ["--stale", "0.4"]);
  await folder.commandPid();
  a.program.signal("SIGSTOP");
  await using b = folder.startHolding("b", ["--stale", "0.4", "--poll", "0.05"]);
  await b.program.says(
    /held by a.* its process (\d+) lives.*silent.*it is stopped: kill -CONT \1 lets it go on/,
  );
  assertEquals(await folder.has("b.runs"), false);
  a.program.signal("SIGCONT");
  assertEquals((await a.finish()).code, 0);
  await folder.appears("b.runs");
  assertEquals((await b.finish()).code, 0);
  assertEquals(await folder.events(), ["a acquired", "a released", "b acquired", "b released"]);
}, [LINUX]);

test("status says who is stopped, and what lets it go on, until it does", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const command = await folder.commandPid();
  const status = async () => JSON.parse((await folder.run(["status", "--json"])).out);
  const becomes = async (stopped: number[]) => {
    const { state, verdict } = await eventually(`${stopped} are stopped`, async () => {
      const found = await status();
      return `${found.verdict.stopped}` === `${stopped}` && found;
    });
    assertEquals([state, verdict.reason, verdict.silent], ["held", null, false]);
    return (await folder.run(["status"])).out;
  };
  assertEquals((await becomes([])).includes("stopped"), false);
  a.program.signal("SIGSTOP");
  const wrapper = a.program.pid;
  assertMatch(
    await becomes([wrapper]),
    new RegExp(`verdict .* lives; it is stopped: kill -CONT ${wrapper} lets it go on\n`),
  );
  Deno.kill(command, "SIGSTOP");
  assertMatch(
    await becomes([wrapper, command]),
    new RegExp(`it and its command are stopped: kill -CONT ${wrapper} ${command} lets them go on`),
  );
  a.program.signal("SIGCONT");
  assertMatch(await becomes([command]), /lives; its command is stopped: kill -CONT/);
  a.program.signal("SIGKILL");
  await a.program.ended;
  assertMatch(await becomes([command]), /is gone but .* lives; its command is stopped: kill -CONT/);
  Deno.kill(command, "SIGCONT");
  await becomes([]);
}, [LINUX]);

test("a process number that another process has by now proves no life", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  await killWithCommand(folder, a);
  await editRecord(folder, (record) => record.pid = Deno.pid);
  assertLess(await takeOver(folder, "b"), 5000);
  assertMatch((await folder.events())[1]!, /^b stale_break .*reason=dead/);
}, [LINUX]);

test("a record of another boot or time namespace leaves the verdict to age", async () => {
  const strangers: [string, (record: RecordText) => void][] = [
    ["boot", ({ machine }) => machine.bootId = "another"],
    ["time namespace", ({ machine }) => machine.timeNamespace = "time:[1]"],
  ];
  for (const [what, edit] of strangers) {
    await using folder = await LockFolder.make();
    await using a = await folder.hold("a");
    await killWithCommand(folder, a);
    await editRecord(folder, edit);
    const young = await folder.run(["acquire", "--slug", "b", "--timeout", "0.3"]);
    assertEquals(young.code, 75, `${what}: a young one is held`);
    await setBack(folder.lock, 7200);
    await editRecord(folder, (record) => {
      edit(record);
      Object.assign(record, { heartbeatSeconds: 0.1 });
    });
    await takeOver(folder, "b");
    assertMatch((await folder.events()).at(-2)!, /^b stale_break age=72\d\ds reason=expired/);
  }
}, [LINUX]);

test(
  "a dead holder elsewhere is told with where it is, what it has missed, and how to look",
  async () => {
    await using folder = await LockFolder.make();
    await using a = await folder.hold("a");
    await killWithCommand(folder, a);
    await setBack(folder.lock, 100);
    await editRecord(folder, ({ machine }) => Object.assign(machine, ELSEWHERE));
    const { pid } = await readRecord(folder);
    const words = `it is on forge-7, which this machine cannot see into; silent for 1m .*, ` +
      `2\\d beats missed; broken after 10m of silence, in 8m .*; to look: ssh forge-7, pid ${pid}`;
    const { out } = await folder.run(["status"]);
    assertMatch(out, new RegExp(`\nverdict +${words}\n`));
    const gaveUp = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
    assertEquals(gaveUp.code, 75);
    assertMatch(
      gaveUp.err,
      new RegExp(`held by a \\(run, pid ${pid} on forge-7\\) for [^;]+; ${words}; see`),
    );
    await using b = folder.startHolding("b");
    const waiting = await b.program.says(/waiting/);
    assertMatch(waiting, new RegExp(`held by a [^;]+; ${words}; you are first in line\n`));
  },
  [LINUX],
);

const ELSEWHERE = { host: "forge-7", bootId: "another" };

test("a holder that is another user's is alive", async () => {
  await using folder = await LockFolder.make();
  await Deno.chmod(folder.dir, 0o777);
  await Deno.chmod(folder.root, 0o755);
  await using a = await folder.hold("a", ["--stale", "0.4"]);
  await folder.commandPid();
  a.program.signal("SIGSTOP");
  // Not even the lifeline can be asked: what is left is the process, which only root may signal.
  const { token } = JSON.parse(await Deno.readTextFile(folder.record));
  await Deno.chmod(`${folder.state}/alive/${token}`, 0o600);
  await Deno.chmod(`${folder.state}/alive`, 0o777);
  await Deno.chmod(folder.state, 0o777);
  for (const file of [folder.log, `${folder.state}/fence`]) await Deno.chmod(file, 0o666);
  const [program, args] = unprivileged([
    PROGRAM,
    ...["acquire", "--slug", "b", "--stale", "0.4", "--timeout", "1.5", "--poll", "0.1"],
  ]);
  await using b = startCommand(program, args, { cwd: folder.root });
  const { code, err } = await b.finish();
  assertEquals(code, 75, err);
  assertEquals((await folder.events()).filter((line) => line.includes("stale_break")), []);
}, [LINUX, await needTwoUsers(PROGRAM)]);

test("a lock without a record is broken by age alone, and is said to have none", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  const fresh = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
  assertEquals(fresh.code, 75);
  await setBack(folder.lock, 60);
  const young = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
  assertEquals(young.code, 75);
  assertMatch(
    young.err,
    /held by a peer that is not in the log \(no holder record\), a folder of \S+ .*since 2\d+-.*; if nothing works under it: release --slug YOU --force; /,
  );
  const { out } = await folder.run(["status"]);
  assertMatch(out, /\nfolder +of \S+.*, since 2\d+-.* ago\n/);
  assertMatch(out, /\nverdict .*, and it is stale in .*; if nothing works under it: release --sl/);
  await setBack(folder.lock, 3600);
  await takeOver(folder, "b");
});

test("a record that is cut off, garbage, huge or names a living process is no evidence", async () => {
  const living = JSON.stringify({ pid: Deno.pid, slug: "x", token: "abcdefgh" });
  const texts = ["", "{", "null", "[]", "\0\0\0", living, "x".repeat(100_000)];
  for (const text of texts) {
    await using folder = await LockFolder.make();
    await Deno.mkdir(folder.state);
    await Deno.mkdir(folder.lock);
    await Deno.writeTextFile(folder.record, text);
    const young = await folder.run(["acquire", "--slug", "b", "--timeout", "0"]);
    assertEquals(young.code, 75, young.err);
    await setBack(folder.lock, 3600);
    await takeOver(folder, "b");
    assertMatch((await folder.events()).at(-2)!, /reason=expired holder=unknown$/);
  }
});

test("a lock from the future is not broken for that, nor does it stand for ever", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await setBack(folder.lock, -86_400);
  const early = await folder.run(["acquire", "--slug", "b", "--timeout", "0.3", "--stale", "1"]);
  assertEquals(early.code, 75, early.err);
  const { code, err } = await folder.run([
    ...["acquire", "--slug", "b", "--timeout", "30", "--stale", "1", "--poll", "0.1"],
  ]);
  assertEquals(code, 0, err);
});

test("a killed waiter leaves its place: the next one is served", async () => {
  await using folder = await LockFolder.make();
  await using a = await folder.hold("a");
  const waiters: Holder[] = [];
  for (const slug of ["b", "c"]) {
    waiters.push(folder.startHolding(slug));
    await waiters.at(-1)!.program.says(/waiting/);
  }
  const [b, c] = waiters as [Holder, Holder];
  try {
    b.program.signal("SIGKILL");
    await b.program.ended;
    await a.finish();
    await folder.appears("c.runs");
    assertEquals((await c.finish()).code, 0);
    assertEquals(await namesIn(`${folder.state}/queue`), []);
    assertEquals(await exists(folder.lock), false);
  } finally {
    await b[Symbol.asyncDispose]();
    await c[Symbol.asyncDispose]();
  }
});

test("a command learns lock, name and fence, and the fence grows with every hold", async () => {
  await using folder = await LockFolder.make();
  const script = 'echo "$LOCK_FOLDER_SLUG $LOCK_FOLDER_FENCE ${LOCK_FOLDER_HELD%:*}"';
  const first = await folder.run(["run", "--slug", "a", "--", ...shell(script)]);
  const fence = Number(await folder.fence());
  const second = await folder.run(["run", "--slug", "b", "--", ...shell(script)]);
  assertEquals(first.out, `a ${fence} ${folder.lock}\n`);
  assertEquals(second.out, `b ${fence + 1} ${folder.lock}\n`);
});

/** `run --detach`, `result`, `cancel`: submit now, collect later, whatever becomes of the caller. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { inMounts, LINUX, needMounts, needProgram, test } from "./needs.ts";
import { eventually, PROGRAM, runCommand, startCommand } from "./program.ts";

const jobsOf = async (folder: LockFolder) =>
  JSON.parse((await folder.run(["status", "--json"])).out).jobs;

const SETSID = await needProgram("setsid", ["true"]);
const PKILL = await needProgram("pkill", ["--version"]);

const SUBMITTED = /^job ([a-z0-9]{6}) .*; collect it: lock_folder_util result \1\n$/;

async function submit(folder: LockFolder, slug: string, script: string, flags: string[] = []) {
  const args = ["run", "--detach", "--slug", slug, ...flags, "--", ...shell(script)];
  const { code, out, err } = await folder.run(args);
  assertEquals([code, err], [0, ""], out);
  assertMatch(out, SUBMITTED);
  return SUBMITTED.exec(out)![1]!;
}

test("a job is collected whole with its status, twice, and by another process", async () => {
  await using folder = await LockFolder.make();
  const bytes = "printf 'a\\000b\\377\\n'; echo told >&2; exit 3";
  const id = await submit(folder, "a", bytes);
  for (let times = 0; times < 2; times++) {
    const args = ["-c", `"$L" result ${id} > out 2> err; echo $?`];
    const { out } = await runCommand("sh", args, { cwd: folder.root, env: { L: PROGRAM } });
    assertEquals(out, "3\n");
    const written = await Deno.readFile(`${folder.root}/out`);
    assertEquals([...written], [97, 0, 98, 255, 10]);
    assertEquals(await folder.read("err"), "told\n");
  }
  assertEquals(await folder.events(), ["a acquired", "a released"]);
}, [LINUX]);

test(
  "a job keeps working folder and environment, has nothing to read, and a session of its own",
  async () => {
    await using folder = await LockFolder.make();
    const script = 'pwd; echo "$MINE"; cat; cut -d" " -f6 /proc/$PPID/stat; echo $PPID';
    const args = ["run", "--detach", "--slug", "a", "--", ...shell(script)];
    const { out } = await folder.run(args, { env: { MINE: "kept" } });
    const id = SUBMITTED.exec(out)![1]!;
    const lines = (await folder.run(["result", id])).out.trimEnd().split("\n");
    assertEquals(lines.slice(0, 2), [await Deno.realPath(folder.root), "kept"]);
    assertEquals(lines[2], lines[3], "the wrapper leads its session");
  },
  [LINUX],
);

test("a job that waits is told with its place, and result says where it stands: 75", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h");
  const { out } = await folder.run(["run", "--detach", "--slug", "a", "--", "true"]);
  assertMatch(out, /^job [a-z0-9]{6} is 1st in line for \S+lock\.lock; collect it: /);
  const json = await folder.run(["run", "--detach", "--json", "--slug", "b", "--", "true"]);
  const { event, id, place, state, collect } = JSON.parse(json.out);
  assertEquals([event, place, state], ["submitted", 2, "waiting"]);
  assertEquals(collect, `lock_folder_util result ${id}`);
  const early = await folder.run(["result", id, "--timeout", "0.2"]);
  assertEquals(early.code, 75);
  assertMatch(early.err, /: job \w+ is 2nd in line for \S+; ask again\n$/);
  await holder.letGo();
  assertEquals((await folder.run(["result", id])).code, 0);
}, [LINUX]);

test("a job that runs is told by result as running: 75; --follow writes as it comes", async () => {
  await using folder = await LockFolder.make();
  const script = "echo first; until [ -e go ]; do sleep 0.02; done; echo last; exit 5";
  const id = await submit(folder, "a", script);
  const early = await folder.run(["result", id, "--timeout", "0.3"]);
  assertEquals(early.code, 75);
  assertEquals(early.out, "first\n");
  assertMatch(early.err, /: job \w+ has been running under \S+ for [^;]+; ask again\n$/);
  await using follower = folder.start(["result", id, "--follow"]);
  await eventually("what was written is shown", () => follower.out === "first\n");
  await folder.write("go", "");
  const { code, out } = await follower.finish();
  assertEquals([code, out], [5, "first\nlast\n"]);
}, [LINUX]);

for (const what of ["the shell alone", "its group", "its session"]) {
  test(`a job outlives its caller: ${what} is killed`, async () => {
    await using folder = await LockFolder.make();
    await using holder = await folder.hold("h");
    const submits = '"$L" run --detach --slug a -- sh -c "echo done" > told';
    const call = `echo $$ > shell.pid; ${submits}; sleep 300 & : > called; wait`;
    await using caller = startCommand("setsid", ["-w", "sh", "-c", call], {
      cwd: folder.root,
      env: { L: PROGRAM },
    });
    await folder.appears("called");
    const shellPid = Number(await folder.read("shell.pid"));
    if (what === "the shell alone") Deno.kill(shellPid, "SIGKILL");
    else if (what === "its group") Deno.kill(-shellPid, "SIGKILL");
    else await runCommand("pkill", ["-KILL", "-s", String(shellPid)]);
    await caller.ended;
    // The shell's own child has outlived it, and holds the streams that this test reads.
    if (what === "the shell alone") Deno.kill(-shellPid, "SIGKILL");
    const id = SUBMITTED.exec(await folder.read("told"))![1]!;
    await holder.letGo();
    const { code, out } = await folder.run(["result", id]);
    assertEquals([code, out], [0, "done\n"]);
  }, [LINUX, SETSID, PKILL]);
}

test("a job whose wrapper was killed says whether its command still runs: 74", async () => {
  await using folder = await LockFolder.make();
  const script = "echo begun; until [ -e go ]; do sleep 0.02; done";
  const id = await submit(folder, "a", script);
  await eventually("the command is named", async () => (await jobsOf(folder))[0].child_pid);
  const [{ pid }] = await jobsOf(folder);
  Deno.kill(pid, "SIGKILL");
  const alive = await folder.run(["result", id]);
  assertEquals([alive.code, alive.out], [74, "begun\n"]);
  assertMatch(
    alive.err,
    /job \w+ was killed before its end; its command \(pid \d+\) still runs, and has/,
  );
  await folder.write("go", "");
  await eventually("it is seen gone", async () => {
    return /its command is gone too/.test((await folder.run(["result", id])).err);
  });
}, [LINUX]);

test("cancel takes a job out of the line, and keeps it no place", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h");
  const id = await submit(folder, "a", "touch ran");
  const { code, err } = await folder.run(["cancel", id]);
  assertEquals(code, 0);
  assertMatch(err, /job \w+ is cancelled: it has left the line\n$/);
  const { queue, absent } = JSON.parse((await folder.run(["status", "--json"])).out);
  assertEquals([queue, absent], [[], []]);
  const collected = await folder.run(["result", id]);
  assertEquals(collected.code, 1);
  assertMatch(collected.err, /job \w+ was cancelled before it ran\n$/);
  await holder.letGo();
  await holder.finish();
  assertEquals(await folder.events(), ["h acquired", "h released"]);
  assertEquals(await folder.has("ran"), false);
}, [LINUX]);

test(
  "cancel ends a job's command with all that it started, before the lock goes back",
  async () => {
    await using folder = await LockFolder.make();
    const child = "trap '[ -d .tmp/lock.lock ] && : > was-held; exit' TERM; : > runs; " +
      "while :; do sleep 0.05; done";
    const id = await submit(folder, "a", `sh -c "${child}" & wait; true`);
    await folder.appears("runs");
    const { code, err } = await folder.run(["cancel", id]);
    assertEquals(code, 0);
    assertMatch(err, /job \w+ is cancelled: its command has ended with status 143\n$/);
    assertEquals(await folder.has("was-held"), true);
    await folder.assertFree();
    const again = await folder.run(["cancel", id]);
    assertEquals(again.code, 1);
    assertMatch(again.err, /had ended already with status 143; nothing was cancelled\n$/);
  },
  [LINUX],
);

test("a job whose folder is deleted runs on, and result says that there is none", async () => {
  await using folder = await LockFolder.make();
  const id = await submit(folder, "a", ": > runs; until [ -e go ]; do sleep 0.02; done; : > ran");
  await folder.appears("runs");
  await Deno.remove(`${folder.state}/jobs`, { recursive: true });
  const { code, err } = await folder.run(["result", id]);
  assertEquals(code, 1);
  assertMatch(
    err,
    /has no job \w+: ask with the --dir and --name .* its folder was deleted, or its --keep is over/,
  );
  await folder.write("go", "");
  await folder.appears("ran");
  await eventually("the lock is free", async () => !await folder.has(".tmp/lock.lock"));
  assertEquals(await folder.events(), ["a acquired", "a released"]);
}, [LINUX]);

test("no job is said to be submitted where its folder cannot be made", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.state);
  await folder.write(".tmp/lock.state/jobs", "a file");
  const { code, out, err } = await folder.run([
    "run",
    "--detach",
    "--slug",
    "a",
    "--",
    "touch",
    "ran",
  ]);
  assertEquals([code, out], [74, ""]);
  assertMatch(err, /^lock_folder_util: no job was submitted for \S+lock\.lock, and nothing runs: /);
  assertEquals(await folder.has("ran"), false);
}, [LINUX]);

test(
  "on a full disk each job is in line or told not to be submitted, and none runs untold",
  async () => {
    const codes = new Set<string>();
    for (let pages = 2; pages <= 24; pages += 2) {
      await using folder = await LockFolder.make();
      const script = '"$L" run --detach --slug a -- sh -c "echo x >> ran" > told; c=$?; ' +
        'id=$(cut -d" " -f2 told); [ $c = 0 ] && "$L" result $id > /dev/null 2>&1; ' +
        'echo "$c $(cat ran 2> /dev/null | wc -l)"';
      const { out } = await inMounts(
        folder.root,
        `mount -t tmpfs -o nr_blocks=${pages} tmpfs .tmp && ${script}`,
      );
      const [code, ran] = out.trim().split(" ");
      // Told to be submitted: it ran at most once, and if it did not, its result says why.
      if (code !== "0") assertEquals(ran, "0", `${pages} pages`);
      codes.add(code!);
    }
    assertEquals(codes.has("0"), true);
    assertEquals(codes.size > 1, true, "some disk was too small");
  },
  [LINUX, await needMounts()],
);

test(
  "what a job's command line said is gone with its end, and its result after --keep",
  async () => {
    await using folder = await LockFolder.make();
    const id = await submit(folder, "a", "true; : s3cret", ["--keep", "1"]);
    assertEquals((await folder.run(["result", id])).code, 0);
    const left = await new Deno.Command("grep", { args: ["-rl", "s3cret", folder.dir] }).output();
    assertEquals(new TextDecoder().decode(left.stdout), "");
    // Each submission tidies.
    await eventually("the first is tidied away", async () => {
      await submit(folder, "b", "true");
      return !(await jobsOf(folder)).some((job: { id: string }) => job.id === id);
    });
    assertEquals((await folder.run(["result", id])).code, 1);
  },
  [LINUX],
);

test("a job that is submitted under a hold waits for it, and does not go through", async () => {
  await using folder = await LockFolder.make();
  const script = '"$L" run --detach --slug b -- sh -c ": > ran" > told; [ -e ran ] || echo apart';
  const { out } = await folder.run(["run", "--slug", "a", "--", ...shell(script)], {
    env: { L: PROGRAM },
  });
  assertEquals(out, "apart\n");
  const id = SUBMITTED.exec(await folder.read("told"))![1]!;
  assertEquals((await folder.run(["result", id])).code, 0);
  assertEquals(await folder.events(), ["a acquired", "a released", "b acquired", "b released"]);
}, [LINUX]);

test("--detach goes with no --die-with-parent, and a command that is not found is told at once", async () => {
  await using folder = await LockFolder.make();
  const both = await folder.run([
    ...["run", "--detach", "--die-with-parent", "--slug", "a", "--", "true"],
  ]);
  assertEquals(both.code, 64);
  const none = await folder.run(["run", "--detach", "--slug", "a", "--", "no-such-command"]);
  assertEquals(none.code, 127);
  assertEquals(await jobsOf(folder), []);
  const id = await folder.run(["result", "nothing"]);
  assertEquals(id.code, 64);
});

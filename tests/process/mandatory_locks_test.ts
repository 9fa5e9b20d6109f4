/** The program where file locks are mandatory: on Windows, and on SMB shares. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { LINUX, needProgram, test } from "./needs.ts";
import { eventually, type Outcome, projectFolder, startCommand, type Started } from "./program.ts";

const FLOCK = await needProgram("flock", ["--version"]);

const TESTS = `${projectFolder()}/tests/process`;
const RUN_TIME = ["run", "--allow-all", "--no-check", `--preload=${TESTS}/mandatory_locks.ts`];

/** The program from source, in a folder, on a system whose file locks are mandatory. */
class Mandatory {
  constructor(readonly folder: LockFolder, readonly system: "windows" | "smb") {}

  start(args: readonly string[]): Started {
    const source = [...RUN_TIME, `${projectFolder()}/main.ts`];
    return startCommand(Deno.execPath(), [...source, ...args], {
      cwd: this.folder.root,
      env: { MANDATORY_LOCKS: this.system, DENO_NO_UPDATE_CHECK: "1" },
    });
  }

  async run(args: readonly string[]): Promise<Outcome> {
    await using started = this.start(args);
    return await started.finish();
  }

  /** Holds the lock until a file of that name and `.go` is made. */
  async hold(slug: string): Promise<Started> {
    const script = `: > ${slug}.runs; until [ -e ${slug}.go ]; do sleep 0.02; done`;
    const holder = this.start(["run", "--slug", slug, "--", ...shell(script)]);
    await this.folder.appears(`${slug}.runs`);
    return holder;
  }
}

/** Locks the log's file for as long as the script runs; `locked` appears when it does. */
function lockLog(folder: LockFolder, script: string): Started {
  return startCommand("flock", [folder.log, "-c", `: > locked; ${script}`], { cwd: folder.root });
}

test("the file locks that these tests run under are mandatory", async () => {
  await using folder = await LockFolder.make();
  await folder.write(
    "program.ts",
    `const [path, next] = Deno.args;
const told = (run) => {
  try {
    return String(run());
  } catch (error) {
    return error.code ?? error.message.match(/os error [0-9]+/)[0];
  }
};
const one = Deno.openSync(path, { read: true, write: true, create: true });
const two = Deno.openSync(path, { read: true, write: true });
const read = (file) => told(() => file.readSync(new Uint8Array(1)));
const write = (file) => told(() => file.writeSync(new Uint8Array(1)));
if (next === "other") console.log(read(one), write(one));
else {
  console.log(read(two), write(two));
  one.tryLockSync(true);
  console.log(read(one), write(one), read(two), write(two));
  const other = [...JSON.parse(next), import.meta.url, path, "other"];
  const { stdout } = new Deno.Command(Deno.execPath(), { args: other }).outputSync();
  console.log(new TextDecoder().decode(stdout).trim());
  one.close();
  console.log(read(two), write(two));
}
`,
  );
  for (const [system, refusal] of [["windows", "os error 33"], ["smb", "EACCES"]] as const) {
    const args = [...RUN_TIME, "program.ts", `${system}.file`, JSON.stringify(RUN_TIME)];
    await using program = startCommand(Deno.execPath(), args, {
      cwd: folder.root,
      env: { MANDATORY_LOCKS: system },
    });
    const { out, err } = await program.finish();
    const refused = `${refusal} ${refusal}`;
    assertEquals(out, `null 1\n1 1 ${refused}\n${refused}\n1 1\n`, err);
  }
}, [LINUX]);

for (const system of ["windows", "smb"] as const) {
  const on = `where file locks are mandatory, as on ${
    system === "smb" ? "an SMB share" : "Windows"
  }`;

  test(`a lock is taken, kept, asked about and given back ${on}`, async () => {
    await using folder = await LockFolder.make();
    const there = new Mandatory(folder, system);
    const ok = async (...args: string[]) => {
      const { code, out, err } = await there.run(args);
      assertEquals(code, 0, `${args.join(" ")}: ${err}`);
      return out;
    };
    await ok("run", "--slug", "a", "--", "true");
    await folder.assertFree();
    await ok("acquire", "--slug", "b");
    await ok("renew", "--slug", "b");
    assertEquals(JSON.parse(await ok("status", "--json")).holder.slug, "b");
    await ok("release", "--slug", "b");
    await folder.assertFree();
    await ok("acquire", "--slug", "c");
    await ok("release", "--slug", "ops", "--force");
    await folder.assertFree();
    assertMatch(await ok("report"), /PASS/);
  }, [LINUX]);

  test(`waiters are served in order of arrival, and know who holds ${on}`, async () => {
    await using folder = await LockFolder.make();
    const there = new Mandatory(folder, system);
    await using holder = await there.hold("holder");
    await using first = there.start(["run", "--slug", "first", "--", "true"]);
    await first.says(/held by holder \(run, pid \d+/);
    await using second = there.start(["run", "--slug", "second", "--", "true"]);
    await second.says(/waiting/);
    const status = JSON.parse((await there.run(["status", "--json"])).out);
    assertEquals([status.state, status.holder.slug], ["held", "holder"]);
    assertEquals(status.queue.map(({ slug }: { slug: string }) => slug), ["first", "second"]);
    await folder.write("holder.go", "");
    for (const program of [holder, first, second]) {
      const { code, err } = await program.finish();
      assertEquals(code, 0, err);
    }
    const acquired = (await folder.events()).filter((line) => line.endsWith(" acquired"));
    assertEquals(acquired, ["holder acquired", "first acquired", "second acquired"]);
    await folder.assertFree();
  }, [LINUX]);

  test(`a hold is known from within, and its death from outside ${on}`, async () => {
    await using folder = await LockFolder.make();
    const there = new Mandatory(folder, system);
    const nested = [Deno.execPath(), ...RUN_TIME, `${projectFolder()}/main.ts`, "check"];
    const checked = await there.run(["run", "--slug", "a", "--", ...nested]);
    assertEquals(checked.code, 0, checked.err);
    await using killed = await there.hold("killed");
    await using waiter = there.start(["run", "--slug", "waiter", "--", "true"]);
    await waiter.says(/waiting/);
    const command = await folder.commandPid();
    killed.signal("SIGKILL");
    Deno.kill(command, "SIGKILL");
    await killed.ended;
    await eventually("the waiter ends", () => waiter.over);
    const { code, err } = await waiter.finish();
    assertEquals(code, 0, err);
    await folder.logShows(/^waiter stale_break age=\d+s reason=dead holder=killed$/);
    await folder.assertFree();
  }, [LINUX]);

  test(`a line waits for a log that another process has file-locked ${on}`, async () => {
    await using folder = await LockFolder.make();
    const there = new Mandatory(folder, system);
    await folder.run(["run", "--slug", "before", "--", "true"]);
    // Longer than a line waits where it can be written without the file lock.
    await using _locker = lockLog(folder, "sleep 1");
    await folder.appears("locked");
    const { code, err } = await there.run(["run", "--slug", "a", "--", "true"]);
    assertEquals([code, err], [0, ""]);
    assertEquals((await folder.events()).slice(-2), ["a acquired", "a released"]);
  }, [LINUX, FLOCK]);
}

test(
  "what keeps a line out of a log whose mandatory file lock is never let go is named",
  async () => {
    await using folder = await LockFolder.make();
    const there = new Mandatory(folder, "smb");
    await folder.run(["run", "--slug", "before", "--", "true"]);
    await using _locker = lockLog(folder, "exec sleep 600");
    await folder.appears("locked");
    const { code, err } = await there.run(["run", "--slug", "b", "--", "true"]);
    assertEquals(code, 74);
    assertMatch(err, /lock\.log could not be written: .*another process keeps its file lock/);
    assertMatch((await there.run(["doctor"])).out, /lock\.log is file-locked .* no line can be wr/);
  },
  [LINUX, FLOCK],
);

/** Working folders in which a program can be, but cannot go to. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { LINUX, needTwoUsers, test, unprivileged } from "./needs.ts";
import {
  eventually,
  type Outcome,
  PROGRAM,
  runCommand,
  startCommand,
  type Started,
} from "./program.ts";

/** A folder that only its owner may enter, as homes are, with another in it that everybody might. */
async function privateHome(folder: LockFolder): Promise<string> {
  const home = `${folder.root}/home`;
  await Deno.mkdir(`${home}/open`, { recursive: true });
  await Deno.chmod(folder.root, 0o755);
  await Deno.chmod(folder.dir, 0o777);
  await Deno.chmod(home, 0o700);
  return home;
}

/** As `sudo -u nobody lock_folder_util run …` in that folder. */
function startAsOther(folder: LockFolder, cwd: string, command: readonly string[]): Started {
  const run = [PROGRAM, "run", "--dir", folder.dir, "--slug", "a", "--", ...command];
  const [program, args] = unprivileged(run);
  return startCommand(program, args, { cwd, env: { PATH: "/bin:/usr/bin", KEPT: "kept" } });
}

async function asOther(
  folder: LockFolder,
  cwd: string,
  command: readonly string[],
): Promise<Outcome> {
  await using started = startAsOther(folder, cwd, command);
  return await started.finish();
}

const NEEDS = [LINUX, await needTwoUsers(PROGRAM)];

test(
  "a command runs in a folder that its user may not enter, and its status is passed on",
  async () => {
    await using folder = await LockFolder.make();
    const home = await privateHome(folder);
    for (const cwd of [home, `${home}/open`]) {
      const script = 'pwd -P; echo "$LOCK_FOLDER_SLUG $LOCK_FOLDER_FENCE $KEPT <$1>"; exit 7';
      const run = await asOther(folder, cwd, [...shell(script), "sh", "two words"]);
      assertEquals([run.code, run.err], [7, ""]);
      assertMatch(run.out, new RegExp(`^${cwd}\na \\d+ kept <two words>\n$`));
      assertEquals((await asOther(folder, cwd, shell("kill -9 $$"))).code, 137);
      const none = await asOther(folder, cwd, ["nosuch"]);
      assertEquals(none.code, 127);
      assertMatch(none.err, /nosuch: command not found/);
      assertEquals((await asOther(folder, cwd, ["/etc/passwd"])).code, 126);
    }
    await folder.assertFree();
  },
  NEEDS,
);

test("doctor and herd start their copies from a folder that their user may not enter", async () => {
  await using folder = await LockFolder.make();
  const home = await privateHome(folder);
  for (const call of [["doctor"], ["herd", "--agents", "2", "--hold", "0.1"]]) {
    const [program, args] = unprivileged([PROGRAM, ...call, "--dir", folder.dir]);
    const { code, out } = await runCommand(program, args, { cwd: home });
    assertEquals(code, 0, out);
  }
}, NEEDS);

test(
  "signals go on to a command in a folder that its user may not enter",
  async () => {
    await using folder = await LockFolder.make();
    const home = await privateHome(folder);
    const script = "trap 'echo caught; exit 9' TERM; echo runs; while :; do sleep 0.02; done";
    await using run = startAsOther(folder, home, shell(script));
    await eventually("the command runs", () => run.out === "runs\n");
    await folder.commandPid();
    run.signal("SIGTERM");
    const { code, out } = await run.finish();
    assertEquals([code, out], [9, "runs\ncaught\n"]);
    await folder.assertFree();
  },
  NEEDS,
);

test("a command runs though the working folder was removed during the wait", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("a");
  const cwd = `${folder.root}/worktree`;
  await Deno.mkdir(cwd);
  const run = ["run", "--dir", folder.dir, "--slug", "b", "--", "echo", "ran"];
  await using waiter = startCommand(PROGRAM, run, { cwd });
  await waiter.says(/waiting/);
  await Deno.remove(cwd);
  await holder.finish();
  const { code, out } = await waiter.finish();
  assertEquals([code, out], [0, "ran\n"]);
  await folder.assertFree();
}, [LINUX]);

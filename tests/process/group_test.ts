/** A lock for a group of users: a setgid folder and umask 002. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { LINUX, needTwoUsers, test } from "./needs.ts";
import { eventually, type Outcome, PROGRAM, runCommand, startCommand } from "./program.ts";

const GROUP = 65_530;
const [ANNA, BEN, READER] = [65_531, 65_532, 65_533];

/** As a user with this number; both of the group have it as their second one. */
function as(user: number, script: string): [string, string[]] {
  const groups = user === READER ? "--clear-groups" : `--groups=${GROUP}`;
  return ["setpriv", [
    ...[`--reuid=${user}`, `--regid=${user}`, groups],
    ...["sh", "-c", `umask 002; ${script}`],
  ]];
}

async function groupFolder(): Promise<LockFolder> {
  const folder = await LockFolder.make();
  await Deno.chmod(folder.root, 0o755);
  await Deno.chown(folder.dir, 0, GROUP);
  await Deno.chmod(folder.dir, 0o2775);
  return folder;
}

const env = { L: PROGRAM };

async function run(folder: LockFolder, user: number, script: string): Promise<Outcome> {
  return await runCommand(...as(user, script), { cwd: folder.root, env });
}

const needs = [LINUX, await needTwoUsers(PROGRAM)];

test("two users of one group wait for each other, and take over", async () => {
  await using folder = await groupFolder();
  const anna = startCommand(...as(ANNA, '"$L" run --slug anna -- sleep 0.5'), {
    cwd: folder.root,
    env,
  });
  await eventually("anna holds", async () => await folder.has(".tmp/lock.lock"));
  const ben = await run(folder, BEN, '"$L" run --slug ben -- true');
  assertEquals(ben.code, 0, ben.err);
  assertEquals((await anna.finish()).code, 0);
  const again = await run(folder, ANNA, '"$L" run --slug anna -- true');
  assertEquals(again.code, 0, again.err);
  assertEquals((await folder.events()).length, 6);
}, needs);

test(
  "one user of a group breaks the lock of another that died, and removes one by force",
  async () => {
    await using folder = await groupFolder();
    const dies =
      "until grep -q childPid .tmp/lock.state/alive/*; do sleep 0.02; done; kill -9 $PPID";
    await folder.write("dies.sh", dies);
    const script = '"$L" run --slug anna -- sh dies.sh';
    await run(folder, ANNA, script);
    const ben = await run(folder, BEN, '"$L" run --slug ben -- true');
    assertEquals(ben.code, 0, ben.err);
    assertMatch((await folder.events()).at(-3)!, /^ben stale_break .*reason=dead holder=anna$/);
    await run(folder, ANNA, '"$L" acquire --slug anna');
    const forced = await run(folder, BEN, '"$L" release --slug ben --force');
    assertEquals(forced.code, 0, forced.err);
    assertEquals((await folder.events()).at(-1), "ben force_release holder=anna");
  },
  needs,
);

test(
  "a user who may only read sees status and report, and run is refused in one line",
  async () => {
    await using folder = await groupFolder();
    await run(folder, ANNA, '"$L" run --slug anna -- true; "$L" acquire --slug anna');
    const status = await run(folder, READER, '"$L" status');
    assertEquals(status.code, 0, status.err);
    assertMatch(status.out, /^holder +anna$/m);
    const report = await run(folder, READER, '"$L" report');
    assertEquals(report.code, 0, report.err);
    const refused = await run(folder, READER, '"$L" run --slug eve -- true');
    assertEquals(refused.code, 78);
    assertMatch(refused.err, /^lock_folder_util: [^\n]+\n$/);
  },
  needs,
);

/** Shares, and what only they do: answers that are wrong for a moment. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { BINDFS_TWICE, onFileSystem, SSHFS_TWICE } from "./mounts.ts";
import { needProgram, POSIX, test } from "./needs.ts";
import { startCommand } from "./program.ts";

const STRACE = await needProgram("strace", ["-e", "trace=none", "true"], "a strace that may trace");

/** Lets the first renames of a share fail, as an SMB server does while another has the file open. */
function refusingRenames(when: string): string {
  const calls = "rename,renameat,renameat2";
  return `strace -f -o /dev/null -e trace=${calls} -e inject=${calls}:error=EACCES:when=${when}`;
}

test("a share that refuses to rename for a moment keeps nobody from the lock", async () => {
  await using folder = await LockFolder.make();
  const script = `${refusingRenames("1..3")} "$L" run --dir a --slug a -- true; s=$?; ` +
    "cut -d ' ' -f 2- a/lock.log; exit $s";
  const { code, out, err } = await onFileSystem(folder.root, BINDFS_TWICE, script);
  assertEquals([code, out], [0, "a acquired\na released\n"], err);
}, [POSIX, STRACE, ...BINDFS_TWICE.needs]);

test("a share that refuses to rename for good is told of, and nothing is held", async () => {
  await using folder = await LockFolder.make();
  const script = `${refusingRenames("1+")} "$L" run --dir a --slug a -- true; s=$?; ` +
    "[ ! -e a/lock.lock ] || echo held; exit $s";
  const { code, out } = await onFileSystem(folder.root, BINDFS_TWICE, script);
  assertEquals([code, out], [78, ""]);
}, [POSIX, STRACE, ...BINDFS_TWICE.needs]);

test("doctor names the file lock of another process that lines of the log wait for", async () => {
  await using folder = await LockFolder.make();
  await folder.run(["run", "--slug", "a", "--", "true"]);
  const locked = [folder.log, "-c", ": > locked; exec sleep 600"];
  await using _locker = startCommand("flock", locked, { cwd: folder.root });
  await folder.appears("locked");
  const { out } = await folder.run(["doctor"]);
  assertMatch(out, /in the way +\S*lock\.log is file-locked by another process/);
}, [await needProgram("flock", ["--version"])]);

const OWN_PIDS = "unshare --pid --fork --mount-proc";
const PID_NAMESPACE = await needProgram(
  "unshare",
  [...OWN_PIDS.split(" ").slice(1), "true"],
  `root and pid namespaces (${OWN_PIDS})`,
);

test(
  "a holder that beats on sshfs is not broken by a waiter whose caches are as old as --stale",
  async () => {
    await using folder = await LockFolder.make();
    // sshfs shows what it has seen for twenty seconds: longer than --stale, and for each file another time.
    const holder = `${OWN_PIDS} "$L" run --dir a --slug holder --stale 8 -- ` +
      "sh -c ': > runs; until [ -e go ]; do sleep 0.1; done'";
    const waiter = '"$L" run --dir b --slug waiter --stale 8 --timeout 32 --quiet -- true';
    const script = `${holder} & until [ -e runs ]; do sleep 0.1; done; ` +
      `${waiter}; echo $?; : > go; wait $!; echo $?; cut -d ' ' -f 2,3 served/lock.log`;
    const { out, err } = await onFileSystem(folder.root, SSHFS_TWICE, script, { limitMs: 60_000 });
    const events = "holder acquired\nwaiter gave_up\nholder released\n";
    assertEquals(out, `75\n0\n${events}`, err);
  },
  [POSIX, PID_NAMESPACE, ...SSHFS_TWICE.needs],
);

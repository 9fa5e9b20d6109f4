/** A disk that is full, or fills up on the way. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { onFileSystem, WITHOUT_INODES } from "./mounts.ts";
import { inMounts, needMounts, test } from "./needs.ts";
import type { Outcome } from "./program.ts";

/** Runs under the lock on a file system with room for so many small files, and lists what is left. */
async function onSmallDisk(pages: number, script: string): Promise<Outcome> {
  await using folder = await LockFolder.make();
  return await inMounts(
    folder.root,
    `mount -t tmpfs -o nr_blocks=${pages} tmpfs .tmp && ${script}; echo "status $?"; ` +
      "find .tmp -mindepth 1 -name '.*' -o -name lock.lock -o -path '*/alive/*' -o -path '*/removing/*'",
  );
}

test("a full disk at any step of acquiring undoes all steps before it", async () => {
  // A tiny file takes one page: lifeline, fence, record, log and a second of each while it is replaced.
  const statuses: string[] = [];
  for (let pages = 1; pages <= 8; pages++) {
    const { out, err } = await onSmallDisk(pages, '"$L" run --slug a -- true');
    const [status, ...left] = out.trimEnd().split("\n");
    assertEquals(left, [], `left behind on a disk of ${pages} pages`);
    if (status !== "status 0") {
      assertEquals(status, "status 74", err);
      assertMatch(err, /^lock_folder_util: \/\S+ could not be written: [^\n]*No space[^\n]*\n$/i);
    }
    statuses.push(status!);
  }
  assertEquals(statuses[0], "status 74");
  assertEquals(statuses.at(-1), "status 0");
}, [await needMounts()]);

test("a disk that the command filled up does not keep the lock from being released", async () => {
  const fill = "dd if=/dev/zero of=.tmp/fill bs=4k 2> /dev/null; exit 3";
  const { out, err } = await onSmallDisk(64, `"$L" run --slug a -- sh -c '${fill}'`);
  assertEquals(out, "status 3\n", err);
}, [await needMounts()]);

test("a full disk does not keep an acquire hold from being released", async () => {
  for (const release of ["release --slug a", "release --slug ops --force"]) {
    const fill = "dd if=/dev/zero of=.tmp/fill bs=4k 2> /dev/null";
    const { out, err } = await onSmallDisk(
      64,
      `"$L" acquire --slug a && { ${fill}; "$L" ${release}; }`,
    );
    assertEquals(out, "status 0\n", err);
  }
}, [await needMounts()]);

test("a file system without an inode is told as that, and not as one without space", async () => {
  await using folder = await LockFolder.make();
  const script = '"$L" acquire --slug a --dir a';
  const { code, err } = await onFileSystem(folder.root, WITHOUT_INODES, script);
  assertEquals(code, 74);
  assertMatch(err, /could not be written: mkdir failed, no space [^\n]*; no inode is free there /);
}, WITHOUT_INODES.needs);

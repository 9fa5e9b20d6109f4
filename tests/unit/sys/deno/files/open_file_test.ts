import { assertEquals } from "@std/assert";
import { OFF_THREAD, WITHOUT_WAITING } from "../../../../../lib/sys/deno/files/file_calls.ts";
import { LocalDisks } from "../../../../../lib/sys/deno/files/mounts.ts";
import { tryLockFile } from "../../../../../lib/sys/deno/files/open_file.ts";

Deno.test("LocalDisks: on CIFS no file lock is waited for", () => {
  const disks = new LocalDisks();
  for (const [folder, type] of [["/srv/smb", "cifs"], ["/srv/smb3", "smb3"], ["/srv/nfs", "nfs"]]) {
    assertEquals(disks.note(folder!, type!), false);
  }
  assertEquals(disks.callsFor("/srv/smb/lock.log"), WITHOUT_WAITING);
  assertEquals(disks.callsFor("/srv/smb3/lock.log"), WITHOUT_WAITING);
  assertEquals(disks.callsFor("/srv/nfs/lock.log"), OFF_THREAD);
  assertEquals(disks.callsFor("/srv/smbother/lock.log"), OFF_THREAD);
});

Deno.test("tryLockFile(): without tryLock no file lock is asked for where it may never be granted", async () => {
  let waits = 0;
  const lock = () => {
    waits++;
    return new Promise<void>(() => {});
  };
  const file = { lock, stat: () => Promise.resolve({ dev: 1, ino: 2 }) } as unknown as Deno.FsFile;
  assertEquals(await tryLockFile(WITHOUT_WAITING, file, "/srv/smb/lock.log", true), "unknown");
  assertEquals(waits, 0);
  assertEquals(await tryLockFile(OFF_THREAD, file, "/srv/nfs/lock.log", true), "held");
  assertEquals(waits, 1);
});

Deno.test("tryLockFile(): where the run-time has tryLock, it is asked on CIFS too", async () => {
  const file = (granted: boolean) =>
    ({ tryLock: () => Promise.resolve(granted) }) as unknown as Deno.FsFile;
  assertEquals(await tryLockFile(WITHOUT_WAITING, file(true), "/srv/smb/x", true), "granted");
  assertEquals(await tryLockFile(WITHOUT_WAITING, file(false), "/srv/smb/x", true), "held");
});

import { assertEquals } from "@std/assert";
import {
  grantsFileLocks,
  LOCAL_DISK,
  trustMount,
} from "../../../../lib/folder/place/mount_trust.ts";

function cachesFor(type: string | null, options = ""): number {
  return trustMount({ type, isLocalDisk: false, options: options.split(",") }).cachesForMs;
}

Deno.test("trustMount(): a disk of this machine shows what is, and frees the file locks of the dead (M1)", () => {
  assertEquals(trustMount({ type: "ext4", isLocalDisk: true, options: [] }), LOCAL_DISK);
  assertEquals(["vfat", "exfat", "ntfs3", "jfs", "ramfs"].map((type) => cachesFor(type)), [
    0,
    0,
    0,
    0,
    0,
  ]);
});

Deno.test("trustMount(): NFS caches for as long as its options say, else for a minute (M2)", () => {
  assertEquals(cachesFor("nfs4", "rw,vers=4.2,rsize=1048576"), 60_000);
  assertEquals(cachesFor("nfs", "rw,acregmin=1,acregmax=5,acdirmin=1,acdirmax=7"), 7000);
  assertEquals(cachesFor("nfs", "rw,acregmax=5"), 60_000);
  assertEquals(cachesFor("nfs", "rw,actimeo=3"), 3000);
  assertEquals(cachesFor("nfs4", "rw,sync,noac,acregmin=0,acregmax=0,acdirmin=0,acdirmax=0"), 0);
});

Deno.test("trustMount(): CIFS caches for a second, or what its options say (M2)", () => {
  assertEquals([cachesFor("cifs", "rw,actimeo=1"), cachesFor("cifs")], [1000, 1000]);
  assertEquals(cachesFor("smb3", "rw,acregmax=30,acdirmax=60"), 60_000);
});

Deno.test("trustMount(): sshfs and what is not known cache for twenty seconds (M2)", () => {
  for (const type of ["fuse.sshfs", "fuse.mergerfs", "fuseblk", "9p", "who-knows", null]) {
    assertEquals(cachesFor(type), 20_000);
  }
});

Deno.test("trustMount(): bindfs and gocryptfs cache for a second, as was measured (M2)", () => {
  assertEquals(["fuse.bindfs", "fuse.gocryptfs"].map((type) => cachesFor(type)), [1000, 1000]);
});

Deno.test("trustMount(): only where a server is known to keep them are file locks no proof of life (E10)", () => {
  const believed = (type: string | null) =>
    trustMount({ type, isLocalDisk: false, options: [] }).locksProveLife;
  assertEquals(["nfs", "cifs", "fuse.sshfs"].map(believed), [false, false, false]);
  assertEquals(believed(null), true);
});

Deno.test("grantsFileLocks(): on CIFS a request for a file lock may wait for ever", () => {
  assertEquals(["cifs", "smb3"].map(grantsFileLocks), [false, false]);
  assertEquals(["nfs", "nfs4", "fuse.sshfs", null].map(grantsFileLocks), [true, true, true, true]);
});

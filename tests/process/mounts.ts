/**
 * File systems of other kinds, mounted for one test.
 *
 * All is mounted in a mount namespace of its own and served by processes of one process group: when the
 * script ends, it unmounts and waits for the servers; when it is killed, its servers are killed with it, and
 * the namespace with all mounts goes when its last process does.
 */

import { inMounts, type Need, needMounts, needProgram } from "./needs.ts";
import type { Outcome, Place } from "./program.ts";

/** How to make folders of that kind below the working folder, and what it takes. */
export interface FileSystem {
  /** Lines of shell. They leave a usable folder `a`, and `b` where there is a second mount. */
  readonly setUp: string;
  readonly needs: readonly Need[];
}

const HAS_MOUNTS = await needMounts();
const HAS_FUSE = await needProgram(
  "sh",
  ["-c", "test -w /dev/fuse && command -v fusermount3"],
  "a /dev/fuse that can be written, and fusermount3",
);

export const TMPFS: FileSystem = {
  setUp: "mkdir a && mount -t tmpfs tmpfs a",
  needs: [HAS_MOUNTS],
};

export const READ_ONLY: FileSystem = {
  setUp: "mkdir a && mount -t tmpfs -o ro tmpfs a",
  needs: [HAS_MOUNTS],
};

export const FULL_DISK: FileSystem = {
  setUp:
    "mkdir a && mount -t tmpfs -o size=256k tmpfs a && { cat /dev/zero > a/fill || :; } 2> /dev/null",
  needs: [HAS_MOUNTS],
};

export const WITHOUT_INODES: FileSystem = {
  setUp: "mkdir a && mount -t tmpfs -o nr_inodes=1 tmpfs a",
  needs: [HAS_MOUNTS],
};

/** @param mkfs how to make it in the file `image` */
function onLoop(mkfs: string, has: Need, canLoop: Need): FileSystem {
  return {
    setUp:
      `truncate -s 32M image && ${mkfs} image > /dev/null 2>&1 && mkdir a && mount -o loop image a`,
    needs: [HAS_MOUNTS, has, canLoop],
  };
}

const MKE2FS = await needProgram("mke2fs", ["-V"]);
const CAN_LOOP: Need = MKE2FS.missing ?? HAS_MOUNTS.missing ? MKE2FS : await needLoop();

async function needLoop(): Promise<Need> {
  const folder = await Deno.makeTempDir();
  try {
    const script = "truncate -s 8M i && mke2fs -q -F i && mkdir a && mount -o loop i a && umount a";
    const { code } = await inMounts(folder, script);
    return { missing: code === 0 ? null : "loop devices cannot be mounted here" };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export const EXT4: FileSystem = onLoop("mke2fs -q -F -t ext4", MKE2FS, CAN_LOOP);

export const FULL_EXT4: FileSystem = {
  setUp: `${EXT4.setUp} && { cat /dev/zero > a/fill || :; } 2> /dev/null`,
  needs: EXT4.needs,
};

/** Its inodes have room for whole seconds only, and for no birthtime. */
export const EXT3_OF_WHOLE_SECONDS: FileSystem = onLoop(
  "mke2fs -q -F -t ext3 -I 128",
  MKE2FS,
  CAN_LOOP,
);

/** Two mounts of one folder, as two machines would have them. */
function twice(serve: string, has: Need, served = "served"): FileSystem {
  const one = (name: string) =>
    `${serve} ${served} ${name} > /dev/null 2>&1 & ` +
    `for i in $(seq 200); do mountpoint -q ${name} && break; sleep 0.05; done; mountpoint -q ${name}`;
  return {
    setUp: `mkdir a b served && { ${one("a")}; } && { ${one("b")}; }`,
    needs: [HAS_MOUNTS, HAS_FUSE, has],
  };
}

export const BINDFS_TWICE: FileSystem = twice("bindfs -f", await needProgram("bindfs", ["-V"]));

/** Without its cache it opens no file for appending. */
export const CACHING_RCLONE_TWICE: FileSystem = twice(
  "rclone mount --config /dev/null --cache-dir cache --vfs-cache-mode writes",
  await needProgram("rclone", ["version"]),
);

const SFTP_SERVER = "/usr/lib/openssh/sftp-server";

const ONTO_SFTP: FileSystem = twice(
  'sshfs -f -o ssh_command="$PWD/served.by"',
  await needProgram("sshfs", ["--version"]),
  '"host:$PWD/served"',
);

/** As to a server, with the caches of two machines; but the server is asked without ssh. */
export const SSHFS_TWICE: FileSystem = {
  setUp: `printf '#!/bin/sh\\nexec ${SFTP_SERVER}\\n' > served.by && chmod +x served.by && ` +
    ONTO_SFTP.setUp,
  needs: [
    ...ONTO_SFTP.needs,
    await needProgram("test", ["-x", SFTP_SERVER], `${SFTP_SERVER} (of openssh-server)`),
  ],
};

const UNMOUNT = 'for m in $(cut -d " " -f 2 /proc/mounts | grep "^$PWD/" | sort -r); do ' +
  'for i in $(seq 100); do umount "$m" 2> /dev/null && break; sleep 0.05; done; done; wait';

/**
 * Runs a script where the file system is mounted; `$L` is the program.
 * @return its status and what it wrote; 99 if the file system could not be mounted
 */
export async function onFileSystem(
  folder: string,
  { setUp }: FileSystem,
  script: string,
  place: Pick<Place, "limitMs"> = {},
): Promise<Outcome> {
  return await inMounts(
    folder,
    `${setUp} || { echo "cannot be mounted" >&2; exit 99; }; (${script}); s=$?; ${UNMOUNT}; exit $s`,
    place,
  );
}

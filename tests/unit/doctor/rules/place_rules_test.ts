import { assertEquals, assertMatch } from "@std/assert";
import { isWindowsDrive, kindOf, syncClientOf } from "../../../../lib/folder/place/mount_trust.ts";
import {
  judgeCleaner,
  judgeFileSystem,
  judgeGitReach,
  judgeInotify,
  judgeInTheWay,
  judgeOtherLock,
  judgeSpace,
} from "../../../../lib/doctor/rules/place_rules.ts";

const GIB = 2 ** 30;

/** Type, source, path; what is said of it. */
const FILE_SYSTEMS: readonly (readonly [string | null, string | null, string, string, RegExp])[] = [
  ["ext4", "/dev/sda1", "/srv", "PASS", /^ext4 \(\/dev\/sda1\), a local disk$/],
  ["xfs", "/dev/sda1", "/srv", "PASS", /local disk/],
  ["tmpfs", "tmpfs", "/dev/shm", "PASS", /in memory/],
  ["overlay", "overlay", "/", "PASS", /container/],
  ["nfs4", "server:/x", "/mnt/x", "WARN", /^nfs4 \(server:\/x\), a network file system/],
  ["cifs", "//server/x", "/mnt/x", "WARN", /network file system/],
  ["smb3", "//server/x", "/mnt/x", "WARN", /network file system/],
  ["fuse.sshfs", "host:/x", "/mnt/x", "WARN", /network file system/],
  ["9p", "C:\\", "/mnt/c/work", "WARN", /Windows drive seen from WSL/],
  ["drvfs", "C:", "/mnt/c/work", "WARN", /Windows drive seen from WSL/],
  ["9p", "share", "/media/share", "WARN", /virtual machine or container/],
  ["virtiofs", "share", "/media/share", "WARN", /virtual machine or container/],
  ["fuse.s3fs", "s3fs", "/mnt/x", "WARN", /object store/],
  ["fuse", "/x", "/mnt/x", "WARN", /FUSE file system/],
  ["fuse.mergerfs", "a:b", "/mnt/x", "WARN", /FUSE file system/],
  ["fuse.rclone", "remote:", "/mnt/x", "FAIL", /mkdir does not exclude/],
  ["strangefs", "x", "/mnt/x", "WARN", /nothing is known/],
  [null, null, "/Volumes/x", "WARN", /cannot be found out/],
  ["ext4", "/dev/sda1", "/home/u/Dropbox/locks", "WARN", /^Dropbox keeps this folder in step/],
  [null, null, "/Users/u/Library/CloudStorage/OneDrive-Work/x", "WARN", /^OneDrive/],
];

for (const [type, source, path, status, text] of FILE_SYSTEMS) {
  Deno.test(`file system ${type} at ${path}: ${status}`, () => {
    const judgement = judgeFileSystem({ type, source, path, markers: [] }, false);
    assertEquals(judgement.status, status, judgement.text);
    assertMatch(judgement.text, text);
  });
}

Deno.test("a marker of a sync client tells, whatever the path", () => {
  const found = { type: "ext4", source: "x", path: "/home/u/x", markers: ["Syncthing"] };
  assertMatch(judgeFileSystem(found, false).text, /^Syncthing keeps/);
});

Deno.test("two mounts are recommended only where they were not tried", () => {
  const found = { type: "fuse", source: "x", path: "/mnt/x", markers: [] };
  assertMatch(judgeFileSystem(found, false).text, /try two mounts with --peer$/);
  assertMatch(judgeFileSystem(found, true).text, /see how it does across two mounts$/);
});

Deno.test("syncClientOf() knows folders by the names that their clients give them", () => {
  const named: [string, string | null][] = [
    ["/home/u/Dropbox", "Dropbox"],
    ["/home/u/Dropbox (Work)/x", "Dropbox"],
    ["/mnt/c/Users/u/OneDrive - Company/x", "OneDrive"],
    ["/Users/u/Library/Mobile Documents/com~apple~CloudDocs/x", "iCloud"],
    ["/Users/u/Library/CloudStorage/GoogleDrive-u@x.org/My Drive", "Google Drive"],
    ["/home/u/Google Drive/x", "Google Drive"],
    ["/home/u/Nextcloud", "Nextcloud"],
    ["/home/u/dropbox-clone/x", null],
    ["/srv/locks", null],
  ];
  for (const [path, client] of named) assertEquals(syncClientOf(path), client, path);
});

Deno.test("isWindowsDrive() tells WSL's drives from other 9p shares", () => {
  assertEquals(isWindowsDrive("9p", "drvfs", "/mnt/d"), true);
  assertEquals(isWindowsDrive("9p", "none", "/mnt/d/x"), true);
  assertEquals(isWindowsDrive("9p", "none", "/mnt/data"), false);
  assertEquals(isWindowsDrive("ext4", "/dev/sdc", "/mnt/c"), false);
});

Deno.test("kindOf() takes any unknown FUSE server for one", () => {
  assertEquals(kindOf("fuse.something"), "fuse");
  assertEquals(kindOf("fuseblk"), "local");
  assertEquals(kindOf("fusectl"), "unknown");
});

Deno.test("judgeSpace() tells what is free, and what is used up", () => {
  const row = (freeBytes: number, freeFiles: number | null, isFull = false) => {
    const { status, text } = judgeSpace({ freeBytes, freeFiles }, isFull);
    return `${status} ${text}`;
  };
  assertEquals(row(20 * GIB, 1_000_000), "PASS 20 GiB and 1,000,000 inodes free");
  assertEquals(row(1.5 * GIB, null), "PASS 1.5 GiB free");
  assertEquals(row(GIB, 0), "PASS 1 GiB free");
  assertEquals(row(GIB, 7), "WARN only 1 GiB and 7 inodes free");
  assertEquals(row(2 ** 20, null), "WARN only 1 MiB free");
  assertMatch(row(0, 1000), /^FAIL no space is free but/);
  assertMatch(row(0, 1000, true), /^FAIL no space is free/);
  assertMatch(row(GIB, 0, true), /^FAIL no inode is free/);
  assertMatch(row(GIB, 1000, true), /^FAIL a quota is used up; 1 GiB are free/);
});

Deno.test("judgeInotify() warns where few instances can be had", () => {
  assertEquals(judgeInotify({ limit: 128 }).status, "PASS");
  assertEquals(judgeInotify({ limit: 15 }).status, "WARN");
  assertMatch(
    judgeInotify({ limit: 0 }).text,
    /^0 inotify instances for this user, .* poll; raise/,
  );
});

Deno.test("judgeCleaner() warns of a temporary folder", () => {
  assertEquals(judgeCleaner({ below: null }).status, "PASS");
  const { status, text } = judgeCleaner({ below: "/tmp" });
  assertEquals(status, "WARN");
  assertMatch(text, /^many systems remove what lies idle below \/tmp for days/);
});

Deno.test("things in the way fail only if they keep the lock from being used", () => {
  const thing = { path: "/x/lock.lock", problem: "is uid 7's" };
  assertEquals(judgeInTheWay({ things: [] }).status, "PASS");
  assertEquals(judgeInTheWay({ things: [{ ...thing, blocks: false }] }).status, "WARN");
  assertEquals(judgeInTheWay({ things: [{ ...thing, blocks: true }] }).status, "FAIL");
});

Deno.test("a lock folder that git would clean away is warned of, with two ways out", () => {
  assertEquals(judgeGitReach({ workTree: "/repo", below: "a/.tmp", ignored: false }), {
    status: "WARN",
    text:
      "git clean -fd, git stash -u and git add -A in /repo reach the lock here: use --dir @git, or add /a/.tmp/ to /repo/.gitignore",
  });
  assertMatch(
    judgeGitReach({ workTree: "/repo", below: "a [1]*", ignored: false }).text,
    /add \/a \\\[1\]\\\*\/ to \/repo\/\.gitignore$/,
  );
});

Deno.test("a lock folder that is the work tree itself is not to be ignored as a whole", () => {
  const { text } = judgeGitReach({ workTree: "/repo", below: "", ignored: false });
  assertMatch(text, / reach the lock here: use --dir @git$/);
});

Deno.test("of a lock folder that git ignores it is told what reaches it all the same", () => {
  assertEquals(judgeGitReach({ workTree: "/repo", below: ".tmp", ignored: true }), {
    status: "PASS",
    text: "git ignores it: of what git does in /repo, only git clean -x reaches it",
  });
});

Deno.test("two locks of one repository are told apart, with the flag that makes them one", () => {
  const lock = "/repo/.git/lock_folder_util/lock.lock";
  const text = (use: string) =>
    `the lock of @git (${lock}), which ${use}, is another one, and each lets one in: use --dir @git to share that one`;
  assertEquals(judgeOtherLock({ lock, held: true, loggedAgoMs: 0 }), {
    status: "WARN",
    text: text("is held"),
  });
  assertEquals(
    judgeOtherLock({ lock, held: false, loggedAgoMs: 7_380_000 }).text,
    text("was last used 2h 3m ago"),
  );
});

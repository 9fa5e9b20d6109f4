/** Wording: one line each, naming the thing, the cause, the holder where there is one, the next step. */

import { assertEquals, assertMatch } from "@std/assert";
import { line } from "../../lib/cli/wording/line.ts";
import {
  describeFailure,
  describeStartFailure,
  lockFlags,
} from "../../lib/cli/wording/messages.ts";
import { FolderUnusable, GaveUp, NotHolder } from "../../lib/lock/failures.ts";
import type { HolderView } from "../../lib/lock/views.ts";

const NOW_MS = Date.UTC(2026, 7, 22, 23, 5, 52);
const LOCK = "/w/.tmp/lock.lock";

const HOLDER: HolderView = {
  slug: "agent-1",
  mode: "run",
  pid: 4711,
  host: "box",
  sinceMs: NOW_MS - 303_000,
  why: "its process 4711 lives",
  oddity: null,
  isNew: false,
};

const PEER: HolderView = {
  slug: null,
  mode: null,
  pid: null,
  host: null,
  sinceMs: null,
  why: "there is no holder record",
  oddity: null,
  isNew: false,
};

function told(failure: unknown, slug?: string): string {
  const text = describeFailure(failure, { slug, lockFlags: "", nowMs: NOW_MS });
  assertMatch(line(text), /^lock_folder_util: [^\n]+\n$/);
  return text;
}

Deno.test("giving up names lock, time, holder and the next step", () => {
  const text = told(new GaveUp(LOCK, 1_800_000, 1_800_000, HOLDER, 1));
  assertEquals(
    text,
    `gave up waiting for ${LOCK} after 30m: held by agent-1 (run, pid 4711 on box) for 5m 3s; ` +
      "see lock_folder_util status, try again later, or wait longer with --timeout",
  );
});

Deno.test("one attempt is not called waiting", () => {
  assertMatch(told(new GaveUp(LOCK, 3, 0, PEER, 1)), /^did not get \/w.*not in the log.*no holder/);
});

Deno.test("giving up on a line says how long that was", () => {
  assertMatch(told(new GaveUp(LOCK, 1000, 1000, HOLDER, 3)), /and you were number 3 in line/);
  assertMatch(told(new GaveUp(LOCK, 1000, 1000, null, 2)), /it is free but others are first/);
  assertMatch(
    told(new GaveUp(LOCK, 1000, 1000, null, 2, null, "list /w")),
    /after 1s: the share did not answer \(list \/w\); look after the share/,
  );
});

Deno.test("what a share does not answer, or another's file lock forbids, is no matter of space", () => {
  const told = (reason: string) => {
    const obstacle = { kind: "io", operation: "append", reason } as const;
    return describeFailure(new FolderUnusable(LOCK, obstacle), { lockFlags: "", nowMs: 0 });
  };
  assertMatch(told("no answer within 10s"), /no answer within 10s; look after the share/);
  assertMatch(told("another process keeps its file lock"), /file lock; find that process/);
});

Deno.test("giving up says where it was to be seen that --timeout would not do", () => {
  const after = (timeoutMs: number, expectedMs: number | null) =>
    told(new GaveUp(LOCK, timeoutMs, timeoutMs, HOLDER, 1, expectedMs));
  assertMatch(
    after(30_000, 180_000),
    /; by the holds in the log a wait of about 3m was to be expected, and --timeout is 30s; see /,
  );
  for (const [timeoutMs, expectedMs] of [[30_000, 30_000], [30_000, null], [0, 180_000]] as const) {
    assertEquals(/expected/.exec(after(timeoutMs, expectedMs)), null);
  }
});

Deno.test("not being the holder names the lock, who holds it and the way out", () => {
  assertMatch(told(new NotHolder(LOCK, "not held", null), "b"), /^\/w\/.*lock\.lock is not held/);
  assertMatch(
    told(new NotHolder(LOCK, "held by another", HOLDER), "b"),
    /is not b's: held by agent-1 \(run, pid 4711 on box\) for 5m 3s; .*--force/,
  );
  assertMatch(
    told(new NotHolder(LOCK, "dead", HOLDER), undefined),
    /is held by agent-1 \(run, .*\) for 5m 3s, and that hold is dead: .*; stop here: the next/,
  );
  assertMatch(
    told(new NotHolder(LOCK, "command still running", HOLDER), "agent-1"),
    /its command is still running: run gives it back when that ends, .*--force/,
  );
});

Deno.test("the next step names the lock by the flags that it was named by", () => {
  assertEquals(lockFlags({}), "");
  const flags = lockFlags({ dir: "/srv/my locks", name: "dev7" });
  assertEquals(flags, " --dir '/srv/my locks' --name dev7");
  assertEquals(lockFlags({ dir: "-dash" }), " --dir=-dash");
  const told = { slug: "b", lockFlags: flags, nowMs: NOW_MS };
  const gaveUp = describeFailure(new GaveUp(LOCK, 1000, 1000, HOLDER, 1), told);
  assertMatch(
    gaveUp,
    /; see lock_folder_util status --dir '\/srv\/my locks' --name dev7, try again/,
  );
});

Deno.test("a hold that age alone ends is told with how soon that is", () => {
  const left = { ...HOLDER, mode: null, expiresInMs: 599_000 };
  assertMatch(
    told(new GaveUp(LOCK, 1000, 1000, left, 1), "b"),
    /\(no holder record\), broken by age in 9m 59s if it gives no sign of life; see/,
  );
});

Deno.test("giving up on a lock without a record names the way out before the next call", () => {
  const bare = { ...PEER, trace: { owner: "uid 1000", sinceMs: NOW_MS } };
  assertMatch(
    told(new GaveUp(LOCK, 1000, 1000, bare, 1), "b"),
    /\(no holder record\), a folder of uid 1000 since 2026-08-22T23:05:52Z; if nothing works under it: release --slug YOU --force; see lock_folder_util status/,
  );
});

Deno.test("a fence number that is not the present hold's is told beside that", () => {
  const wrongFence = (asked: number, present: number | null, holder: HolderView) =>
    told(new NotHolder(LOCK, "held by another", holder, { asked, present }));
  assertEquals(
    wrongFence(6, 7, HOLDER),
    `${LOCK} is not ours: --fence 6 was asked for, the present hold has fence 7, ` +
      "held by agent-1 (run, pid 4711 on box) for 5m 3s; stop here: what it guards may be another's",
  );
  assertMatch(
    wrongFence(6, null, PEER),
    /--fence 6 was asked for, the present hold has no fence, held/,
  );
});

Deno.test("a missing lock folder is told with the line that scripts look for", () => {
  const text = told(
    new FolderUnusable("/nonexistent", {
      kind: "folder",
      reason: "it does not exist",
      uid: null,
      mode: null,
    }),
  );
  assertMatch(
    text,
    /^lock dir \/nonexistent is not a writable directory; it does not exist: .*mkdir/,
  );
});

Deno.test("what stands in the way is named with its cause and a way out", () => {
  const cases: [ConstructorParameters<typeof FolderUnusable>[1], RegExp][] = [
    [
      { kind: "folder", reason: "permission denied", uid: 0, mode: 0o555 },
      /uid 0, mode 555\): make/,
    ],
    [
      { kind: "not a lock", found: "a symbolic link" },
      /is a symbolic link, not a folder; .*move it/,
    ],
    [
      { kind: "lock not empty", entries: ["x", "y\n"] },
      /not empty \(it holds x, y\\u\{a\}\); .*move/,
    ],
    [{ kind: "file", reason: "permission denied", uid: 0, mode: 0o644 }, /uid 0, mode 644\); ask/],
    [{ kind: "io", operation: "create", reason: "no space left on device" }, /no space.*; .*free/],
    [{ kind: "not given back", reason: "permission denied" }, /permission denied; .*rmdir \/w/],
    [{ kind: "mount", fileSystem: "fuse.rclone" }, /fuse\.rclone.*LOCK_FOLDER_TRUST_MOUNT=1/],
  ];
  for (const [obstacle, words] of cases) {
    const text = told(new FolderUnusable("/w/x", obstacle));
    assertMatch(text, /^(lock dir )?\/w\/x /);
    assertMatch(text, words);
  }
});

Deno.test("want of inodes is told apart from want of space", () => {
  const obstacle = { kind: "io", operation: "mkdir", reason: "no space left on device" } as const;
  const of = (noInodes: boolean) =>
    describeFailure(new FolderUnusable(LOCK, obstacle), { lockFlags: "", nowMs: NOW_MS, noInodes });
  assertMatch(of(true), /no space left on device; no inode is free there .*, then try again$/);
  assertMatch(
    of(false),
    /no space left on device; free some space, or some inodes \(see df and df -i\), then try again$/,
  );
});

Deno.test("an unexpected failure is called a defect, in one line and without a stack", () => {
  const text = told(new Error("first\n    at somewhere (file.ts:1:1)"));
  assertMatch(text, /^this is a defect of lock_folder_util: first/);
  assertEquals(line(text).split("\n").length, 2);
  assertMatch(told("thrown text"), /thrown text/);
});

Deno.test("a command that cannot be found, and is one word with blanks, is told as a line of shell", () => {
  const of = (program: string, code = "ENOENT") => describeStartFailure(program, code, "why");
  assertMatch(of("make all"), /^make all: .*; one word with blanks\? say sh -c 'make all'$/);
  assertMatch(of("echo it's"), /; one word with blanks\? say sh -c 'echo it'\\''s'$/);
  assertMatch(line(of("a\tb\x1b[2J")), /^[\x20-\x7e]+\n$/);
  for (const plain of [of("make"), of("make all", "EACCES")]) {
    assertEquals(/blanks/.exec(plain), null, plain);
  }
});

Deno.test("a path that could drive a terminal, or break a line, is shown escaped and whole", () => {
  const path = `/w/\x1b[2J/a\nb/${"c".repeat(200)}/lock.lock`;
  const text = line(told(new NotHolder(path, "not held", null)));
  assertMatch(text, /^lock_folder_util: \/w\/\\u\{1b\}\[2J\/a\\u\{a\}b\/c{200}\/lock\.lock is /);
});

Deno.test("a lock that was never held is not told of by a report", () => {
  const of = (problem: "not held" | "never held") => told(new NotHolder(LOCK, problem, null));
  assertMatch(of("not held"), /report tells what became of it$/);
  assertMatch(of("never held"), /has no log: look at --dir and --name/);
});

Deno.test("names that others wrote are shown harmless", () => {
  const holder = { ...HOLDER, slug: "\x1b[2J", host: "h\u202e" };
  const text = told(new GaveUp(LOCK, 1000, 1000, holder, 1));
  assertMatch(text, /^[\x20-\x7e]+$/);
});

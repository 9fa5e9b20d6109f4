import { assertEquals } from "@std/assert";
import { checksOf } from "../../../../lib/doctor/rules/checkup.ts";
import { checkupJson, checkupText } from "../../../../lib/doctor/rules/checkup_text.ts";

const CHECKS = checksOf({
  writing: { problem: null },
  inotify: { limit: 8 },
  clock: { aheadMs: 0, resolutionMs: 1 / 3 },
});
const FAILING = checksOf({
  writing: {
    problem: {
      code: "ENOENT",
      reason: "it does not exist",
      folderMade: false,
      uid: null,
      mode: null,
    },
  },
});

Deno.test("checkupText() aligns its rows and ends with the outcome", () => {
  assertEquals(
    checkupText({ folder: "/srv/locks", peer: null }, CHECKS, null),
    `/srv/locks

PASS  writable  a folder, a file and a line were written and removed again
PASS  clock     the file system's clock is this machine's
WARN  inotify   8 inotify instances for this user, one a waiter: waiters beyond that poll; raise fs.inotify.max_user_instances

PASS: this folder can be trusted, with what the warnings say (2 checks passed, 1 warning)
`,
  );
});

Deno.test("checkupText() breaks sentences at the width of a terminal", () => {
  assertEquals(
    checkupText({ folder: "/a", peer: "/b" }, CHECKS.slice(-1), 60),
    `/a, and /b as its peer

WARN  inotify  8 inotify instances for this user, one a
               waiter: waiters beyond that poll; raise
               fs.inotify.max_user_instances

PASS: this folder can be trusted, with what the warnings say (0 checks passed, 1 warning)
`,
  );
});

Deno.test("checkupText() says when a folder cannot be trusted", () => {
  assertEquals(
    checkupText({ folder: "/a", peer: null }, FAILING, null).split("\n").at(-2),
    "FAIL: this folder cannot be trusted (0 checks passed, 0 warnings, 1 failed)",
  );
});

Deno.test("checkupJson() is one object with all that was measured", () => {
  assertEquals(JSON.parse(checkupJson({ folder: "/a", peer: null }, CHECKS, null)), {
    trusted: true,
    folder: "/a",
    peer: null,
    counts: { PASS: 2, WARN: 1, FAIL: 0 },
    checks: [
      {
        name: "writable",
        status: "PASS",
        text: "a folder, a file and a line were written and removed again",
        measured: { problem: null },
      },
      {
        name: "clock",
        status: "PASS",
        text: "the file system's clock is this machine's",
        measured: { ahead_ms: 0, resolution_ms: 0 },
      },
      {
        name: "inotify",
        status: "WARN",
        text: CHECKS[2]!.text,
        measured: { limit: 8 },
      },
    ],
  });
});

Deno.test("checkupText() shows a folder and what stands in it escaped, that they drive no terminal", () => {
  const things = [{ path: "/a/\x1b[2J.lock", problem: "is\na file", blocks: true }];
  const checks = checksOf({ writing: { problem: null }, inTheWay: { things } });
  for (const width of [null, 60]) {
    const text = checkupText({ folder: "/a\x1b[2J", peer: "/b\nc" }, checks, width);
    assertEquals(text.includes("\x1b"), false);
    assertEquals(text.split("\n")[0], "/a\\u{1b}[2J, and /b\\u{a}c as its peer");
    assertEquals(text.includes("/a/\\u{1b}[2J.lock is\\u{a}a file"), true);
  }
});

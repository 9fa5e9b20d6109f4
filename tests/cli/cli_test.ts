/** The command line from end to end in this process, on real files with a recorded terminal. */

import { assertEquals, assertMatch } from "@std/assert";
import { denoSys } from "../../lib/sys/deno_sys.ts";
import { deafCommands, say, sayFor } from "./fake_host.ts";

interface Folder extends AsyncDisposable {
  readonly root: string;
}

async function workingFolder(): Promise<Folder> {
  const root = (await Deno.realPath(await Deno.makeTempDir({ prefix: "lock_folder_util-" })))
    .replaceAll("\\", "/");
  await Deno.mkdir(`${root}/.tmp`);
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

Deno.test("acquire and release are silent when all is well", async () => {
  await using folder = await workingFolder();
  const nothing = { code: 0, out: "", err: "" };
  assertEquals(await sayFor(folder.root, ["acquire", "--slug", "a"]), nothing);
  assertEquals(await sayFor(folder.root, ["release", "--slug", "a"]), nothing);
});

Deno.test("a refused release names the holder, since when, and the way out", async () => {
  await using folder = await workingFolder();
  await sayFor(folder.root, ["acquire", "--slug", "a"]);
  const { code, err } = await sayFor(folder.root, ["release", "--slug", "b"]);
  assertEquals(code, 1);
  assertMatch(
    err,
    /^lock_folder_util: \S+\/\.tmp\/lock\.lock is not b's: held by a \(acquire, .*\n$/,
  );
});

Deno.test("giving up shows one line for the wait and one for its end", async () => {
  await using folder = await workingFolder();
  await sayFor(folder.root, ["acquire", "--slug", "a"]);
  const { code, out, err } = await sayFor(folder.root, [
    ...["acquire", "--slug", "b", "--timeout", "50ms"],
  ]);
  assertEquals([code, out], [75, ""]);
  const [begin, end, rest] = err.split("\n");
  assertMatch(begin!, /^lock_folder_util: waiting for up to 50ms for \S+lock\.lock: held by a /);
  assertMatch(end!, /^lock_folder_util: gave up waiting for \S+lock\.lock after \d+ms: held by a /);
  assertEquals(rest, "");
});

Deno.test("--quiet leaves the failure alone", async () => {
  await using folder = await workingFolder();
  await sayFor(folder.root, ["acquire", "--slug", "a"]);
  const args = ["acquire", "--slug", "b", "--timeout", "50ms", "--quiet"];
  const { err } = await sayFor(folder.root, args);
  assertMatch(err, /^lock_folder_util: gave up [^\n]*\n$/);
});

Deno.test("--json tells the end of a wait in vain in one line of JSON, and nothing else", async () => {
  await using folder = await workingFolder();
  await sayFor(folder.root, ["acquire", "--slug", "a"]);
  const args = ["acquire", "--slug", "b", "--timeout", "50ms", "--json"];
  const { code, out, err } = await sayFor(folder.root, args);
  assertEquals([code, out], [75, ""]);
  assertMatch(err, /^[^\n]+\n$/);
  assertEquals(JSON.parse(err).event, "gave_up");
});

Deno.test("--json leaves other failures in plain words", async () => {
  await using folder = await workingFolder();
  const args = ["acquire", "--slug", "b", "--dir", "missing", "--json"];
  const { code, err } = await sayFor(folder.root, args);
  assertEquals(code, 78);
  assertMatch(err, /^lock_folder_util: lock dir [^\n]+\n$/);
});

Deno.test("a missing folder is told before anything is waited for", async () => {
  await using folder = await workingFolder();
  const args = ["acquire", "--slug", "b", "--dir", "missing"];
  const { code, err } = await sayFor(folder.root, args);
  assertEquals(code, 78);
  assertEquals(
    err.startsWith(
      `lock_folder_util: lock dir ${folder.root}/missing is not a writable directory; `,
    ),
    true,
    err,
  );
});

Deno.test("an unexpected failure is one line and 70, never a stack trace", async () => {
  const broken = new Proxy(denoSys().files, {
    get: () => () => Promise.reject(new TypeError("boom\n    at x.ts:1:1")),
  });
  const { random, processes, mounts } = denoSys();
  const { code, err } = await say(["acquire", "--slug", "a"], {
    parts: { files: broken, random, processes, commands: deafCommands(), mounts },
  });
  assertEquals(code, 70);
  assertMatch(err, /^lock_folder_util: this is a defect of lock_folder_util: boom [^\n]*\n$/);
});

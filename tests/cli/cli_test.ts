/** The command line from end to end in this process, with a recorded terminal: on a lock in memory where no files matter. */

import { assertEquals, assertMatch } from "@std/assert";
import { FileFault } from "../../lib/sys/faults.ts";
import { denoSys } from "../../lib/sys/deno/sys.ts";
import { deafCommands, say, sayFor, sayOn } from "./fake_host.ts";
import { MemoryLock } from "./memory_lock.ts";

interface Folder extends AsyncDisposable {
  readonly root: string;
}

async function workingFolder(): Promise<Folder> {
  const root = (await Deno.realPath(await Deno.makeTempDir({ prefix: "lock_folder_util-" })))
    .replaceAll("\\", "/");
  await Deno.mkdir(`${root}/.tmp`);
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

Deno.test("acquire says one line, and release none, when all is well", async () => {
  const lock = new MemoryLock();
  const nothing = { code: 0, out: "", err: "" };
  const { code, out, err } = await sayOn(lock, ["acquire", "--slug", "a"]);
  assertEquals([code, out], [0, ""]);
  assertMatch(err, /^lock_folder_util: holding memory:lock, fence 1; renew or release it .*\n$/);
  assertEquals(await sayOn(lock, ["release", "--slug", "a"]), nothing);
  assertEquals(await sayOn(lock, ["acquire", "--slug", "a", "--quiet"]), nothing);
});

Deno.test("a refused release names the holder, since when, and the way out", async () => {
  const lock = new MemoryLock();
  await sayOn(lock, ["acquire", "--slug", "a"]);
  const { code, err } = await sayOn(lock, ["release", "--slug", "b"]);
  assertEquals(code, 1);
  assertMatch(
    err,
    /^lock_folder_util: memory:lock is not b's: held by a \(acquire, .*\n$/,
  );
});

Deno.test("giving up shows one line for the wait and one for its end", async () => {
  const lock = new MemoryLock();
  await sayOn(lock, ["acquire", "--slug", "a"]);
  const { code, out, err } = await sayOn(lock, [
    ...["acquire", "--slug", "b", "--timeout", "50ms"],
  ]);
  assertEquals([code, out], [75, ""]);
  const [begin, end, rest] = err.split("\n");
  assertMatch(begin!, /^lock_folder_util: waiting for up to 50ms for memory:lock: held by a /);
  assertMatch(end!, /^lock_folder_util: gave up waiting for memory:lock after \d+ms: held by a /);
  assertEquals(rest, "");
});

Deno.test("--quiet leaves the failure alone", async () => {
  const lock = new MemoryLock();
  await sayOn(lock, ["acquire", "--slug", "a"]);
  const args = ["acquire", "--slug", "b", "--timeout", "50ms", "--quiet"];
  const { err } = await sayOn(lock, args);
  assertMatch(err, /^lock_folder_util: gave up [^\n]*\n$/);
});

Deno.test("--json tells the end of a wait in vain in one line of JSON, and nothing else", async () => {
  const lock = new MemoryLock();
  await sayOn(lock, ["acquire", "--slug", "a"]);
  const args = ["acquire", "--slug", "b", "--timeout", "50ms", "--json"];
  const { code, out, err } = await sayOn(lock, args);
  assertEquals([code, out], [75, ""]);
  assertMatch(err, /^[^\n]+\n$/);
  assertEquals(JSON.parse(err).event, "gave_up");
});

Deno.test("giving up tells the estimate of the wait's beginning, in words and in JSON", async () => {
  const lock = new MemoryLock();
  lock.usualMs = 600_000;
  await sayOn(lock, ["acquire", "--slug", "a"]);
  const args = ["acquire", "--slug", "b", "--timeout", "50ms"];
  const words = (await sayOn(lock, [...args, "--quiet"])).err;
  assertMatch(words, /gave up .* a wait of about 10m was to be expected, and --timeout is 50ms; /);
  const json = JSON.parse((await sayOn(lock, [...args, "--json"])).err);
  assertEquals(json.expected_ms, 600_000);
});

const UNHEARD = {
  out: () => Promise.resolve(),
  err: () => Promise.resolve(),
  errForPrograms: () => Promise.reject(new FileFault("ENOSPC", "write", "standard error", "full")),
  errColumns: () => Promise.resolve(null),
  outColumns: () => Promise.resolve(null),
};

Deno.test("a line of JSON that cannot be written is told with 74, and its hold given back", async () => {
  const lock = new MemoryLock();
  let said = "";
  const terminal = { ...UNHEARD, err: (text: string) => Promise.resolve(void (said += text)) };
  const acquire = (...flags: string[]) =>
    sayOn(lock, ["acquire", "--slug", "a", "--json", ...flags], { terminal });
  assertEquals((await acquire()).code, 74);
  assertMatch(
    said,
    /^lock_folder_util: standard error could not be written: write failed, full; .*\n$/,
  );
  assertEquals((await sayOn(lock, ["status", "--json"])).out.includes('"free"'), true);
  await sayOn(lock, ["acquire", "--slug", "holder"]);
  assertEquals((await acquire("--timeout", "0", "--conflict-exit-code", "0")).code, 74);
});

/** As a command that runs under the hold of this lock. */
async function inside(root: string, ...args: string[]) {
  const lock = `${root}/.tmp/lock.lock`;
  const { token } = JSON.parse(await Deno.readTextFile(`${root}/.tmp/lock.state/holder.json`));
  const env: Record<string, string> = { LOCK_FOLDER_HELD: `${lock}:${token}` };
  const environment = {
    ...denoSys().environment,
    workingFolder: root,
    get: (name: string) => env[name],
  };
  return await sayFor(root, args, { environment });
}

Deno.test("acquire, renew and release inside a hold all pass, and leave it as it is", async () => {
  await using folder = await workingFolder();
  await sayFor(folder.root, ["acquire", "--slug", "outer"]);
  const record = () => Deno.readTextFile(`${folder.root}/.tmp/lock.state/holder.json`);
  const before = await record();
  for (const command of ["acquire", "renew", "release"]) {
    const { code, out, err } = await inside(folder.root, command, "--slug", "inner");
    assertEquals([code, out], [0, ""]);
    if (command !== "acquire") assertEquals(err, "");
  }
  assertEquals(await record(), before);
  assertEquals((await inside(folder.root, "check")).code, 0);
  assertEquals((await inside(folder.root, "release", "--slug", "op", "--force")).code, 0);
  const gone = await inside(folder.root, "release", "--slug", "inner").catch(() => null);
  assertEquals(gone?.code, 1, "a hold that is over is nothing to be inside of");
});

Deno.test("a slug is one name however its letters are spelled", async () => {
  await using folder = await workingFolder();
  const [composed, decomposed] = ["agent-é".normalize("NFC"), "agent-é".normalize("NFD")];
  await sayFor(folder.root, ["acquire", "--slug", decomposed]);
  const { err } = await sayFor(folder.root, ["release", "--slug", composed]);
  assertEquals(err, "");
  const log = `${folder.root}/.tmp/lock.log`;
  assertEquals((await Deno.readTextFile(log)).includes(decomposed), false);
  // The line of another program, in the other spelling.
  await Deno.writeTextFile(log, `2026-08-22T23:05:00Z its-${decomposed} acquired\n`);
  await Deno.mkdir(`${folder.root}/.tmp/lock.lock`);
  assertEquals((await sayFor(folder.root, ["renew", "--slug", `its-${composed}`])).err, "");
  assertEquals((await sayFor(folder.root, ["release", "--slug", `its-${decomposed}`])).err, "");
  for (const slug of [composed, decomposed]) {
    const { out } = await sayFor(folder.root, ["report", "--slug", `its-${slug}`]);
    assertMatch(out, /^acquired=1 released=1 /);
  }
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

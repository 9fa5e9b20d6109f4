/** Several locks at once, and circles of nested holds, on the compiled program. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";
import { eventually, PROGRAM, runCommand } from "./program.ts";

const BOTH = ["--name", "db", "--name", "cache"];

async function logOf(folder: LockFolder, name: string): Promise<string[]> {
  const text = await Deno.readTextFile(`${folder.dir}/${name}.log`).catch(() => "");
  return text.split("\n").slice(0, -1).map((line) => line.slice(line.indexOf(" ") + 1));
}

test("a command under two locks finds both holds and both fences (U1)", async () => {
  await using folder = await LockFolder.make();
  const script = 'echo "$LOCK_FOLDER_FENCES"; echo "$LOCK_FOLDER_FENCE"; echo "$LOCK_FOLDER_HELD"';
  const { code, out } = await folder.run(["run", "--slug", "a", ...BOTH, "--", ...shell(script)]);
  const [fences, fence, ...held] = out.trim().split("\n");
  const [, db, cache] = /^db=(\d+),cache=(\d+)$/.exec(fences!)!;
  assertEquals([code, fence], [0, db]);
  assert(Number(cache) > 0);
  assertEquals(held.map((line) => line.split("/").at(-1)!.split(":")[0]), [
    "db.lock",
    "cache.lock",
  ]);
  for (const name of ["db", "cache"]) {
    assertEquals(await logOf(folder, name), ["a acquired", "a released"]);
  }
}, [LINUX]);

test("if the second cannot be had, the first goes back (U1)", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h", ["--name", "db"]);
  const { code, err } = await folder.run(
    ["run", "--slug", "a", ...BOTH, "--timeout", "0.3", "--", "touch", "ran"],
  );
  assertEquals(code, 75);
  assertMatch(err, /gave up waiting for \S+db\.lock after \d+ms: held by h /);
  assertEquals([await folder.has("ran"), await logOf(folder, "cache")], [
    false,
    ["a acquired", "a released"],
  ]);
  const other = await folder.run([
    "run",
    "--slug",
    "b",
    "--name",
    "cache",
    "--timeout",
    "0",
    "--",
    "true",
  ]);
  assertEquals(other.code, 0);
  await holder.finish();
}, [LINUX]);

test("a signal during the wait for the second gives the first back", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("h", ["--name", "db"]);
  await using both = folder.start(["run", "--slug", "a", ...BOTH, "--", "touch", "ran"]);
  await both.says(/waiting/);
  both.signal("SIGTERM");
  await both.finish();
  assertEquals(await logOf(folder, "cache"), ["a acquired", "a released"]);
  await holder.finish();
}, [LINUX]);

test("one name is no two, and the same name twice is refused with 64", async () => {
  await using folder = await LockFolder.make();
  const twice = await folder.run([
    "run",
    "--slug",
    "a",
    "--name",
    "x",
    "--name",
    "x",
    "--",
    "true",
  ]);
  assertEquals(twice.code, 64);
  assertMatch(twice.err, /--name x is given twice; name each lock once/);
  const status = await folder.run(["status", ...BOTH]);
  assertEquals(status.code, 64);
  assertMatch(status.err, /--name is given twice; give it once/);
});

test("what is held already around the call is not waited for", async () => {
  await using folder = await LockFolder.make();
  const script = `"$L" run --slug a ${BOTH.join(" ")} -- echo in-both`;
  const args = ["run", "--slug", "a", "--name", "cache", "--", ...shell(script)];
  const { code, out } = await folder.run(args, { env: { L: PROGRAM } });
  assertEquals([code, out], [0, "in-both\n"]);
  assertEquals(await logOf(folder, "cache"), ["a acquired", "a released"]);
  assertEquals(await logOf(folder, "db"), ["a acquired", "a released"]);
}, [LINUX]);

test("two fleets that name two locks in opposite orders are all served", async () => {
  await using folder = await LockFolder.make();
  const fleets = [["db", "cache"], ["cache", "db"]];
  const rounds = 20;
  const script = `for i in $(seq ${rounds}); do ` +
    '"$L" run --quiet --slug "$S" $N -- sh -c "mkdir busy && rmdir busy" || exit 1; done';
  const runs = fleets.flatMap((names, fleet) =>
    [1, 2].map((agent) => {
      const flags = names.map((name) => `--name ${name}`).join(" ");
      const env = { L: PROGRAM, S: `f${fleet}-${agent}`, N: flags };
      return runCommand("sh", ["-c", script], { cwd: folder.root, env, limitMs: 120_000 });
    })
  );
  for (const { code, err } of await Promise.all(runs)) assertEquals(code, 0, err);
  const acquired = (await logOf(folder, "db")).filter((line) => line.endsWith(" acquired"));
  assertEquals(acquired.length, 4 * rounds);
}, [LINUX]);

test(
  "a circle of nested holds is named by one of the two, with both slugs and both locks (U3, U4)",
  async () => {
    await using folder = await LockFolder.make();
    const nested = (outer: string, inner: string, slug: string) => {
      const inside = `: > ${slug}.has; until [ -e go ]; do sleep 0.01; done; ` +
        `"$L" run --json --name ${inner} --slug ${slug} -- true`;
      return folder.start(
        ["run", "--quiet", "--name", outer, "--slug", slug, "--", ...shell(inside)],
        { env: { L: PROGRAM } },
      );
    };
    await using a = nested("cache", "db", "a");
    await using b = nested("db", "cache", "b");
    await folder.appears("a.has");
    await folder.appears("b.has");
    await folder.write("go", "");
    const outcomes = [await a.finish(), await b.finish()];
    assertEquals(outcomes.map(({ code }) => code).toSorted(), [0, 75]);
    const loser = outcomes.find(({ code }) => code === 75)!;
    const told = JSON.parse(loser.err.trim().split("\n").at(-1)!);
    const isA = outcomes[0]!.code === 75;
    assertEquals([told.event, told.reason], ["gave_up", "deadlock"]);
    assertEquals(told.circle, [
      isA
        ? { slug: "b", holds: "db", waits_for: "cache" }
        : { slug: "a", holds: "cache", waits_for: "db" },
    ]);
    assert(told.waited_ms < 2000, `${told.waited_ms} ms`);
    const log = await logOf(folder, isA ? "db" : "cache");
    assert(log.some((line) => line.endsWith(" gave_up waited=0s reason=deadlock")), log.join("\n"));
  },
  [LINUX],
);

test(
  "a wrapper of two locks that is killed leaves both to its command, and then to the next",
  async () => {
    await using folder = await LockFolder.make();
    await using both = folder.startHolding("a", BOTH);
    await folder.appears("a.runs");
    const records = ["db", "cache"].map((name) => `${folder.dir}/${name}.state/holder.json`);
    for (const record of records) {
      await eventually("the command is named", async () => {
        return JSON.parse(await Deno.readTextFile(record)).childPid;
      });
    }
    both.program.signal("SIGKILL");
    await both.program.ended;
    for (const name of ["db", "cache"]) {
      const { code } = await folder.run([
        "run",
        "--slug",
        "b",
        "--name",
        name,
        "--timeout",
        "0",
        "--",
        "true",
      ]);
      assertEquals(code, 75);
    }
    await both.letGo();
    for (const name of ["db", "cache"]) {
      const { code } = await folder.run(["run", "--slug", "b", "--name", name, "--", "true"]);
      assertEquals(code, 0);
    }
  },
  [LINUX],
);

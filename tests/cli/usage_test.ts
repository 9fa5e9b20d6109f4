/** Wrong command lines: exit 64, one line that names the flag and the rule, nothing touched. */

import { assertEquals, assertMatch } from "@std/assert";
import { say } from "./fake_host.ts";

async function assertUsage(args: readonly string[], words: RegExp): Promise<void> {
  const { code, out, err } = await say(args);
  assertEquals(code, 64, `${JSON.stringify(args)}: ${err}`);
  assertEquals(out, "");
  assertMatch(err, /^lock_folder_util: [^\n]+\n$/);
  assertMatch(err, words);
}

/** A `run` line with these flags. */
function run(...flags: string[]): string[] {
  return ["run", ...flags, "--", "true"];
}

Deno.test("a slug that is no name is refused with the rule, and shown harmless", async () => {
  const wrong = ["x acquired", "x\n2026-01-01T00:00:00Z root released", "\x1b[2J", "a\u202eb"];
  for (const slug of [...wrong, "x".repeat(300), " ", "a\tb", "\u200b"]) {
    await assertUsage(run("--slug", slug), /--slug ".*" is no name: 1 to 64 visible characters/);
    const { err } = await say(run("--slug", slug));
    assertMatch(err, /^[\x20-\x7e…]*\n$/);
  }
});

Deno.test("a missing or empty slug is told with the flag and the rule", async () => {
  await assertUsage(run(), /--slug is missing; .*--slug NAME/);
  await assertUsage(run("--slug", ""), /--slug needs a value/);
  await assertUsage(run("--slug="), /--slug needs a value/);
  await assertUsage(["acquire", "--slug"], /--slug needs a value/);
  await assertUsage(["release"], /--slug is missing/);
});

Deno.test("a flag that swallows the next flag is noticed", async () => {
  await assertUsage(run("--slug", "--poll", "1"), /--slug/);
  await assertUsage(run("--slug", "a", "--timeout", "--poll", "1"), /--timeout/);
});

Deno.test("a flag given twice is refused, since which was meant cannot be known", async () => {
  await assertUsage(run("--slug", "a", "--slug", "b"), /--slug is given twice; give it once/);
  await assertUsage(run("--slug", "a", "--poll", "1", "--poll=1"), /--poll is given twice/);
});

Deno.test("a duration that is none is refused with the rule", async () => {
  const a = ["--slug", "a"];
  for (const flag of ["poll", "stale", "timeout"]) {
    for (const value of ["abc", "1x", "1 s", "٣", "1e9"]) {
      await assertUsage(
        run(...a, `--${flag}`, value),
        new RegExp(`--${flag} ".*" is no duration: `),
      );
    }
    await assertUsage(run(...a, `--${flag}=-1`), new RegExp(`--${flag} "-1" is no duration: `));
  }
  await assertUsage(run(...a, "--timeout", "nono"), /or none/);
  await assertUsage(run(...a, "--poll", "none"), /--poll "none" is no duration/);
  await assertUsage(run(...a, "--stale", "none"), /--stale "none" is no duration/);
});

Deno.test("a duration below its floor is refused with the floor", async () => {
  await assertUsage(run("--slug", "a", "--poll", "0"), /--poll 0 is too short: at least 10ms/);
  await assertUsage(run("--slug", "a", "--poll", "9ms"), /--poll 9ms is too short/);
  await assertUsage(run("--slug", "a", "--stale", "0"), /--stale 0 is too short: at least 100ms/);
});

Deno.test("an unknown flag is told with the nearest known one of the command", async () => {
  await assertUsage(run("--slug", "a", "--pol", "3"), /unknown flag --pol; did you mean --poll\?/);
  await assertUsage(run("--slug", "a", "--time", "3"), /unknown flag --time; .*--timeout\?/);
  await assertUsage(["release", "--slug", "a", "--fource"], /did you mean --force\?/);
  await assertUsage(run("--slg=a"), /unknown flag --slg; did you mean --slug\?/);
  await assertUsage(run("--slug", "a", "-p", "3"), /unknown flag -p/);
});

Deno.test("an unknown flag that is near none is told without a guess", async () => {
  const { err } = await say(run("--slug", "a", "--recursive"));
  assertEquals(err.includes("did you mean"), false, err);
  await assertUsage(
    run("--slug", "a", "--recursive"),
    /--recursive.*; see lock_folder_util help run/,
  );
});

Deno.test("an unknown command is told with the nearest known one", async () => {
  await assertUsage(["rum"], /unknown command "rum"; did you mean run\?/);
  await assertUsage(["aquire", "--slug", "a"], /did you mean acquire\?/);
  await assertUsage(["\x1b[2J"], /unknown command "\\u\{1b\}\[2J"/);
});

Deno.test("a flag of flock's is told with the one that does the same here", async () => {
  const told: [string[], RegExp][] = [
    [["-w", "90"], /: run has no -w; say --timeout 90 to wait that long\n/],
    [["-w90"], /: run has no -w; say --timeout 90 to/],
    [["--wait=1h"], /: run has no --wait; say --timeout 1h to/],
    [["-w"], /: run has no -w; say --timeout 10m to/],
    [["-w", "soon"], /: run has no -w; say --timeout 10m to/],
    [["-n"], /: run has no -n; say --timeout 0 to try once, without a wait\n/],
    [["--nonblock"], /: run has no --nonblock; say --timeout 0 to/],
    [["--nb"], /: run has no --nb; say --timeout 0 to/],
    [["-nE75"], /: run has no -n; say --timeout 0 to/],
    [
      ["-E", "9"],
      /: run has no -E; say --conflict-exit-code 9 to choose the exit code for giving up/,
    ],
    [["-E"], /: run has no -E; say --conflict-exit-code N to/],
    [["-c", "make all"], /: run has no -c; say -- sh -c 'make all' to run a line of shell\n/],
    [["-c", "echo it's"], /say -- sh -c 'echo it'\\''s' to/],
    [["-c", "make"], /say -- sh -c 'make' to/],
    [["-c"], /say -- sh -c '…' to/],
    [["-c", "x".repeat(200)], /say -- sh -c '…' to/],
  ];
  for (const [flags, words] of told) await assertUsage(["run", "--slug", "a", ...flags], words);
  await assertUsage(
    ["acquire", "--slug", "a", "-w", "5"],
    /: acquire has no -w; say --timeout 5 to/,
  );
});

Deno.test("a flag of flock's is an unknown one where nothing does the same, or it is spelt on", async () => {
  await assertUsage(["status", "-w", "5"], /unknown flag -w; /);
  await assertUsage(["herd", "-n", "5"], /unknown flag -n; /);
  await assertUsage(["acquire", "--slug", "a", "-c", "true"], /unknown flag -c; /);
  await assertUsage(["-w", "5"], /unknown flag -w; /);
  await assertUsage(run("--slug", "a", "-nothing"), /unknown flag -nothing; /);
  await assertUsage(run("--slug", "a", "--w", "5"), /unknown flag --w; /);
});

Deno.test("a command that other tools have is told with the one that does the same here", async () => {
  const told: [string, RegExp][] = [
    ["log", /"log"; say report to be told from the log who held when\n/],
    ["list", /"list"; say status to see who holds and who waits\n/],
    ["ls", /"ls"; say status to see who/],
    ["lock", /"lock"; say acquire to take the lock, or run to hold it for one command\n/],
    ["unlock", /"unlock"; say release to give back what acquire took\n/],
  ];
  for (const [name, words] of told) {
    await assertUsage([name], words);
    await assertUsage([name, "--slug", "a", "--json", "-x"], words);
  }
});

Deno.test("a command without -- is told where to put it", async () => {
  await assertUsage(["run", "--slug", "a", "make", "x"], /unexpected "make"; .*after --.*-- make/);
  await assertUsage(["run", "--slug", "a"], /run needs a command after --/);
  await assertUsage(["run", "--slug", "a", "--"], /run needs a command after --/);
  await assertUsage(["run", "--slug", "a", "--", ""], /after -- has an empty name/);
});

Deno.test("words and commands where none belong are refused", async () => {
  await assertUsage(
    ["acquire", "--slug", "a", "extra"],
    /unexpected "extra"; acquire takes no word/,
  );
  await assertUsage(["release", "--slug", "a", "--", "true"], /release runs no command/);
  await assertUsage(["help", "run", "extra"], /unexpected "extra"; help takes 1 word /);
  await assertUsage(["help", "nothing"], /no help on "nothing"; there is help on run, /);
});

Deno.test("a flag of another command is refused", async () => {
  await assertUsage(run("--slug", "a", "--force"), /run has no --force; see .* help run/);
  await assertUsage(["release", "--slug", "a", "--poll", "1"], /release has no --poll/);
  await assertUsage(["--slug", "a"], /--slug needs a command/);
});

Deno.test("an exit code out of range is refused, wherever it would be of use", async () => {
  for (const code of ["256", "-1", "abc", "1.5", "0x4", "1000", " 7"]) {
    const flag = `--conflict-exit-code=${code}`;
    await assertUsage(run("--slug", "a", flag), /--conflict-exit-code ".*" is no exit code: .*255/);
  }
});

Deno.test("a lock's name must be good for a file name on every system", async () => {
  for (const name of ["../x", "a/b", ".hidden", "a b", "x:y", "-x"]) {
    await assertUsage(
      ["acquire", "--slug", "a", `--name=${name}`],
      /--name ".*" is no name for a lock/,
    );
  }
});

Deno.test("a relative lock folder needs a working folder that still exists", async () => {
  const { code, err } = await say(["acquire", "--slug", "a"], { workingFolder: null });
  assertEquals(code, 64);
  assertMatch(err, /has been removed, .*--dir/);
});

Deno.test("an empty LOCK_FOLDER_DIR is told before anything is looked at, unless --dir is given", async () => {
  const env = { LOCK_FOLDER_DIR: "" };
  const slug = ["--slug", "a"];
  const lines = [
    ["run", ...slug, "--", "true"],
    ...["acquire", "release", "renew"].map((command) => [command, ...slug]),
    ...["check", "status", "report", "doctor", "guide"].map((command) => [command]),
  ];
  for (const args of lines) {
    const { code, out, err } = await say(args, { env });
    assertEquals([code, out], [64, ""], args.join(" "));
    assertMatch(err, /^lock_folder_util: LOCK_FOLDER_DIR is set but empty; .*--dir\n$/);
  }
  assertEquals((await say(["guide", "--dir", "/srv/locks"], { env })).code, 0);
  assertEquals((await say(["plan", "--agents", "2", "--hold", "1"], { env })).code, 0);
});

Deno.test("a flag that takes no value refuses one", async () => {
  for (const flag of ["--force=no", "--quiet=yes", "--json=1"]) {
    await assertUsage(["release", "--slug", "a", flag], / takes no value/);
  }
});

/** What a person does at a terminal: Ctrl-C, Ctrl-Z, typing, closing the window. */

import { assertEquals, assertMatch } from "@std/assert";
import { LockFolder, shell } from "./lock_folder.ts";
import { type Need, needProgram, test } from "./needs.ts";
import { eventually, PROGRAM, startCommand, type Started } from "./program.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_Z = "\x1a";

async function needTerminal(): Promise<Need> {
  return await needProgram(
    "python3",
    ["-c", "import os, pty; os.waitstatus_to_exitcode"],
    "Python 3.9 or newer, with its module pty",
  );
}

const terminal = await needTerminal();
const jobControl = await needProgram("bash", ["-c", "set -m"], "bash with job control");

/** Starts a program on a terminal of its own; `write()` types, `out` is the screen. */
function onTerminal(folder: LockFolder, command: readonly string[]): Started {
  return startCommand("python3", [`${import.meta.dirname}/pty_proxy.py`, ...command], {
    cwd: folder.root,
    env: { L: PROGRAM, PS1: "$ ", TERM: "dumb", HISTFILE: "" },
    keepsStdin: true,
  });
}

/** Starts `run` with a script on a terminal, and waits until the script says that it runs: `: > runs`. */
async function runOnTerminal(folder: LockFolder, script: string): Promise<Started> {
  const screen = onTerminal(folder, [PROGRAM, "run", "--slug", "a", "--", ...shell(script)]);
  await folder.appears("runs");
  return screen;
}

async function screenShows(screen: Started, pattern: RegExp): Promise<void> {
  await eventually(
    () => `the screen shows ${pattern}: ${JSON.stringify(screen.out)}`,
    () => pattern.test(screen.out),
  );
}

function assertHeld(folder: LockFolder): Promise<void> {
  return folder.run(["acquire", "--slug", "probe", "--timeout", "0"])
    .then(({ code }) => assertEquals(code, 75));
}

test("the command gets one INT of a Ctrl-C, cleans up, and its status is passed on", async () => {
  await using folder = await LockFolder.make();
  const script =
    "trap 'echo int >> ints' INT; : > runs; until [ -e go ]; do sleep 0.02; done; exit 5";
  await using screen = await runOnTerminal(folder, script);
  await screen.write(CTRL_C);
  await folder.appears("ints");
  await assertHeld(folder);
  await folder.write("go", "");
  assertEquals((await screen.finish()).code, 5);
  assertEquals(await folder.read("ints"), "int\n");
  assertEquals((await folder.events()).slice(-1), ["a released"]);
  await folder.assertFree();
}, [terminal]);

test("Ctrl-C ends a command that does not mind it, and the lock goes back", async () => {
  await using folder = await LockFolder.make();
  const script = ": > runs; exec sleep 300";
  await using screen = await runOnTerminal(folder, script);
  await screen.write(CTRL_C);
  assertEquals((await screen.finish()).code, 130);
  assertEquals(await folder.events(), ["a acquired", "a released"]);
  await folder.assertFree();
}, [terminal]);

test("INT to a program in the background of a terminal reaches its command", async () => {
  await using folder = await LockFolder.make();
  await using screen = onTerminal(folder, ["bash", "--norc", "--noprofile", "-i"]);
  await screen.write(
    `"$L" run --slug a -- sh -c 'trap "exit 6" INT; : > runs; while :; do sleep 0.02; done' &\n`,
  );
  await folder.appears("runs");
  await screen.write('kill -INT $!; wait $!; echo "status=$?"\n');
  await screenShows(screen, /status=6/);
  await screen.write("exit\n");
  await screen.finish();
  await folder.assertFree();
}, [terminal, jobControl]);

test("Ctrl-Z stops the command with the lock held, and fg goes on where it was", async () => {
  await using folder = await LockFolder.make();
  await using screen = onTerminal(folder, ["bash", "--norc", "--noprofile", "-i"]);
  await screen.write('"$L" run --slug a -- cat; echo "status=$?"\n');
  await folder.logShows(/^a acquired$/);
  await screen.write("first\n");
  await screenShows(screen, /first\r\nfirst\r\n/);
  await screen.write(CTRL_Z);
  await screenShows(screen, /Stopped/);
  await assertHeld(folder);
  await screen.write("fg\n");
  await screenShows(screen, /fg\r\n.* run --slug a -- cat/);
  await screen.write("second\n");
  await screenShows(screen, /second\r\nsecond\r\n/);
  await screen.write(CTRL_D);
  await folder.logShows(/^a released$/);
  await screen.write("exit\n");
  await screen.finish();
  await folder.assertFree();
}, [terminal, jobControl]);

test("a command at a terminal can be typed to", async () => {
  await using folder = await LockFolder.make();
  await using screen = onTerminal(folder, [PROGRAM, "run", "--slug", "a", "--", "cat"]);
  await folder.logShows(/^a acquired$/);
  await screen.write("hello\n");
  await screenShows(screen, /hello\r\nhello\r\n/);
  await screen.write(CTRL_D);
  assertEquals((await screen.finish()).code, 0);
}, [terminal]);

test("a terminal that hangs up ends the command, and the lock goes back", async () => {
  await using folder = await LockFolder.make();
  const script = ": > runs; exec sleep 300";
  await using screen = await runOnTerminal(folder, script);
  await screen.closeStdin();
  await folder.logShows(/^a released$/);
  await screen.finish();
  await folder.assertFree();
}, [terminal]);

test("a lock lost after the terminal hung up is no reason to fail", async () => {
  await using folder = await LockFolder.make();
  const script = "trap '' HUP; : > runs; until [ -e go ]; do sleep 0.02; done; : > done";
  await using screen = await runOnTerminal(folder, script);
  await screen.closeStdin();
  await Deno.remove(folder.lock);
  await folder.write("go", "");
  await folder.appears("done");
  await folder.logShows(/^a lost$/);
  await screen.finish();
}, [terminal]);

test("the program never prompts, with a terminal or without", async () => {
  await using folder = await LockFolder.make();
  for (
    const args of [["run", "--slug", "a", "--", "true"], ["acquire", "--slug", "a", "--quiet"]]
  ) {
    await using screen = onTerminal(folder, [PROGRAM, ...args]);
    assertEquals(await screen.finish(), { code: 0, out: "", err: "" });
  }
  await using refused = onTerminal(folder, [PROGRAM, "acquire", "--slug", "b", "--timeout", "0"]);
  const { code, out } = await refused.finish();
  assertEquals(code, 75);
  assertMatch(out, /^lock_folder_util: did not get [^\r\n]*\r\n$/);
  await folder.run(["release", "--slug", "a"]);
  assertEquals(await folder.run(["run", "--slug", "a", "--", "true"]), {
    code: 0,
    out: "",
    err: "",
  });
}, [terminal]);

test("status --watch shows it anew in place, until Ctrl-C", async () => {
  await using folder = await LockFolder.make();
  await using screen = onTerminal(folder, [
    ...["env", "TERM=xterm", PROGRAM, "status", "--watch"],
  ]);
  await screenShows(screen, /state +free/);
  await folder.run(["acquire", "--slug", "a"]);
  // deno-lint-ignore no-control-regex -- what clears a screen begins with one
  await screenShows(screen, /\x1b\[H\x1b\[J[^]*state +held/);
  await screen.write("\x03");
  // The proxy ends with the signal's number below zero, as a byte.
  assertEquals((await screen.finish()).code, 256 - 2);
}, [terminal]);

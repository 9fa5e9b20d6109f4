import { assertEquals, assertThrows } from "@std/assert";
import { parseCommandLine } from "../../lib/cli/command_line.ts";
import { conflictExitCode, waitOptions } from "../../lib/cli/options.ts";
import { UsageError } from "../../lib/lock/failures.ts";
import type { Environment } from "../../lib/sys/sys.ts";
import { lockOption } from "../../lib/cli/which_lock.ts";

function environment(env: Record<string, string> = {}): Environment {
  return {
    get: (name) => env[name],
    workingFolder: "/home/x",
    os: "linux",
    runtimeVersion: "0",
  };
}

function waitsOf(...flags: string[]) {
  const line = parseCommandLine(["acquire", "--slug", "a", ...flags]);
  return waitOptions(line);
}

Deno.test("parseCommandLine() leaves everything after the first -- to the command", () => {
  const own = ["echo", "--slug", "b", "--help", "--", "-x", ""];
  const line = parseCommandLine(["run", "--slug", "a", "--", ...own]);
  assertEquals(line.userCommand, own);
  assertEquals(line.values, { slug: "a" });
  assertEquals([...line.set], []);
});

Deno.test("parseCommandLine() takes flags before and after the command, with = or without", () => {
  for (
    const args of [
      ["--slug", "a", "--quiet", "acquire", "--poll=3"],
      ["acquire", "--poll", "3", "--quiet", "--slug=a"],
    ]
  ) {
    const line = parseCommandLine(args);
    assertEquals(line.command?.name, "acquire");
    assertEquals(line.values, { slug: "a", poll: "3" });
    assertEquals([...line.set], ["quiet"]);
  }
});

Deno.test("parseCommandLine() keeps values as text, numbers too", () => {
  const line = parseCommandLine(["acquire", "--slug", "007", "--name", "1e3"]);
  assertEquals(line.values, { slug: "007", name: "1e3" });
});

Deno.test("waitOptions() has the defaults of the help text", () => {
  assertEquals(waitsOf(), {
    slug: "a",
    pollMs: 15_000,
    staleMs: 600_000,
    timeoutMs: 1_800_000,
    keepPlaceMs: 600_000,
  });
});

Deno.test("waitOptions() means what is said", () => {
  const said = waitsOf("--poll", "250ms", "--stale", "90m", "--timeout", "30d");
  assertEquals([said.pollMs, said.staleMs, said.timeoutMs], [250, 5_400_000, 2_592_000_000]);
  assertEquals(waitsOf("--poll", "0.2").pollMs, 200);
  assertEquals(waitsOf("--timeout", "0").timeoutMs, 0);
  assertEquals(waitsOf("--timeout", "none").timeoutMs, null);
});

Deno.test("conflictExitCode() is 75 unless set", () => {
  const of = (...flags: string[]) => conflictExitCode(parseCommandLine(["acquire", ...flags]));
  assertEquals(of(), 75);
  assertEquals(of("--conflict-exit-code", "0"), 0);
  assertEquals(of("--conflict-exit-code=255"), 255);
});

Deno.test("lockOption(): --dir comes before LOCK_FOLDER_DIR, and that before .tmp", () => {
  const of = (args: string[], env: Record<string, string>) =>
    lockOption(parseCommandLine(["acquire", ...args]), environment(env)).lock;
  assertEquals(of([], {}), "/home/x/.tmp/lock.lock");
  assertThrows(
    () => of([], { LOCK_FOLDER_DIR: "" }),
    UsageError,
    "LOCK_FOLDER_DIR is set but empty",
  );
  assertEquals(of(["--dir", "/d"], { LOCK_FOLDER_DIR: "" }), "/d/lock.lock");
  assertEquals(of([], { LOCK_FOLDER_DIR: "/e" }), "/e/lock.lock");
  assertEquals(of(["--dir", "d/.."], { LOCK_FOLDER_DIR: "/e" }), "/home/x/lock.lock");
  assertEquals(of(["--dir", "/", "--name", "x"], {}), "/x.lock");
});

/** `complete`, which the completions of every shell call. The host that it runs on lets it touch nothing. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../lib/cli/commands.ts";
import { COMPLETIONS } from "../../lib/cli/completions.ts";
import { say } from "./fake_host.ts";

async function offered(...words: readonly string[]): Promise<string[]> {
  const { code, out, err } = await say(["complete", ...words]);
  assertEquals([code, err], [0, ""]);
  return out.split("\n").slice(0, -1).map((line) => line.split("\t")[0]!);
}

const NAMES = COMMANDS.map(({ name }) => name);

function flagsOf(name: string): string[] {
  return COMMANDS.find((command) => command.name === name)!.flags.map((flag) => `--${flag}`);
}

Deno.test("complete offers the commands where one may stand, and flags to a dash", async () => {
  assertEquals(await offered(), NAMES);
  assertEquals(await offered(""), NAMES);
  assertEquals(await offered("rel"), NAMES);
  assertEquals(await offered("-"), ["--help", "--version"]);
});

Deno.test("complete offers a command's flags, and the -- that its command follows", async () => {
  assertEquals(await offered("release", "--"), flagsOf("release"));
  assertEquals(await offered("run", ""), [...flagsOf("run"), "--"]);
});

Deno.test("complete offers what a flag may be, however the shell cuts --flag=value", async () => {
  for (
    const words of [["--on-lost", ""], ["--on-lost=t"], ["--on-lost", "="], ["--on-lost", "=", "t"]]
  ) {
    assertEquals(await offered("run", ...words), ["warn", "terminate"], words.join(" "));
  }
  assertEquals(await offered("run", "--dir", "x"), ["@git", "@user", ":folders"]);
  assertEquals(await offered("report", "--svg", ""), [":files"]);
  assertEquals(await offered("run", "--poll", ""), []);
});

Deno.test("complete takes a flag's value for no command, whatever it is called", async () => {
  assertEquals(await offered("--slug", "check", ""), NAMES);
  assertEquals(await offered("--slug", "=", "check", ""), NAMES);
  assertEquals(await offered("run", "--slug", "check", "--on-lost", ""), ["warn", "terminate"]);
});

Deno.test("complete offers what a command's word may be", async () => {
  assertEquals(await offered("completions", ""), Object.keys(COMPLETIONS));
  assertEquals(await offered("help", ""), NAMES);
  assertEquals(await offered("report", "n"), [":files"]);
  assertEquals(await offered("report", "-"), flagsOf("report"));
});

Deno.test("complete offers nothing after -- and after a command that there is not", async () => {
  assertEquals(await offered("run", "--", ""), []);
  assertEquals(await offered("run", "--slug", "a", "--", "rel"), []);
  assertEquals(await offered("fly", ""), []);
});

Deno.test("complete says a few words about each, on one line and after one tab", async () => {
  for (const words of [[], ["-"], ...NAMES.map((name) => [name, "-"])]) {
    const { out } = await say(["complete", ...words]);
    for (const line of out.split("\n").slice(0, -1)) assertMatch(line, /^[\w-]+\t[\x20-\x7e]+$/);
  }
});

Deno.test("complete is in no help", async () => {
  const { out } = await say(["--help"]);
  assertEquals(/\bcomplete\b/.test(out), false);
  const unknown = await say(["complet"]);
  assertEquals(unknown.code, 64);
  assertStringIncludes(unknown.err, "did you mean completions?");
});

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS, flagIn, FLAGS } from "../../lib/cli/commands.ts";
import { EXIT } from "../../lib/lock/exit_codes.ts";
import { say } from "./fake_host.ts";
import project from "../../deno.json" with { type: "json" };

async function textOf(...args: string[]): Promise<string> {
  const { code, out, err } = await say(args);
  assertEquals([code, err], [0, ""]);
  return out;
}

Deno.test("--help, -h and help say the same, on standard output", async () => {
  const text = await textOf("--help");
  assertEquals(await textOf("-h"), text);
  assertEquals(await textOf("help"), text);
  assertEquals(text.endsWith("\n"), true);
});

Deno.test("--help shows every command with a summary and an example", async () => {
  const text = await textOf("--help");
  for (const { name, summary, examples, synopsis } of COMMANDS) {
    if (name === "help") continue;
    assertStringIncludes(text, `lock_folder_util ${name} ${synopsis}`.trimEnd());
    assertStringIncludes(text, summary);
    assertStringIncludes(text, examples[0]!);
  }
});

Deno.test("--help names every exit code and every environment variable", async () => {
  const text = await textOf("--help");
  for (const code of Object.values(EXIT)) assertMatch(text, new RegExp(`^ .*\\b${code}\\b`, "m"));
  for (const name of ["DIR", "HELD", "SLUG", "FENCE"]) {
    assertStringIncludes(text, `LOCK_FOLDER_${name}`);
  }
});

Deno.test("help of a command shows each of its flags, with its default where it has one", async () => {
  for (const command of COMMANDS) {
    const { name, flags, details } = command;
    const text = await textOf("help", name);
    if (name !== "help") assertEquals(await textOf(name, "--help"), text);
    for (const flag of flags.map((flag) => flagIn(command, flag))) {
      const shown = flag.value === null ? `--${flag.name}` : `--${flag.name} ${flag.value}`;
      assertStringIncludes(text, `  ${shown}`);
      assertStringIncludes(text, flag.help);
      assertEquals(text.includes(`${flag.help} (default`), flag.byDefault !== undefined, shown);
      if (flag.byDefault !== undefined) assertStringIncludes(text, `(default ${flag.byDefault})`);
    }
    for (const line of details) assertStringIncludes(text, line);
  }
});

Deno.test("every flag belongs to some command, or stands alone", () => {
  const used = new Set(COMMANDS.flatMap(({ flags }) => [...flags]));
  const alone = FLAGS.map(({ name }) => name).filter((name) => !used.has(name));
  assertEquals(alone.sort(), ["verbose", "version"]);
});

Deno.test("help texts fit a terminal of 120 columns and hold no control characters", async () => {
  const texts = await Promise.all(
    [["--help"], ...COMMANDS.map(({ name }) => ["help", name])].map((args) => textOf(...args)),
  );
  for (const line of texts.join("\n").split("\n")) {
    assertEquals(line.length <= 120, true, line);
    assertMatch(line, /^[\x20-\x7e]*$/);
  }
});

Deno.test("--version is deno.json's, and the run-time's only with --verbose", async () => {
  assertEquals(await textOf("--version"), `lock_folder_util ${project.version}\n`);
  assertEquals(
    await textOf("--version", "--verbose"),
    `lock_folder_util ${project.version}\ndeno 9.8.7\n`,
  );
});

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS, flagIn, FLAGS } from "../../lib/cli/commands.ts";
import { GROUPS } from "../../lib/cli/command_spec.ts";
import { EXIT } from "../../lib/lock/exit_codes.ts";
import { type FakeSetup, say } from "./fake_host.ts";
import project from "../../deno.json" with { type: "json" };

async function textOf(...args: string[]): Promise<string> {
  return await textFor({}, ...args);
}

async function textFor(setup: FakeSetup, ...args: string[]): Promise<string> {
  const { code, out, err } = await say(args, setup);
  assertEquals([code, err], [0, ""]);
  return out;
}

/** Wherever its lines end. */
function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Of `--help` and of the help of each command. */
async function allTexts(setup: FakeSetup = {}): Promise<string> {
  const lines = [["--help"], ...COMMANDS.map(({ name }) => ["help", name])];
  return (await Promise.all(lines.map((args) => textFor(setup, ...args)))).join("\n");
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
    assertStringIncludes(unwrapped(text), `${name} ${summary}`);
    if (name === "help") continue;
    assertStringIncludes(unwrapped(text), `lock_folder_util ${name} ${synopsis}`.trimEnd());
    assertStringIncludes(text, `\n  ${examples[0]!}\n`);
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
    const wrapped = await textOf("help", name);
    if (name !== "help") assertEquals(await textOf(name, "--help"), wrapped);
    const text = unwrapped(wrapped);
    for (const flag of flags.map((flag) => flagIn(command, flag))) {
      const shown = flag.value === null ? `--${flag.name}` : `--${flag.name} ${flag.value}`;
      assertStringIncludes(wrapped, `  ${shown}`);
      assertStringIncludes(text, flag.help);
      assertEquals(text.includes(`${flag.help} (default`), flag.byDefault !== undefined, shown);
      if (flag.byDefault !== undefined) assertStringIncludes(text, `(default ${flag.byDefault})`);
    }
    assertStringIncludes(text, details.join(" "));
  }
});

Deno.test("every flag belongs to some command, or stands alone", () => {
  const used = new Set(COMMANDS.flatMap(({ flags }) => [...flags]));
  const alone = FLAGS.map(({ name }) => name).filter((name) => !used.has(name));
  assertEquals(alone.sort(), ["verbose", "version"]);
});

Deno.test("help texts fit the terminal, else COLUMNS, else 80; but an example is one line, to be copied", async () => {
  const examples = COMMANDS.flatMap((command) => command.examples.map((line) => `  ${line}`));
  const longest = async (setup: FakeSetup) => {
    const lines = (await allTexts(setup)).split("\n").filter((line) => !examples.includes(line));
    return Math.max(...lines.map((line) => line.length));
  };
  const within = (length: number, most: number) => assert(length <= most && length > most - 5);
  within(await longest({}), 80);
  within(await longest({ columns: 64 }), 64);
  within(await longest({ env: { COLUMNS: "72" } }), 72);
  within(await longest({ columns: 64, env: { COLUMNS: "90" } }), 90);
});

Deno.test("help is no wider than is good to read, and a COLUMNS that says nothing is passed over", async () => {
  const hundred = await allTexts({ columns: 100 });
  assertEquals(await allTexts({ columns: 300 }), hundred);
  for (const COLUMNS of ["", "0", "wide", "-5", "8e1"]) {
    assertEquals(await allTexts({ columns: 100, env: { COLUMNS } }), hundred, COLUMNS);
  }
});

Deno.test("in a narrow terminal the words about a flag stand below it", async () => {
  const text = await textFor({ columns: 40 }, "help", "run");
  assertStringIncludes(
    text,
    "\n  --conflict-exit-code N\n      exit with N when giving up\n      (default 75)\n",
  );
  assertStringIncludes(
    text,
    "\nUsage: lock_folder_util run --slug NAME\n    [flags] -- COMMAND [ARG...]\n",
  );
  const usage = await textFor({ columns: 56 }, "help", "report");
  assertMatch(usage, /\n {4}\[--until TIME\] \[--slug NAME\] .*\n {4}\[--html FILE\] \[--json\]\n/);
});

Deno.test("help texts hold no control characters", async () => {
  assertMatch(await allTexts(), /^[\x20-\x7e\n]*$/);
});

/** Name by name, as `--help` or the short help shows them. */
function groupsIn(text: string): string[][] {
  const titles = ["Take:", "Look:", "Set up:"];
  return titles.map((title) => {
    const [, rows] = new RegExp(`\\n${title}\\n((?:  .*\\n)+)`).exec(text)!;
    return [...rows!.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name!);
  });
}

const IN_GROUPS = [
  ["run", "result", "cancel", "acquire", "renew", "release", "check"],
  ["status", "slots", "report"],
  ["doctor", "herd", "plan", "guide", "completions", "help"],
];

Deno.test("--help has the commands in three groups, and all lists are in their order", async () => {
  assertEquals(groupsIn(await textOf("--help")), IN_GROUPS);
  assertEquals(COMMANDS.map(({ name }) => name), IN_GROUPS.flat());
  assertEquals([...new Set(COMMANDS.map(({ group }) => group))], [...GROUPS]);
});

Deno.test("a line without any word is told that a command is missing, and gets the short help", async () => {
  const { code, out, err } = await say([], { env: { COLUMNS: "70" } });
  assertEquals([code, out], [64, ""]);
  const [first, ...others] = err.split("\n");
  assertMatch(first!, /^lock_folder_util: a command is missing, .*; see lock_folder_util --help$/);
  const help = others.join("\n");
  assertStringIncludes(help, "\nUsage: lock_folder_util COMMAND [flags]\n");
  assertStringIncludes(
    help,
    "\n       lock_folder_util run --slug NAME [flags] -- COMMAND [ARG...]\n",
  );
  assertEquals(groupsIn(help), IN_GROUPS);
  assertEquals(others.every((line) => line.length <= 70), true, help);
  assertEquals(/Exit codes|Examples|Everywhere/.exec(help), null);
});

Deno.test("--version is deno.json's, and the run-time's only with --verbose", async () => {
  assertEquals(await textOf("--version"), `lock_folder_util ${project.version}\n`);
  assertEquals(
    await textOf("--version", "--verbose"),
    `lock_folder_util ${project.version}\ndeno 9.8.7\n`,
  );
});

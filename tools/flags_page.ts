/** `deno task flags`: writes docs/flags.md, made from the same tables as `--help`. */
import { COMMANDS, type Flag, flagIn, FLAGS } from "../lib/cli/commands.ts";
import { DURATION_WORDS, ENVIRONMENT_WORDS, EXIT_WORDS } from "../lib/cli/wording/help.ts";
import { runTool } from "./plain.ts";
import { projectFolder } from "./project.ts";

const ALONE = ["help", "version"];

/** @return the page as `deno fmt` leaves it */
export function flagsPage(): string {
  const flags = FLAGS.filter(({ name }) => !ALONE.includes(name));
  return [
    "# Flags, variables and exit codes",
    "",
    "This page is made by `npx -y deno@2.8.3 task flags` from the tables that `--help` prints.",
    "",
    "## Flags",
    "",
    ...table(["flag", "default", "for", "meaning"], flags.map(flagRow)),
    "",
    DURATION_WORDS.replace(/\d+[a-z]+(?=[,.])/g, "`$&`"),
    "",
    "## Variables",
    "",
    ...table(
      ["variable", "meaning"],
      ENVIRONMENT_WORDS.map(([name, words]) => [code(name), words]),
    ),
    "",
    "## Exit codes",
    "",
    ...table(["code", "meaning"], EXIT_WORDS),
    "",
  ].join("\n");
}

function flagRow(flag: Flag): string[] {
  const usage = code(`--${flag.name}${flag.value === null ? "" : ` ${flag.value}`}`);
  return [usage, defaultsOf(flag), takersOf(flag), meaningsOf(flag)];
}

/** The default, and what differs from it in some command: `8; plan: none`. */
function defaultsOf({ name, byDefault = "" }: Flag): string {
  const differing = COMMANDS.flatMap(({ name: command, differs }) => {
    const own = differs?.[name]?.byDefault;
    return own === undefined ? [] : [`${command}: ${own ?? "none"}`];
  });
  return [byDefault, ...differing].filter((words) => words !== "").join("; ");
}

/** Each meaning once, with the commands that have one of their own. */
function meaningsOf({ name, help }: Flag): string {
  const own = COMMANDS.filter(({ differs }) => differs?.[name]?.help !== undefined);
  const differing = Map.groupBy(own, (command) => flagIn(command, name).help);
  return [
    help,
    ...[...differing].map(([words, commands]) => `${namesOf(commands)}: ${words}`),
  ].join("; ");
}

function takersOf({ name }: Flag): string {
  const working = COMMANDS.filter((command) => command.name !== "help");
  const takers = working.filter(({ flags }) => flags.includes(name));
  const others = working.filter((command) => !takers.includes(command));
  if (takers.length === 0) return "`--version`";
  return others.length * 2 <= takers.length ? `all but ${namesOf(others)}` : namesOf(takers);
}

function namesOf(commands: readonly { readonly name: string }[]): string {
  return commands.map(({ name }) => name).join(", ");
}

function code(words: string): string {
  return `\`${words}\``;
}

/** As wide as its widest cells. */
function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [heading, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const [first, ...others] = cells;
  return [line(first!), line(widths.map((width) => "-".repeat(width))), ...others.map(line)];
}

async function writeFlagsPage(): Promise<void> {
  const output = `${projectFolder()}/docs/flags.md`;
  await Deno.writeTextFile(output, flagsPage());
  console.log(output);
}

if (import.meta.main) await runTool("flags", writeFlagsPage);

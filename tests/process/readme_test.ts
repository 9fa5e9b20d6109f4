/**
 * The README: its commands are run as they stand, in order, in a folder of their own for each section; its
 * tables are compared with the program's; its picture is made again.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS, type Flag, flagNamed, FLAGS } from "../../lib/cli/commands.ts";
import { EXIT_WORDS } from "../../lib/cli/wording/help.ts";
import { EXIT } from "../../lib/lock/exit_codes.ts";
import { exists, LockFolder } from "./lock_folder.ts";
import { needProgram, test } from "./needs.ts";
import { programOnPath } from "./on_path.ts";
import { ReleaseSite, WORKING_PROGRAM } from "./release_site.ts";
import { eventually, type Outcome, projectFolder, startCommand } from "./program.ts";

const ROOT = projectFolder();
const README = await Deno.readTextFile(`${ROOT}/README.md`);
const PYTHON = await needProgram("python3", ["--version"]);
const CURL = await needProgram("curl", ["--version"]);

interface Block {
  /** Of its section. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

const BLOCKS = blocksOf(README);

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  for (
    const [, title, language, text] of markdown.matchAll(/^#+ (.*)$|^```(\w*)\n([^]*?)^```$/gm)
  ) {
    if (title !== undefined) heading = title;
    else blocks.push({ heading, language: language!, text: text! });
  }
  return blocks;
}

/** Paths of machines that are not here: the lock folder of the test stands in for them. */
const ELSEWHERE = /\/(srv|mnt\/share|mnt\/a|mnt\/b)\/locks\b/g;
/** Where releases are published: a server of the test stands in for it. */
const PUBLISHED = "https://github.com/OWNER/REPO/releases";
/** These need a network, or make what other tests make: that there are such tasks has to do. */
const TASK = /^npx -y deno@2\.8\.3 task (\w+).*$/;
/** The first sections, and those that are read alone, must make it. */
const MAKES_LOCK_FOLDER = /^mkdir -p \.tmp\b/m;
/** What only makes sense inside a hold. */
const INSIDE = /^lock_folder_util check\b/;
/** What only makes sense where somebody's lock stands. */
const STUCK = /--force$/;
/** The longest, two herds, takes twenty seconds where nothing else runs. */
const BLOCK_LIMIT_MS = 120_000;

/** Programs of the reader's own. */
const READERS = ["migrate.sh", "first.sh", "second.sh", "publish.sh", "work.sh"];

class Reader implements AsyncDisposable {
  readonly folder: LockFolder;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(folder: LockFolder, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#env = env;
  }

  static async make(): Promise<Reader> {
    const folder = await LockFolder.make();
    const env = { ...await programOnPath(folder.root), HOME: folder.root };
    const reader = new Reader(folder, env);
    // A fresh home, in which the reader has nothing yet but what stands in for other machines' folders.
    await Deno.remove(folder.dir);
    await Deno.mkdir(`${folder.root}/elsewhere`);
    for (const name of READERS) await reader.#program(name);
    await reader.#program("bin/make");
    await Deno.mkdir(`${folder.root}/docs`);
    await Deno.copyFile(`${ROOT}/docs/sample.log`, `${folder.root}/docs/sample.log`);
    return reader;
  }

  async #program(name: string): Promise<void> {
    await this.folder.write(name, "#!/bin/sh\n");
    await Deno.chmod(`${this.folder.root}/${name}`, 0o755);
  }

  /** For the blocks of a section that goes on from an earlier one. */
  async makeLockFolder(): Promise<void> {
    await Deno.mkdir(this.folder.dir);
  }

  /** Runs what a block says: any command that fails is a failure. */
  async sh(text: string): Promise<Outcome> {
    const here = text.replace(ELSEWHERE, `${this.folder.root}/elsewhere`);
    const outcome = await this.#run("sh", ["-euc", here]);
    assertEquals(outcome.code, 0, `${text}\n${outcome.out}${outcome.err}`);
    return outcome;
  }

  async python(text: string): Promise<string> {
    const { code, out, err } = await this.#run("python3", ["-c", text]);
    assertEquals(code, 0, err);
    return out;
  }

  async #run(program: string, args: string[]): Promise<Outcome> {
    const place = { cwd: this.folder.root, env: this.#env };
    await using started = startCommand(program, args, place);
    await eventually(`the end of ${args.at(-1)}`, () => started.over, BLOCK_LIMIT_MS);
    return await started.finish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }
}

/** What of a block can run here; empty if nothing can. */
function runnable({ text }: Block): string {
  const lines = text.split("\n").filter((line) => !TASK.test(line));
  const left = lines.join("\n").trim();
  if (INSIDE.test(left)) return `lock_folder_util run --slug inside -- sh -c '${left}'`;
  return STUCK.test(left) ? `mkdir .tmp/lock.lock\n${left}` : left;
}

const SECTIONS = Map.groupBy(
  BLOCKS.filter(({ language }) => language === "sh").filter((block) => runnable(block) !== ""),
  ({ heading }) => heading,
);
const HERD = "A herd of eight, and the check of its log";
const INSTALL = "Install";

// Some of them take ten seconds, most of it waiting: side by side.
test("the commands of the README run as they stand", async () => {
  assert(SECTIONS.size >= 10, `only ${SECTIONS.size} sections`);
  for (const heading of ["lock_folder_util", "Wrap a command", "Hold it over several commands"]) {
    assert(SECTIONS.get(heading)!.some(({ text }) => MAKES_LOCK_FOLDER.test(text)), heading);
  }
  const others = [...SECTIONS].filter(([heading]) => heading !== HERD && heading !== INSTALL);
  await Promise.all(others.map(async ([_heading, blocks]) => {
    await using reader = await Reader.make();
    if (!blocks.some(({ text }) => MAKES_LOCK_FOLDER.test(text))) await reader.makeLockFolder();
    for (const block of blocks) await reader.sh(runnable(block));
  }));
});

test("the herd of the README passes its check of the log", async () => {
  await using reader = await Reader.make();
  const [herd, check] = BLOCKS.filter(({ heading }) => heading === HERD);
  assertEquals([herd?.language, check?.language], ["sh", "python"]);
  await reader.sh(herd!.text);
  assertEquals(
    await reader.python(check!.text),
    "acquired=8 released=8 gave_up=0, leaked=None\n",
  );
}, [PYTHON]);

test("the README installs what is published, a tag of it, and a release of one's own", async () => {
  await using site = await ReleaseSite.make();
  await using reader = await Reader.make();
  const { root } = reader.folder;
  const release = `${root}/dist/release`;
  await Deno.mkdir(release, { recursive: true });
  for (const [name, content] of site.files) await Deno.writeFile(`${release}/${name}`, content);
  await Deno.copyFile(`${ROOT}/install.sh`, `${root}/install.sh`);
  await Deno.writeTextFile(`${root}/dist/lock_folder_util`, WORKING_PROGRAM);
  for (const block of SECTIONS.get(INSTALL)!) {
    const text = runnable(block).replaceAll(PUBLISHED, site.address);
    const { out } = await reader.sh(text);
    const installed = `^Installed .* as ${root}/\\.local/bin/lock_folder_util$`;
    const times = out.match(new RegExp(installed, "gm"))?.length ?? 0;
    assertEquals(times, text.match(/install\.sh( \||( v[\d.]+)?( *#.*)?$)/gm)?.length ?? 0, text);
    assertEquals(await reader.folder.read(".local/bin/lock_folder_util"), WORKING_PROGRAM);
    await Deno.remove(`${root}/.local`, { recursive: true });
  }
  const from = site.asked.map((path) => path.replace(/\/lock_folder_util-.*/, ""));
  const newest = "/releases/latest/download";
  assertEquals(from, [
    ...[`${newest}/install.sh`, `${newest}/SHA256SUMS`, newest],
    ...[`${newest}/install.sh`, "/releases/download/v0.1.0/SHA256SUMS"],
    "/releases/download/v0.1.0",
  ]);
}, [CURL]);

Deno.test("the README says of releases what the workflow does with each", async () => {
  const workflow = await Deno.readTextFile(`${ROOT}/.github/workflows/release.yml`);
  for (
    const command of ["/latest/download/install.sh | sh", "/latest/download/install.ps1 | iex"]
  ) {
    assertStringIncludes(README, PUBLISHED + command);
    const tried = workflow.replaceAll('"', "");
    assertStringIncludes(tried, `$LOCK_FOLDER_UTIL_RELEASES${command}`);
  }
  assertStringIncludes(README, "gh attestation verify FILE");
  assertMatch(workflow, /attest-build-provenance@.*\n +with:\n +subject-path: release\/\*\n/);
});

test("the log that the README shows is what its command prints", async () => {
  const shown = BLOCKS.find(({ text }) => text.startsWith("$ "))!;
  const [command, ...log] = shown.text.trimEnd().split("\n");
  await using reader = await Reader.make();
  await reader.makeLockFolder();
  const { out } = await reader.sh(command!.slice(2));
  assertEquals(eventsOf(out.trimEnd().split("\n")), eventsOf(log));
});

/** Who came first of three that came at once is chance; which second it was, too. */
function eventsOf(log: readonly string[]): string[] {
  const names = new Map<string, string>();
  return log.map((line) => {
    const [, slug, event] = line.split(" ");
    if (!names.has(slug!)) names.set(slug!, `agent ${names.size + 1}`);
    return `${names.get(slug!)} ${event}`;
  });
}

test("the picture in the README is what the program draws", async () => {
  await using reader = await Reader.make();
  const command = BLOCKS.find(({ text }) => text.includes("docs/report.svg"))!;
  const { out } = await reader.sh(command.text);
  assertMatch(out, /\nPASS: no overlapping critical sections\n/);
  assertEquals(
    await reader.folder.read("docs/report.svg"),
    await Deno.readTextFile(`${ROOT}/docs/report.svg`),
    "make it again, with the command that the README gives",
  );
});

const PAGES = ["README.md", "PROTOCOL.md", "CONTRIBUTING.md", "CHANGELOG.md"];

for (const page of PAGES) {
  Deno.test(`${page} names only tasks and pages that there are`, async () => {
    const text = await Deno.readTextFile(`${ROOT}/${page}`);
    const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
    for (const [, task] of text.matchAll(/\btask ([a-z]+)\b/g)) {
      assert(task! in tasks, `there is no task ${task}`);
    }
    for (const [, path] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      assert(await exists(`${ROOT}/${path}`), `there is no ${path}`);
    }
    for (const [, path] of text.matchAll(/`((?:lib|tests|tools|examples)\/[\w/.]+)`/g)) {
      assert(await exists(`${ROOT}/${path}`), `there is no ${path}`);
    }
  });
}

/** The rows of the table that begins with this heading, cell by cell. */
function table(firstCell: string): string[][] {
  const found = new RegExp(`^\\| ${firstCell} +\\|.*\\n\\|[ -|]*\\n((?:\\|.*\\n)+)`, "m").exec(
    README,
  );
  assert(found, `there is no table of ${firstCell}`);
  return found[1]!.trimEnd().split("\n").map((row) => {
    return row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
  });
}

Deno.test("the README has every command, and no other", () => {
  const named = table("command").map(([cell]) => /^`([a-z]+)/.exec(cell!)?.[1]);
  const own = COMMANDS.map(({ name }) => name).filter((name) => name !== "help");
  assertEquals(named.filter((name) => name !== undefined).sort(), own.sort());
});

Deno.test("the README has every flag with its value and default, for every command that takes it", () => {
  const rows = table("flag");
  const names = FLAGS.map(({ name }) => name).filter((name) =>
    name !== "help" && name !== "version"
  );
  assertEquals(rows.map(([cell]) => flagName(cell!)).sort(), names.sort());
  for (const [cell, byDefault, takers] of rows) {
    const flag = flagNamed(flagName(cell!) as typeof FLAGS[number]["name"]);
    assertEquals(cell, `\`--${flag.name}${flag.value === null ? "" : ` ${flag.value}`}\``);
    assertEquals(byDefault!.replaceAll("`", ""), defaultsOf(flag), cell);
    assertEquals(commandsIn(takers!), takersOf(flag.name), cell);
  }
});

/** The default, and what differs from it in some command: `8; plan: none`. */
function defaultsOf({ name, byDefault = "" }: Flag): string {
  const differing = COMMANDS.flatMap(({ name: command, differs }) => {
    const own = differs?.[name]?.byDefault;
    return own === undefined ? [] : [`${command}: ${own ?? "none"}`];
  });
  return [byDefault, ...differing].join("; ");
}

function flagName(cell: string): string {
  return /^`--([a-z-]+)/.exec(cell)![1]!;
}

/** As the third column has it: names, or all but some. */
function commandsIn(cell: string): string[] {
  if (cell.startsWith("`--")) return [];
  const except = /^all but (.+)$/.exec(cell)?.[1]?.split(", ");
  const named = except
    ? COMMANDS.map(({ name }) => name).filter((name) => name !== "help" && !except.includes(name))
    : cell.split(", ");
  return named.sort();
}

function takersOf(flag: typeof FLAGS[number]["name"]): string[] {
  return COMMANDS.filter(({ flags }) => flags.includes(flag)).map(({ name }) => name).sort();
}

Deno.test("the README has every exit code, and no other", () => {
  const codes = table("code").flatMap(([cell]) => cell!.split(", "));
  assertEquals(codes, EXIT_WORDS.flatMap(([code]) => code.split(", ")));
  const numbers = codes.filter((code) => code !== "n").map(Number);
  assertEquals(numbers.sort((a, b) => a - b), Object.values(EXIT).sort((a, b) => a - b));
});

Deno.test("other pages show blocks that are the README's own", async () => {
  const protocol = blocksOf(await Deno.readTextFile(`${ROOT}/PROTOCOL.md`));
  for (const { text } of protocol.filter(({ language }) => language === "sh")) {
    assert(BLOCKS.some((block) => block.text === text), text);
  }
});

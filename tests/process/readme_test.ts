/**
 * The README and the pages beside it: their commands are run as they stand, in order, in a folder of their own
 * for each section; their tables and samples are compared with the program's; the picture is made again.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../lib/cli/commands.ts";
import { GROUPS } from "../../lib/cli/command_spec.ts";
import { EXIT_WORDS } from "../../lib/cli/wording/help.ts";
import { EXIT } from "../../lib/lock/exit_codes.ts";
import { flagsPage } from "../../tools/flags_page.ts";
import { exists, LockFolder } from "./lock_folder.ts";
import { needProgram, test } from "./needs.ts";
import { programOnPath } from "./on_path.ts";
import { ReleaseSite, WORKING_PROGRAM } from "./release_site.ts";
import { eventually, type Outcome, PROGRAM, projectFolder, startCommand } from "./program.ts";

const ROOT = projectFolder();
const README = await textOf("README.md");
const PYTHON = await needProgram("python3", ["--version"]);
const CURL = await needProgram("curl", ["--version"]);

/** Those with commands for their readers. */
const PAGES_TO_RUN = [
  "README.md",
  "CONTRIBUTING.md",
  "PROTOCOL.md",
  "docs/commands.md",
  "docs/install.md",
];

interface Block {
  /** Of its page and section, as `README.md: Every day`. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

const BLOCKS = (await Promise.all(PAGES_TO_RUN.map(blocksOf))).flat();

async function textOf(page: string): Promise<string> {
  return await Deno.readTextFile(`${ROOT}/${page}`);
}

async function blocksOf(page: string): Promise<Block[]> {
  const markdown = await textOf(page);
  const blocks: Block[] = [];
  let heading = page;
  for (
    const [, title, language, text] of markdown.matchAll(/^#+ (.*)$|^```(\w*)\n([^]*?)^```$/gm)
  ) {
    if (title !== undefined) heading = `${page}: ${title}`;
    else blocks.push({ heading, language: language!, text: text! });
  }
  return blocks;
}

/** Paths of machines that are not here: the lock folder of the test stands in for them. */
const ELSEWHERE = /\/(srv|mnt\/share|mnt\/a|mnt\/b)\/locks\b/g;
/** Where releases are published: a server of the test stands in for it. */
const PUBLISHED = "https://github.com/OWNER/REPO/releases";
/** These need a network, or make what other tests make: that there are such tasks, and such a repository, has to do. */
const ELSEWHERES =
  /^(npx -y deno@2\.8\.3 task (\w+)|git clone https:\/\/github\.com\/OWNER\/REPO\b).*$/;
/** What makes it; in the other sections it is there. */
const MAKES_LOCK_FOLDER = /^mkdir -p \.tmp\b/m;
/** What only makes sense inside a hold. */
const INSIDE = /^lock_folder_util check\b/;
/** What only makes sense where somebody's lock stands. */
const STUCK = /--force$/;
/** The longest, two herds, takes twenty seconds where nothing else runs. */
const BLOCK_LIMIT_MS = 120_000;

/** Programs of the reader's own. */
const READERS = [
  "migrate.sh",
  "first.sh",
  "second.sh",
  "publish.sh",
  "work.sh",
  "build.sh",
  "train.sh",
];

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
    // As much of a repository as git itself asks for.
    for (const part of ["objects", "refs"]) {
      await Deno.mkdir(`${folder.root}/.git/${part}`, { recursive: true });
    }
    await folder.write(".git/HEAD", "ref: refs/heads/main\n");
    for (const name of READERS) await reader.#program(name);
    await reader.#program("bin/make");
    // What compiling makes.
    await Deno.mkdir(`${folder.root}/dist`);
    await Deno.copyFile(PROGRAM, `${folder.root}/dist/lock_folder_util`);
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
  const lines = text.split("\n").filter((line) => !ELSEWHERES.test(line));
  const left = lines.join("\n").trim();
  if (INSIDE.test(left)) return `lock_folder_util run --slug inside -- sh -c '${left}'`;
  return STUCK.test(left) ? `mkdir .tmp/lock.lock\n${left}` : left;
}

const SECTIONS = Map.groupBy(
  BLOCKS.filter(({ language }) => language === "sh").filter((block) => runnable(block) !== ""),
  ({ heading }) => heading,
);
const HERD = "docs/commands.md: A herd of eight, and the check of its log";
/** They read from where releases are published. */
const INSTALLS = /install\.sh/;

/** A first reader has nothing yet; what is read alone must do alone. */
const MUST_MAKE_LOCK_FOLDER = [
  "README.md: Every day",
  "docs/commands.md: run",
  "docs/commands.md: acquire, renew, release",
];

// Some of them take ten seconds, most of it waiting: side by side.
test("the commands of the README and its pages run as they stand", async () => {
  assert(SECTIONS.size >= 15, `only ${SECTIONS.size} sections`);
  for (const heading of MUST_MAKE_LOCK_FOLDER) {
    assert(SECTIONS.get(heading)!.some(({ text }) => MAKES_LOCK_FOLDER.test(text)), heading);
  }
  const others = [...SECTIONS].filter(([heading, blocks]) =>
    heading !== HERD && !blocks.some(({ text }) => INSTALLS.test(text))
  );
  await Promise.all(others.map(async ([_heading, blocks]) => {
    await using reader = await Reader.make();
    if (!blocks.some(({ text }) => MAKES_LOCK_FOLDER.test(text))) await reader.makeLockFolder();
    for (const block of blocks) await reader.sh(runnable(block));
  }));
});

test("the herd of the documents passes its check of the log", async () => {
  await using reader = await Reader.make();
  const [herd, check] = BLOCKS.filter(({ heading }) => heading === HERD);
  assertEquals([herd?.language, check?.language], ["sh", "python"]);
  await reader.sh(herd!.text);
  assertEquals(
    await reader.python(check!.text),
    "acquired=8 released=8 gave_up=0, leaked=None\n",
  );
}, [PYTHON]);

const NEWEST = ["/latest/download/install.sh", "/latest/download/SHA256SUMS", "/latest/download"];
const TAGGED = [NEWEST[0]!, "/download/v0.1.0/SHA256SUMS", "/download/v0.1.0"];

/** What each page that installs asks of the place where releases are published. */
const ASKED: readonly (readonly [page: string, paths: readonly string[]])[] = [
  ["README.md", NEWEST],
  ["docs/install.md", [...NEWEST, ...TAGGED]],
  ["CONTRIBUTING.md", []],
];

for (const [page, asked] of ASKED) {
  test(`${page} installs what it says, and then goes on`, async () => {
    await using site = await ReleaseSite.make();
    await using reader = await Reader.make();
    const { root } = reader.folder;
    const release = `${root}/dist/release`;
    await Deno.mkdir(release, { recursive: true });
    for (const [name, content] of site.files) await Deno.writeFile(`${release}/${name}`, content);
    await Deno.copyFile(`${ROOT}/install.sh`, `${root}/install.sh`);
    const blocks = BLOCKS.filter(({ heading, text }) =>
      heading.startsWith(page) && INSTALLS.test(text)
    );
    assertEquals(blocks.length, 1);
    const text = runnable(blocks[0]!).replaceAll(PUBLISHED, site.address);
    const { out } = await reader.sh(text);
    const installed = `^Installed .* as ${root}/\\.local/bin/lock_folder_util$`;
    const times = out.match(new RegExp(installed, "gm"))?.length ?? 0;
    assertEquals(times, text.match(/install\.sh( \||( v[\d.]+)?( *#.*)?$)/gm)!.length, text);
    assertEquals(await reader.folder.read(".local/bin/lock_folder_util"), WORKING_PROGRAM);
    const from = site.asked.map((path) => path.replace(/\/lock_folder_util-.*/, ""));
    assertEquals(from, asked.map((path) => `/releases${path}`));
  }, [CURL]);
}

Deno.test("the pages say of releases what the workflow does with each", async () => {
  const workflow = await textOf(".github/workflows/release.yml");
  const install = await textOf("docs/install.md");
  for (
    const command of ["/latest/download/install.sh | sh", "/latest/download/install.ps1 | iex"]
  ) {
    assertStringIncludes(install, PUBLISHED + command);
    const tried = workflow.replaceAll('"', "");
    assertStringIncludes(tried, `$LOCK_FOLDER_UTIL_RELEASES${command}`);
  }
  assertStringIncludes(install, "gh attestation verify FILE");
  assertMatch(workflow, /attest-build-provenance@.*\n +with:\n +subject-path: release\/\*\n/);
});

test("the log that the README shows is what its command prints", async () => {
  const [command, ...log] = shown(/^\$ for /);
  await using reader = await Reader.make();
  await reader.makeLockFolder();
  const { out } = await reader.sh(command!.slice(2));
  assertEquals(eventsOf(out.trimEnd().split("\n")), eventsOf(log));
});

/** The lines of the block that begins so, or of a part of it, down to an empty line before the next command. */
function shown(beginning: RegExp): string[] {
  const parts = BLOCKS.filter(({ heading }) => heading.startsWith("README.md"))
    .flatMap(({ text }) => text.trimEnd().split(/\n\n(?=\$ )/));
  const part = parts.find((text) => beginning.test(text));
  assert(part, `nothing begins with ${beginning}`);
  return part.split("\n");
}

test("the report that the README shows is how that of its sample begins", async () => {
  const [command, ...lines] = shown(/^\$ lock_folder_util report/);
  await using reader = await Reader.make();
  const { out } = await reader.sh(command!.slice(2));
  assertEquals(out.split("\n").slice(0, lines.length), lines);
});

test("the status that the README shows has the lines that the program prints", async () => {
  const [, ...lines] = shown(/^\$ lock_folder_util status/);
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("agent-1");
  await using waiter = folder.start(["run", "--slug", "agent-2", "--", "true"]);
  await waiter.says(/waiting/);
  const { out } = await folder.run(["status"]);
  await holder.finish();
  await waiter.finish();
  assertEquals(lines.map(label), out.trimEnd().split("\n").map(label));
});

/** What stands before two spaces: a fact's name, a column, a place in line. */
function label(line: string): string {
  return line.split("  ")[0]!;
}

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

const PAGES = [
  ...PAGES_TO_RUN,
  "CHANGELOG.md",
  "docs/compare.md",
  "docs/flags.md",
  "docs/guarantees.md",
  "docs/json.md",
];

for (const page of PAGES) {
  Deno.test(`${page} names only tasks and pages that there are`, async () => {
    const text = await textOf(page);
    const folder = page.startsWith("docs/") ? `${ROOT}/docs` : ROOT;
    const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
    for (const [, task] of text.matchAll(/\btask ([a-z]+)\b/g)) {
      assert(task! in tasks, `there is no task ${task}`);
    }
    for (const [, path, , anchor] of text.matchAll(/\]\((?!https?:)([^)#]+)(#([^)]+))?\)/g)) {
      assert(await exists(`${folder}/${path}`), `there is no ${path}`);
      if (anchor !== undefined) {
        const headings = (await Deno.readTextFile(`${folder}/${path}`)).match(/^#+ .*$/gm)!;
        assert(headings.map(anchorOf).includes(anchor), `${path} has no section ${anchor}`);
      }
    }
    for (const [, path] of text.matchAll(/`((?:lib|tests|tools|examples)\/[\w/.]+)`/g)) {
      assert(await exists(`${ROOT}/${path}`), `there is no ${path}`);
    }
  });
}

/** As GitHub makes it. */
function anchorOf(heading: string): string {
  return heading.replace(/^#+ /, "").toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-");
}

/** The rows of the table that begins with this heading, cell by cell. */
function table(page: string, heading: string): string[][] {
  const start = new RegExp(`^\\| ${heading} +\\|.*\\n\\|[ -|]*\\n((?:\\|.*\\n)+)`, "m");
  const found = start.exec(page);
  assert(found, `there is no table of ${heading}`);
  return found[1]!.trimEnd().split("\n").map((row) => {
    return row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
  });
}

/** `group: command, command`, a line each. */
const GROUP_LINES = GROUPS.map((group) => {
  const names = COMMANDS.filter((command) => command.group === group).map(({ name }) => name);
  return `${group}: ${names.join(", ")}`;
});

Deno.test("the README has every command, and no other, in the groups of --help", () => {
  const lines: string[] = [];
  for (const [group, cell] of table(README, "to +\\| command")) {
    const name = /^`([a-z]+)/.exec(cell!)![1]!;
    if (group === "") lines.push(`${lines.pop()}, ${name}`);
    else lines.push(`${group}: ${name}`);
  }
  assertEquals(lines, GROUP_LINES);
});

Deno.test("docs/commands.md tells of every command, in the groups of --help", async () => {
  const page = await textOf("docs/commands.md");
  const rows = table(page, "to +\\| commands").map(([group, names]) =>
    `${group}: ${names!.replaceAll(/\[`(\w+)`\]\(#[\w-]+\)/g, "$1")}`
  );
  assertEquals(rows, GROUP_LINES);
  const own = COMMANDS.map(({ name }) => name);
  const headings = [...page.matchAll(/^## (.*)$/gm)].flatMap(([, title]) => title!.split(", "));
  assertEquals(headings.filter((title) => own.includes(title)), own);
});

Deno.test("docs/flags.md is what the command table makes of it", async () => {
  assertEquals(await textOf("docs/flags.md"), flagsPage(), "make it again: task flags");
});

Deno.test("the README's exit codes mean what the program says that they do", () => {
  const own = new Map(EXIT_WORDS);
  const rows = table(README, "code");
  for (const [code, meaning] of rows) {
    assertEquals(meaning!.replaceAll("`", ""), own.get(code!), code);
  }
  for (const code of [EXIT.gaveUp, EXIT.holdLost, EXIT.folderUnusable]) {
    assert(rows.some(([shown]) => shown === `${code}`), `${code} is not there`);
  }
});

Deno.test("every exit code has its words, and no other", () => {
  const codes = EXIT_WORDS.flatMap(([code]) => code.split(", ")).filter((code) => code !== "n");
  const numbers = codes.map(Number).sort((a, b) => a - b);
  assertEquals(numbers, Object.values(EXIT).sort((a, b) => a - b));
});

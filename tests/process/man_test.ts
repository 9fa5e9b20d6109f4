/** The manual page, checked by the programs that show it. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS, FLAGS } from "../../lib/cli/commands.ts";
import { ENVIRONMENT_WORDS } from "../../lib/cli/wording/help.ts";
import { pageDate } from "../../tools/man.ts";
import { manPage } from "../../tools/man_page.ts";
import { exists, LockFolder } from "./lock_folder.ts";
import { needProgram, test } from "./needs.ts";
import { type Outcome, runCommand } from "./program.ts";

const MAN = await needProgram("man", ["--version"]);
const MANDOC = await exists("/usr/bin/mandoc")
  ? { missing: null }
  : { missing: "there is no mandoc here" };
const GROFF = await needProgram("groff", ["--version"]);

const PAGE = manPage({ version: "1.2.3", date: "2026-08-22" });

async function show(program: string, ...args: string[]): Promise<Outcome> {
  await using folder = await LockFolder.make();
  await folder.write("page.1", PAGE);
  const env = { MANWIDTH: "200", LC_ALL: "C.UTF-8", MANROFFOPT: "", MAN_KEEP_FORMATTING: "" };
  return await runCommand(program, [...args, "page.1"], { cwd: folder.root, env });
}

test("the manual page shows every command, flag and variable in man", async () => {
  const { code, out, err } = await show("man", "--warnings", "--nh", "-l");
  assertEquals([code, err], [0, ""]);
  const text = out.replace(/.[\b]/g, "").replace(/\s+/g, " ");
  for (const { name, summary, details } of COMMANDS) {
    if (name === "help") continue;
    assertStringIncludes(text, ` ${name} ${summary} `);
    for (const line of details) assertStringIncludes(text, line.trim());
  }
  for (const { name, help } of FLAGS) {
    if (name === "verbose" || name === "version") continue;
    assertStringIncludes(text, `--${name} `);
    assertStringIncludes(text, help);
  }
  for (const [name] of ENVIRONMENT_WORDS) assertStringIncludes(text, ` ${name} `);
  assertStringIncludes(text, "lock_folder_util 1.2.3");
}, [MAN]);

test("mandoc finds nothing to warn of in the manual page", async () => {
  assertEquals(await show("mandoc", "-Tlint", "-Wwarning"), { code: 0, out: "", err: "" });
}, [MANDOC]);

test("groff finds nothing to warn of in the manual page", async () => {
  assertEquals(await show("groff", "-man", "-ww", "-z", "-Tutf8"), { code: 0, out: "", err: "" });
}, [GROFF]);

Deno.test("the manual page has its lines in full: none begins with a request by mistake", () => {
  const requests = new Set(PAGE.match(/^[.'][^\s]*/gm));
  assertEquals([...requests].sort(), [".SH", ".TH", ".TP", ".br", ".fi", ".nf"]);
  assertMatch(PAGE, /^[\x20-\x7e\n]*$/);
});

Deno.test("the page's date is the packager's, else today's", () => {
  assertEquals(pageDate("0", 1e12), "1970-01-01");
  assertEquals(pageDate(undefined, 1e12), "2001-09-09");
  assertEquals(pageDate("soon", 1e12), "2001-09-09");
});

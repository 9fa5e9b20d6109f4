/** `install.sh`, from a server with a made-up release: it installs the whole program or nothing. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { namesIn } from "./lock_folder.ts";
import { type Need, needProgram, POSIX, test } from "./needs.ts";
import { eventually, type Outcome, projectFolder } from "./program.ts";
import {
  findOnPath,
  type Flaws,
  Machine,
  ReleaseSite,
  VERSION_SAID,
  WORKING_PROGRAM,
} from "./release_site.ts";

const CURL = await needProgram("curl", ["--version"]);
const WGET = await needProgram("wget", ["--version"]);
const BUSYBOX = await needProgram("busybox", ["true"]);

/** What most tests fetch and compare with. */
const TOOLS = ["curl", "sha256sum", "shasum"];

const TARGET_DIR = ".local/bin";

/** Installs from a release with these flaws, on a machine with these programs. */
async function install(
  machine: Machine,
  flaws: Flaws = {},
  args: readonly string[] = [],
): Promise<Outcome & { readonly asked: readonly string[] }> {
  await using site = await ReleaseSite.make(flaws);
  const outcome = await machine.start({ LOCK_FOLDER_UTIL_RELEASES: site.address }, args).finish();
  return { ...outcome, asked: site.asked };
}

/** Nothing that was only needed meanwhile is there any more. */
async function assertTidy(machine: Machine): Promise<void> {
  assertEquals(await namesIn(machine.tmp), []);
}

async function assertInstalled(machine: Machine, folder = TARGET_DIR): Promise<void> {
  const program = `${machine.home}/${folder}/lock_folder_util`;
  assertEquals(await namesIn(`${machine.home}/${folder}`), ["lock_folder_util"]);
  assertEquals(await Deno.readTextFile(program), WORKING_PROGRAM);
  assertEquals((await Deno.stat(program)).mode! & 0o777, 0o755);
  await assertTidy(machine);
}

/** Not even a part of it, whether or not the folder has been made. */
async function assertNotInstalled(machine: Machine): Promise<void> {
  const names = await namesIn(`${machine.home}/${TARGET_DIR}`).catch(() => []);
  assertEquals(names, []);
  await assertTidy(machine);
}

async function assertFails(flaws: Flaws, says: string, tools = TOOLS): Promise<void> {
  await using machine = await Machine.make(tools);
  const { code, err } = await install(machine, flaws);
  assertEquals(code, 1, err);
  assertMatch(err, new RegExp(says));
  await assertNotInstalled(machine);
}

const SHELLS: readonly (readonly string[])[] = [
  ["sh"],
  ["dash"],
  ["busybox", "sh"],
  ["mksh"],
  ["yash"],
  ["posh"],
  ["bash", "--posix"],
  ["zsh", "--emulate", "sh"],
];

for (const [shell, ...args] of SHELLS) {
  const path = await findOnPath(shell!);
  const need: Need = { missing: path === null ? `there is no ${shell} here` : null };
  test(`install.sh installs in ${[shell, ...args].join(" ")}`, async () => {
    await using site = await ReleaseSite.make();
    await using machine = await Machine.make(TOOLS);
    const env = { LOCK_FOLDER_UTIL_RELEASES: site.address };
    const { code, out, err } = await machine.start(env, [], [path!, ...args]).finish();
    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, `Installed ${VERSION_SAID} as ${machine.home}/${TARGET_DIR}/lock_`);
    await assertInstalled(machine);
  }, [POSIX, CURL, need]);
}

const KITS: readonly (readonly [fetches: string, compares: string])[] = [
  ["curl", "sha256sum"],
  ["curl", "shasum"],
  ["wget", "sha256sum"],
  ["wget", "openssl"],
];

for (const kit of KITS) {
  const needs = await Promise.all(kit.map((tool) =>
    needProgram(tool, [
      tool === "openssl" ? "version" : "--version",
    ])
  ));
  test(`install.sh makes do with ${kit.join(" and ")}`, async () => {
    await using machine = await Machine.make(kit);
    assertEquals((await install(machine)).code, 0);
    await assertInstalled(machine);
  }, needs);
}

test("install.sh makes do with busybox alone", async () => {
  await using site = await ReleaseSite.make();
  await using machine = await Machine.make([]);
  const busybox = (await findOnPath("busybox"))!;
  for (
    const tool of "uname mktemp rm cp mv chmod mkdir tar gzip printf [ wget sha256sum".split(" ")
  ) await machine.put(tool, busybox);
  const env = { LOCK_FOLDER_UTIL_RELEASES: site.address };
  const { code, err } = await machine.start(env, [], [busybox, "sh"]).finish();
  assertEquals(code, 0, err);
  await assertInstalled(machine);
}, [BUSYBOX]);

test("install.sh takes the newest release, or the one that a tag names", async () => {
  for (const [args, path] of [[[], "latest/download"], [["v9.8.7"], "download/v9.8.7"]] as const) {
    await using machine = await Machine.make(TOOLS);
    await machine.pretend("Linux", "aarch64");
    const { asked } = await install(machine, {}, args);
    const archive = "lock_folder_util-aarch64-unknown-linux-gnu.tar.gz";
    assertEquals(asked, [`/releases/${path}/SHA256SUMS`, `/releases/${path}/${archive}`]);
    await assertInstalled(machine);
  }
}, [CURL]);

test("install.sh installs from a folder, whatever its name", async () => {
  await using site = await ReleaseSite.make();
  await using machine = await Machine.make(["sha256sum", "shasum"]);
  const releases = `${machine.folder.root}/it's 100% #1/dist`;
  const newest = `${releases}/latest/download`;
  await Deno.mkdir(newest, { recursive: true });
  for (const [name, content] of site.files) await Deno.writeFile(`${newest}/${name}`, content);
  const env = { LOCK_FOLDER_UTIL_RELEASES: `file://${releases}` };
  const { code, err } = await machine.start(env).finish();
  assertEquals([code, err], [0, ""]);
  await assertInstalled(machine);
});

test("install.sh reads the address of a folder as curl does, where it is written so", async () => {
  await using site = await ReleaseSite.make();
  await using machine = await Machine.make(TOOLS);
  const newest = `${machine.folder.root}/my dist/latest/download`;
  await Deno.mkdir(newest, { recursive: true });
  for (const [name, content] of site.files) await Deno.writeFile(`${newest}/${name}`, content);
  const env = { LOCK_FOLDER_UTIL_RELEASES: `file://${machine.folder.root}/my%20dist` };
  const { code, err } = await machine.start(env).finish();
  assertEquals([code, err], [0, ""]);
  await assertInstalled(machine);
}, [CURL]);

test("install.sh knows each system and processor by all its names", async () => {
  for (
    const [system, processor, target] of [
      ["Linux", "x86_64", "x86_64-unknown-linux-gnu"],
      ["Darwin", "arm64", "aarch64-apple-darwin"],
      ["Darwin", "x86_64", "x86_64-apple-darwin"],
      ["Linux", "amd64", "x86_64-unknown-linux-gnu"],
    ] as const
  ) {
    await using machine = await Machine.make(TOOLS);
    await machine.pretend(system, processor);
    const { asked } = await install(machine);
    assertEquals(asked.at(-1), `/releases/latest/download/lock_folder_util-${target}.tar.gz`);
    await assertInstalled(machine);
  }
}, [CURL]);

test("install.sh asks for nothing where there is no program for the machine", async () => {
  for (
    const [system, processor, says] of [
      ["SunOS", "x86_64", "there is no program for SunOS"],
      ["Linux", "riscv64", "there is no program for the processor riscv64"],
      ["MINGW64_NT-10.0", "x86_64", "use install.ps1"],
    ] as const
  ) {
    await using machine = await Machine.make(TOOLS);
    await machine.pretend(system, processor);
    const { code, err, asked } = await install(machine);
    assertEquals([code, asked], [1, []]);
    assertStringIncludes(err, says);
    await assertNotInstalled(machine);
  }
});

test(
  "install.sh takes the folder that INSTALL_DIR names, and says whether it is in PATH",
  async () => {
    await using site = await ReleaseSite.make();
    await using machine = await Machine.make(TOOLS);
    const folder = `${machine.home}/my own programs`;
    const env = { LOCK_FOLDER_UTIL_RELEASES: site.address, INSTALL_DIR: folder };
    assertStringIncludes((await machine.start(env).finish()).out, "is not in your PATH");
    await assertInstalled(machine, "my own programs");
    const path = `${machine.folder.root}/bin:${folder}`;
    const again = await machine.start({ ...env, PATH: path }).finish();
    assertEquals([again.code, again.out.includes("is not in your PATH")], [0, false]);
    await assertInstalled(machine, "my own programs");
  },
  [CURL],
);

test("install.sh leaves an earlier program alone until the new one is known to work", async () => {
  await using machine = await Machine.make(TOOLS);
  await Deno.mkdir(`${machine.home}/${TARGET_DIR}`, { recursive: true });
  const program = `${machine.home}/${TARGET_DIR}/lock_folder_util`;
  await Deno.writeTextFile(program, "earlier");
  const flaws: Flaws[] = [{ checksumIs: "wrong" }, { archiveIs: "missing" }, {
    program: "exit 1\n",
  }];
  for (const flaw of flaws) {
    assertEquals((await install(machine, flaw)).code, 1);
    assertEquals(await Deno.readTextFile(program), "earlier");
    assertEquals(await namesIn(`${machine.home}/${TARGET_DIR}`), ["lock_folder_util"]);
    await assertTidy(machine);
  }
  assertEquals((await install(machine)).code, 0);
  await assertInstalled(machine);
}, [CURL]);

test("install.sh refuses what has another checksum, or none", async () => {
  await assertFails({ checksumIs: "wrong" }, "should have 0{64}: nothing is installed");
  await assertFails({ checksumIs: "missing" }, "SHA256SUMS of that release does not name lock_");
  await assertFails({ archiveIs: "cut short" }, "nothing is installed");
}, [CURL]);

for (const [tool, need] of [["curl", CURL], ["wget", WGET]] as const) {
  test(`install.sh leaves nothing of what ${tool} could not fetch`, async () => {
    const tools = [tool, "sha256sum", "shasum"];
    await assertFails({ archiveIs: "missing" }, "cannot fetch http://127", tools);
    await assertFails({ archiveIs: "broken off" }, "cannot fetch http://127", tools);
  }, [need]);

  test(`install.sh leaves nothing when it is interrupted while ${tool} fetches`, async () => {
    await using site = await ReleaseSite.make({ archiveIs: "stuck" });
    await using machine = await Machine.make([tool, "sha256sum", "shasum"]);
    await using program = machine.start({ LOCK_FOLDER_UTIL_RELEASES: site.address });
    await eventually("the archive is asked for", () => site.asked.length === 2);
    Deno.kill(-program.pid, "SIGINT"); // as a terminal does: to all of them
    assertEquals((await program.finish()).code, 130);
    await assertNotInstalled(machine);
  }, [need]);
}

test("install.sh says which programs it lacks", async () => {
  await assertFails({}, "it takes curl or wget", ["sha256sum", "shasum"]);
  await assertFails({}, "it takes sha256sum, shasum or openssl", ["curl"]);
}, [CURL]);

test("install.sh does not install a program that does not run here", async () => {
  await assertFails({ program: "#!/no/such/loader\n" }, "glibc 2.27 or newer");
  await assertFails({ program: "#!/bin/sh\nexit 139\n" }, "glibc 2.27 or newer");
}, [CURL]);

test("install.sh says what is wrong with how it is called", async () => {
  await using machine = await Machine.make(TOOLS);
  const LOCK_FOLDER_UTIL_RELEASES = "http://127.0.0.1:9";
  for (
    const [env, args, says] of [
      [{}, [], "set LOCK_FOLDER_UTIL_RELEASES"],
      [{ LOCK_FOLDER_UTIL_RELEASES }, ["--help"], '"--help" is no tag'],
      [{ LOCK_FOLDER_UTIL_RELEASES }, ["../x"], '"../x" is no tag'],
      [{ LOCK_FOLDER_UTIL_RELEASES }, ["v1", "v2"], "usage: install.sh [TAG]"],
      [{ LOCK_FOLDER_UTIL_RELEASES, HOME: "" }, [], "HOME is not set"],
    ] as const
  ) {
    const { code, err } = await machine.start(env, args).finish();
    assertEquals(code, 1);
    assertStringIncludes(err, says);
  }
  await assertNotInstalled(machine);
});

test("install.sh comes through a pipe as well, and does nothing if that breaks", async () => {
  await using site = await ReleaseSite.make();
  await using machine = await Machine.make(TOOLS);
  const script = await Deno.readTextFile(`${projectFolder()}/install.sh`);
  const env = { LOCK_FOLDER_UTIL_RELEASES: site.address };
  const pipe = (stdin: string) => machine.start(env, ["v9.8.7"], ["/bin/sh"], { stdin }).finish();
  for (const part of [0.3, 0.6, 0.9, 0.99]) await pipe(script.slice(0, script.length * part));
  assertEquals(site.asked, []);
  await assertNotInstalled(machine);
  assertEquals((await pipe(script)).code, 0);
  await assertInstalled(machine);
}, [CURL]);

/** A whole release, made from programs that are made up. */

import {
  assert,
  assertArrayIncludes,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { checkTree, readArgs } from "../../tools/release.ts";
import {
  archiveName,
  pickTargets,
  stampInstaller,
  type Target,
  TARGETS,
} from "../../tools/release_targets.ts";
import { makeRelease, PAPERS, type Release, type Workshop } from "../../tools/release_work.ts";
import { projectFolder } from "../process/program.ts";

const VERSION = "1.2.3";
const RELEASES = "https://example.org/owner/project/releases";

const RELEASE: Release = {
  version: VERSION,
  targets: TARGETS,
  timeSeconds: 1787439952,
  releases: RELEASES,
};

class MadeUpWorkshop implements Workshop {
  readonly kept = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly told: string[] = [];
  versionSaid = `lock_folder_util ${VERSION}\ndeno 2.6.10\n`;

  source(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return Deno.readFile(`${projectFolder()}/${path}`);
  }
  runBundle(args: readonly string[]): Promise<string> {
    return Promise.resolve(`# ${args.join(" ")}\n`);
  }
  compile(target: Target): Promise<Uint8Array<ArrayBuffer>> {
    return Promise.resolve(new TextEncoder().encode(`program for ${target.triple}`));
  }
  runCompiled(target: Target): Promise<string | null> {
    return Promise.resolve(target === TARGETS[0] ? this.versionSaid : null);
  }
  runtimeNote({ triple }: Target, said: string | null): string {
    return `run-time of ${triple}: ${said}`;
  }
  keep(name: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
    this.kept.set(name, content);
    return Promise.resolve();
  }
  tell(line: string): void {
    this.told.push(line);
  }
  text(name: string): string {
    return new TextDecoder().decode(this.kept.get(name));
  }
}

Deno.test("a release has an archive for each target, the installers, and the checksums of all", async () => {
  const workshop = new MadeUpWorkshop();
  await makeRelease(RELEASE, workshop);
  const names = [...TARGETS.map(archiveName), "install.ps1", "install.sh"].sort();
  assertEquals([...workshop.kept.keys()].sort(), ["SHA256SUMS", ...names]);
  const lines = workshop.text("SHA256SUMS").trimEnd().split("\n");
  assertEquals(lines.map((line) => line.slice(66)), names);
  for (const line of lines) {
    const content = workshop.kept.get(line.slice(66))!;
    const digest = await crypto.subtle.digest("SHA-256", content);
    assertEquals(line.slice(0, 66), `${new Uint8Array(digest).toHex()}  `);
  }
});

Deno.test("a release of the same commit has the same bytes", async () => {
  const [first, second] = [new MadeUpWorkshop(), new MadeUpWorkshop()];
  await makeRelease(RELEASE, first);
  await makeRelease(RELEASE, second);
  assertEquals(second.kept, first.kept);
});

Deno.test("an archive has the program, the papers and completions for every shell", async () => {
  const workshop = new MadeUpWorkshop();
  await makeRelease({ ...RELEASE, targets: [TARGETS[4]!] }, workshop);
  const archive = new TextDecoder("latin1").decode(workshop.kept.get(archiveName(TARGETS[4]!)));
  const paths = archive.match(/lock_folder_util-x86_64-pc-windows-msvc\/[\w./-]+(?=PK)/g);
  assertEquals(
    paths?.map((path) => path.slice(path.indexOf("/") + 1)),
    [
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "PROTOCOL.md",
      "README.md",
      "bench/RESULTS.md",
      "completions/_lock_folder_util",
      "completions/lock_folder_util.bash",
      "completions/lock_folder_util.fish",
      "completions/lock_folder_util.ps1",
      ...PAPERS.filter((path) => /^(docs|examples)/.test(path)),
      "lock_folder_util.1",
      "lock_folder_util.exe",
    ],
  );
});

Deno.test("every link of the README and its pages leads to a paper of the archive", async () => {
  const pages = PAPERS.filter((path) => path.endsWith(".md") && !path.startsWith("CONTRIBUTING"));
  const missing: string[] = [];
  let links = 0;
  for (const page of pages) {
    const text = await Deno.readTextFile(`${projectFolder()}/${page}`);
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      links++;
      const path = new URL(target!, `file:///${page}`).pathname.slice(1);
      if (!PAPERS.includes(path)) missing.push(`${page} links to ${path}`);
    }
  }
  assertEquals(missing, []);
  assert(links >= 20, `${links} links found: they are looked for in the wrong way`);
});

Deno.test("a program of another version stops the release", async () => {
  const workshop = new MadeUpWorkshop();
  workshop.versionSaid = "lock_folder_util 1.2.4\n";
  await assertRejects(
    () => makeRelease(RELEASE, workshop),
    Error,
    'The program for x86_64-unknown-linux-gnu is wrong: --version says "lock_folder_',
  );
  assertEquals([...workshop.kept], []);
});

Deno.test("what could not be run here is told", async () => {
  const workshop = new MadeUpWorkshop();
  await makeRelease(RELEASE, workshop);
  const told = workshop.told.filter((line) => line.includes("cannot be run here"));
  assertEquals(told.length, TARGETS.length - 1);
});

Deno.test("of each program the run-time is told, by its own words where it runs here", async () => {
  const workshop = new MadeUpWorkshop();
  await makeRelease(RELEASE, workshop);
  const [first, second] = TARGETS.map(({ triple }) => triple);
  assertArrayIncludes(workshop.told, [
    `${first}: run-time of ${first}: ${workshop.versionSaid}`,
    `${second}: run-time of ${second}: null`,
  ]);
});

Deno.test("the installers of a release know its address, those of the source tree none", async () => {
  const [published, local] = [new MadeUpWorkshop(), new MadeUpWorkshop()];
  await makeRelease(RELEASE, published);
  await makeRelease({ ...RELEASE, releases: null }, local);
  assertStringIncludes(published.text("install.sh"), `\nreleases='${RELEASES}'\n`);
  assertStringIncludes(published.text("install.ps1"), `\n    $releases = '${RELEASES}'\n`);
  for (const name of ["install.sh", "install.ps1"]) {
    assertEquals(local.kept.get(name), await local.source(name));
  }
});

Deno.test("stampInstaller() writes no address that a shell could take for more", () => {
  for (const bad of ["http://example.org", "https://a/'; rm -rf ~ #", "https://a/$(b)", ""]) {
    assertThrows(() => stampInstaller("releases=''\n", bad), Error, "No plain https address");
  }
  assertThrows(() => stampInstaller("#!/bin/sh\n", RELEASES), Error, "no line for");
});

Deno.test("pickTargets() takes names that there are, and all for none", () => {
  assertEquals(pickTargets([]), TARGETS);
  assertEquals(pickTargets(["x86_64-apple-darwin"]), [TARGETS[2]!]);
  assertThrows(() => pickTargets(["sparc-sun-solaris"]), Error, 'no target "sparc-sun-solaris"');
});

Deno.test("readArgs() reads what is asked for", () => {
  const nothing = { tag: null, releases: null, denort: null };
  assertEquals(readArgs([], undefined), { ...nothing, targets: TARGETS });
  const two = ["--target", "x86_64-apple-darwin", "--target=aarch64-apple-darwin"];
  assertEquals(readArgs(two, undefined).targets, [TARGETS[2]!, TARGETS[3]!]);
  const one = two.slice(0, 2);
  assertEquals(readArgs([...one, "--denort", "/d"], "/e").denort, "/d");
  assertEquals(readArgs(one, "/e").denort, "/e");
  assertEquals(readArgs(["--tag", "v1"], undefined).tag, "v1");
});

Deno.test("readArgs() refuses what it does not know, and one denort for several machines", () => {
  assertThrows(() => readArgs(["--traget", "x"], undefined), Error, "it knows no --traget");
  assertThrows(() => readArgs(["x"], undefined), Error, "it knows no x");
  assertThrows(() => readArgs(["--tag="], undefined), Error, "--tag needs a value");
  assertThrows(() => readArgs(["--denort", "/d"], undefined), Error, "fits one machine");
  assertThrows(() => readArgs([], "/d"), Error, "fits one machine");
});

Deno.test("checkTree() wants a commit without changes, and the version's own tag", () => {
  checkTree("", null, VERSION);
  checkTree("\n", "v1.2.3", VERSION);
  assertThrows(() => checkTree(" M main.ts\n", null, VERSION), Error, "M main.ts");
  assertThrows(() => checkTree("", "v1.2.4", VERSION), Error, "The tag is v1.2.4, but");
});

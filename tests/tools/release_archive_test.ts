import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { type Entry, tarGz, zip } from "../../tools/release_archive.ts";
import { LockFolder } from "../process/lock_folder.ts";
import { needProgram, test } from "../process/needs.ts";
import { runCommand } from "../process/program.ts";

/** 2026-08-22 23:05:52 UTC. */
const TIME_SECONDS = 1787439952;

const ENTRIES: readonly Entry[] = [
  { path: "p/program", content: bytes("#!/bin/sh\necho it runs\n"), executable: true },
  { path: "p/a/empty", content: bytes(""), executable: false },
  // Exactly one block of a tar, and something that can be compressed.
  { path: "p/README.md", content: bytes("lock ".repeat(103).slice(0, 512)), executable: false },
];

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

for (const [name, pack] of [["tarGz", tarGz], ["zip", zip]] as const) {
  Deno.test(`${name}() gives the same bytes whatever the order, and others for another time`, () => {
    const archive = pack(ENTRIES, TIME_SECONDS);
    assertEquals(pack([...ENTRIES].reverse(), TIME_SECONDS), archive);
    assertNotEquals(pack(ENTRIES, TIME_SECONDS + 2), archive);
  });

  Deno.test(`${name}() refuses a path that it cannot hold`, () => {
    for (const path of ["", "a b", "ü", "x".repeat(101)]) {
      const entry = { path, content: bytes(""), executable: false };
      assertThrows(() => pack([entry], TIME_SECONDS), Error, "cannot go into an archive");
    }
  });
}

Deno.test("tarGz() says neither when nor on what it was compressed", () => {
  const archive = tarGz(ENTRIES, TIME_SECONDS);
  assertEquals([...archive.slice(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
});

Deno.test("zip() refuses a time before its first year", () => {
  assertThrows(() => zip(ENTRIES, 0), Error, "date not in range 1980-2099");
});

test("tar unpacks a tarGz(), with modes and times", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeFile(`${folder.root}/a.tar.gz`, tarGz(ENTRIES, TIME_SECONDS));
  const unpacked = await runCommand("tar", ["-xzf", "a.tar.gz"], { cwd: folder.root });
  assertEquals(unpacked, { code: 0, out: "", err: "" });
  await assertUnpacked(folder.root);
}, [await needProgram("tar", ["--version"])]);

test("unzip unpacks a zip() without a complaint, with modes and times", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeFile(`${folder.root}/a.zip`, zip(ENTRIES, TIME_SECONDS));
  const place = { cwd: folder.root, env: { TZ: "UTC" } };
  assertEquals((await runCommand("unzip", ["-tq", "a.zip"], place)).code, 0);
  const unpacked = await runCommand("unzip", ["-q", "a.zip"], place);
  assertEquals(unpacked, { code: 0, out: "", err: "" });
  await assertUnpacked(folder.root);
}, [await needProgram("unzip", ["-v"])]);

async function assertUnpacked(root: string): Promise<void> {
  for (const { path, content, executable } of ENTRIES) {
    assertEquals(await Deno.readFile(`${root}/${path}`), content);
    const { mode, mtime } = await Deno.stat(`${root}/${path}`);
    assertEquals((mode! & 0o111) !== 0, executable, path);
    assertEquals(mtime!.getTime(), TIME_SECONDS * 1000, path);
  }
  const { out } = await runCommand(`${root}/p/program`, []);
  assertEquals(out, "it runs\n");
}

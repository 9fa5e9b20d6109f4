import {
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { LockFolder } from "../process/lock_folder.ts";
import { test } from "../process/needs.ts";
import { projectFolder, runCommand } from "../process/program.ts";
import { bundleArgs, compileArgs, programName } from "../../tools/build.ts";
import { readArgs } from "../../tools/compile.ts";
import { denoFolders } from "../../tools/deno_command.ts";
import { noDenortMessage, releasePath, runtimeNote } from "../../tools/denort.ts";
import { cutPayload, unfit } from "../../tools/stand_in_denort.ts";
import { checksumOf, stampOf } from "../../tools/test_binary.ts";

/** A proxy that nobody listens at. */
const OFFLINE = { HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" };

function compiledProgram(denort: number[], payload: number[]): Uint8Array<ArrayBuffer> {
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(payload.length + length.length), true);
  return new Uint8Array([...denort, ...payload, ...length]);
}

Deno.test("cutPayload() leaves the run-time alone", () => {
  assertEquals(cutPayload(compiledProgram([1, 2, 3], [9, 9])), new Uint8Array([1, 2, 3]));
});

Deno.test("cutPayload() refuses what is no compiled program", () => {
  assertThrows(() => cutPayload(new Uint8Array(3)), Error, "Not a compiled program");
  assertThrows(() => cutPayload(new Uint8Array(16)), Error, "payload of 0 in 16");
  assertThrows(() => cutPayload(new Uint8Array(16).fill(255)), Error, "Not a compiled program");
});

Deno.test("unfit() names the reason why the stand-in cannot be used", () => {
  assertEquals(unfit("2.8.3", "x86_64-unknown-linux-gnu"), undefined);
  assertEquals(unfit("2.9.6", "x86_64-unknown-linux-gnu"), "it does not work with Deno 2.9.6");
  assertEquals(unfit("3.0.0", "x86_64-unknown-linux-gnu"), "it does not work with Deno 3.0.0");
  assertEquals(unfit("2.8.3", "aarch64-apple-darwin"), "there is none for aarch64-apple-darwin");
});

Deno.test("compileArgs() give a program that never prompts and trusts no code cache", () => {
  const args = compileArgs("main.js", "program", "aarch64-apple-darwin");
  for (const flag of ["--allow-all", "--no-prompt", "--no-code-cache"]) {
    assertEquals(args.filter((arg) => arg === flag), [flag]);
  }
  assertEquals(args.slice(-5), [
    "--target",
    "aarch64-apple-darwin",
    "--output",
    "program",
    "main.js",
  ]);
});

Deno.test("bundleArgs() minify, and keep no names, which would cost each start a millisecond", () => {
  const args = bundleArgs("main.ts", "out");
  assertEquals([args.includes("--minify"), args.includes("--keep-names")], [true, false]);
});

Deno.test("programName() has an ending on Windows only", () => {
  assertEquals(programName("windows"), "lock_folder_util.exe");
  assertEquals(programName("darwin"), "lock_folder_util");
});

Deno.test("releasePath() names version and machine", () => {
  assertEquals(
    releasePath("2.8.3", "x86_64-apple-darwin"),
    "release/v2.8.3/denort-x86_64-apple-darwin.zip",
  );
});

Deno.test("noDenortMessage() is one line that says what to do, and with which file", () => {
  assertEquals(noDenortMessage("2.8.3").includes("\n"), false);
  assertStringIncludes(noDenortMessage("2.8.3"), "DENORT_BIN to a denort file that you have, of ");
});

Deno.test("compile knows one flag, and refuses what is none", () => {
  assertEquals(readArgs([]), { ifPossible: false });
  assertEquals(readArgs(["--if-possible"]), { ifPossible: true });
  for (const word of ["--if-posible", "x"]) {
    assertThrows(() => readArgs([word]), Error, `it knows no ${word}, only --if-possible`);
  }
});

test("compile without a run-time fails, or skips with a word if it is told to", async () => {
  await using folder = await LockFolder.make();
  await Deno.symlink(`${(await denoFolders()).denoDir}/npm`, `${folder.root}/npm`);
  const compile = (...args: string[]) =>
    runCommand(Deno.execPath(), ["run", "-A", "tools/compile.ts", ...args], {
      cwd: projectFolder(),
      env: { ...OFFLINE, DENO_DIR: folder.root, PATH: Deno.env.get("PATH") ?? "" },
      onlyThisEnv: true,
    });
  const message = noDenortMessage(Deno.version.deno);
  assertEquals(await compile(), { code: 69, out: "", err: `compile: ${message}\n` });
  assertEquals(await compile("--if-possible"), {
    code: 0,
    out: `skipped: compile: ${message}\n`,
    err: "",
  });
});

Deno.test("checksumOf() changes with a path, a text and a version", async () => {
  const one = await checksumOf([["a", "b"]], ["2.8.3"]);
  assertEquals(one, await checksumOf([["a", "b"]], ["2.8.3"]));
  assertNotEquals(one, await checksumOf([["ab", ""]], ["2.8.3"]));
  assertNotEquals(one, await checksumOf([["a", "c"]], ["2.8.3"]));
  assertNotEquals(one, await checksumOf([["a", "b"]], ["2.9.0"]));
});

Deno.test("stampOf() fits one program only", () => {
  const stamp = stampOf("abc", { size: 1, mtime: new Date(5) });
  assertEquals(stamp, "abc 1 5\n");
  assertNotEquals(stamp, stampOf("abc", { size: 1, mtime: new Date(6) }));
});

Deno.test("test_binary names the program that it made or found up to date", async () => {
  const make = () =>
    runCommand(Deno.execPath(), ["run", "-A", "tools/test_binary.ts"], { cwd: projectFolder() });
  const { code, out, err } = await make();
  assertEquals(code, 0, err);
  assertMatch(out, /^\S.*\/test-binary\/lock_folder_util(\.exe)?( is up to date)?\n$/);
  assertMatch((await make()).out, / is up to date\n$/);
});

Deno.test("runtimeNote() says which run-time a program has, by its own words, and which Deno compiled it", () => {
  const said = "lock_folder_util 0.1.0\ndeno 2.6.10\n";
  const denort = { kind: "file", path: "/d/denort" } as const;
  assertEquals(
    runtimeNote(said, denort, "2.8.3"),
    "the program's run-time is Deno 2.6.10, that of /d/denort; it was compiled by Deno 2.8.3",
  );
  assertStringIncludes(
    runtimeNote(null, denort, "2.8.3"),
    "Deno of an unknown version, that of /d",
  );
  const own = "the program's run-time is Deno 2.8.3, by which it was compiled";
  assertEquals(runtimeNote("deno 2.8.3\n", { kind: "own" }, "2.8.3"), own);
  assertEquals(runtimeNote(null, { kind: "own" }, "2.8.3"), own);
});

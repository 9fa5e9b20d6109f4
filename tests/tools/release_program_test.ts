import { assertEquals } from "@std/assert";
import { problemsOf } from "../../tools/release_program.ts";
import { type Target, TARGETS } from "../../tools/release_targets.ts";
import { test } from "../process/needs.ts";
import { PROGRAM, projectFolder } from "../process/program.ts";
import { madeUpProgram, METADATA } from "./made_up_program.ts";

const MODULES = 'var json={version:"1.2.3",license:"MIT"};';
const LINUX = TARGETS[0]!;

function problems(program: Uint8Array<ArrayBuffer>, target: Target = LINUX): string[] {
  return problemsOf(program, { target, version: "1.2.3", folders: ["/home/builder"] });
}

function problemsWith(change: Readonly<Record<string, unknown>>): string[] {
  return problems(madeUpProgram(LINUX, { ...METADATA, ...change }, MODULES));
}

Deno.test("problemsOf() finds none in what a release is made of, for any target", () => {
  for (const target of TARGETS) {
    assertEquals(problems(madeUpProgram(target, METADATA, MODULES), target), []);
  }
});

Deno.test("problemsOf() finds a program for another machine", () => {
  for (const made of TARGETS) {
    for (const wanted of TARGETS) {
      const found = problems(madeUpProgram(made, METADATA, MODULES), wanted);
      const wrong = made === wanted ? [] : [`it is no program for ${wanted.triple}`];
      assertEquals(found, wrong);
    }
  }
});

Deno.test("problemsOf() finds that a permission is missing, or narrowed", () => {
  const { permissions } = METADATA;
  const without = (change: Readonly<Record<string, unknown>>) =>
    problemsWith({ permissions: { ...permissions, ...change } });
  assertEquals(without({ allow_read: null }), ["it has no full allow_read"]);
  assertEquals(without({ allow_read: ["/tmp"] }), ["it has no full allow_read"]);
  assertEquals(without({ allow_run: undefined }), ["it has no full allow_run"]);
  assertEquals(without({ allow_novelty: null }), ["it has no full allow_novelty"]);
  assertEquals(without({ deny_env: [] }), ["it has a deny_env"]);
  assertEquals(without({ ignore_env: ["A"] }), ["it has a ignore_env"]);
  assertEquals(without({ prompt: true }), ["it would prompt"]);
  assertEquals(problemsWith({ permissions: undefined }).length, 9);
});

Deno.test("problemsOf() finds everything else that must not be baked in", () => {
  assertEquals(problemsWith({ code_cache_key: 1 }), ["it has a code cache"]);
  assertEquals(problemsWith({ code_cache_key: undefined }), ["it has a code cache"]);
  assertEquals(problemsWith({ argv: ["--force"] }), ["it has arguments of its own"]);
  assertEquals(problemsWith({ entrypoint_key: "x.js" }), ["it does not start with main.js"]);
  assertEquals(problemsWith({ env_vars_from_env_file: { A: "1" } }), [
    "it has environment variables of its own",
  ]);
  assertEquals(problemsWith({ unsafely_ignore_certificate_errors: [] }), [
    "it ignores certificate errors",
  ]);
});

Deno.test("problemsOf() finds another version and the builder's folders", () => {
  const made = (modules: string) => problems(madeUpProgram(LINUX, METADATA, modules));
  assertEquals(made('{version:"1.2.30"}'), ["it does not carry the version 1.2.3"]);
  assertEquals(made(`${MODULES}// /home/builder/x.ts`), [
    "it names the builder's folder /home/builder",
  ]);
});

Deno.test("problemsOf() finds that a file is no compiled program", () => {
  const nothing = ["it is no program for x86_64-unknown-linux-gnu", "nothing is baked into it"];
  assertEquals(problems(new Uint8Array(0)), nothing);
  assertEquals(problems(new Uint8Array(99)), nothing);
  const whole = madeUpProgram(LINUX, METADATA, MODULES);
  assertEquals(problems(whole.slice(0, 400)), ["nothing is baked into it"]);
});

test("problemsOf() finds none in the program that the tests run", async () => {
  const target = TARGETS.find(({ triple }) => triple === Deno.build.target)!;
  const { version } = JSON.parse(await Deno.readTextFile(`${projectFolder()}/deno.json`));
  const expected = { target, version, folders: [projectFolder()] };
  assertEquals(problemsOf(await Deno.readFile(PROGRAM), expected), []);
}, [{
  missing: TARGETS.some(({ triple }) => triple === Deno.build.target)
    ? null
    : "no release is made for this machine",
}]);

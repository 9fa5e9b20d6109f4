import { assertEquals } from "@std/assert";
import { importsOf, withoutComments } from "../../tools/code_text.ts";
import { resolveSpecifier, violationsIn } from "../../tools/layer_rules.ts";

function messages(path: string, text: string): string[] {
  return violationsIn(path, text).map(({ line, message }) => `${line}: ${message}`);
}

function assertAllowed(path: string, text: string): void {
  assertEquals(messages(path, text), []);
}

Deno.test("violationsIn() lets every subject import what lies below it", () => {
  assertAllowed("lib/folder/verdict/verdict.ts", `import { Slug } from "../../words/slugs.ts";`);
  assertAllowed("lib/report/text.ts", `import { History } from "../log/history.ts";`);
  assertAllowed("lib/sys/deno/a.ts", `import fs from "node:fs";\nimport "../faults.ts";`);
  assertAllowed("lib/folder/hold.ts", `import type { Sys } from "../sys/sys.ts";`);
  assertAllowed("lib/folder/hold.ts", `import { FileFault } from "../sys/faults.ts";`);
  assertAllowed("lib/cli/run.ts", `import { type Sys } from "../sys/sys.ts";`);
  assertAllowed("lib/cli/args.ts", `import { parseArgs } from "@std/cli/parse-args";`);
  assertAllowed(
    "lib/cli/version.ts",
    `import config from "../../deno.json" with { type: "json" };`,
  );
  assertAllowed("lib/mod.ts", `export { a } from "./folder/acquire.ts";\nimport "./sys/a.ts";`);
  assertAllowed("main.ts", `import { cli } from "./lib/cli/cli.ts";\nDeno.exit(0);`);
});

Deno.test("violationsIn() refuses an import of a subject above", () => {
  assertEquals(messages("lib/words/a.ts", `import { x } from "../lock/x.ts";`), [
    "1: lib/words/ may not import lib/lock/x.ts",
  ]);
  assertEquals(messages("lib/report/a.ts", `import type { Sys } from "../sys/sys.ts";`), [
    "1: lib/report/ may not import lib/sys/sys.ts",
  ]);
  assertEquals(messages("lib/sys/a.ts", `\nexport * from "../cli/x.ts";`), [
    "2: lib/sys/ may not import lib/cli/x.ts",
  ]);
  assertEquals(messages("lib/folder/a.ts", `const x = await import("../../main.ts");`), [
    "1: lib/folder/ may not import main.ts",
  ]);
  assertEquals(messages("lib/log/a.ts", `import { assert } from "@std/assert";`), [
    "1: lib/log/ may not import @std/assert",
  ]);
  assertEquals(messages("lib/mod.ts", `import { x } from "./report/x.ts";`), [
    "1: lib/mod.ts may not import lib/report/x.ts",
  ]);
});

Deno.test("violationsIn() lets folder and cli see the system as types only", () => {
  assertEquals(messages("lib/folder/a.ts", `import { Sys } from "../sys/sys.ts";`), [
    "1: lib/folder/ may import lib/sys/sys.ts with `import type` only",
  ]);
  assertEquals(messages("lib/cli/a.ts", `import { type A, b } from "../sys/sys.ts";`), [
    "1: lib/cli/ may import lib/sys/sys.ts with `import type` only",
  ]);
  assertEquals(messages("lib/folder/a.ts", `import type { A } from "../sys/deno/sys.ts";`), [
    "1: lib/folder/ may not import lib/sys/deno/sys.ts",
  ]);
});

Deno.test("violationsIn() refuses a file of lib outside the layers", () => {
  assertEquals(messages("lib/extra/a.ts", ""), ["1: belongs to no layer"]);
});

Deno.test("violationsIn() keeps the system behind lib/sys", () => {
  const accesses = [
    [`Deno.exit(1)`, "Deno"],
    [`const { pid } = Deno;`, "Deno"],
    [`Date.now()`, "Date.now"],
    [`new Date()`, "new Date() without arguments"],
    [`new Date;`, "new Date() without arguments"],
    [`Math.random()`, "Math.random"],
    [`crypto.randomUUID()`, "crypto's random numbers"],
    [`performance.now()`, "performance.now"],
    [`setTimeout(f, 1)`, "setTimeout"],
    [`console.error("x")`, "console"],
  ] as const;
  for (const [code, name] of accesses) {
    assertEquals(messages("lib/lock/a.ts", code), [`1: ${name} is for lib/sys and main.ts only`]);
    assertAllowed("lib/sys/a.ts", code);
    assertAllowed("main.ts", code);
    assertAllowed("tests/unit/a_test.ts", code);
  }
  assertAllowed("lib/words/a.ts", `new Date(atMs).toISOString(); const s = "Deno 2";`);
});

Deno.test("violationsIn() does not mind what comments mention", () => {
  assertAllowed(
    "lib/lock/a.ts",
    `/** Not \`Deno.mkdir\`,\n * never recursive: true */\n// Date.now`,
  );
  assertEquals(messages("lib/lock/a.ts", `/* a */ const u = "http://x"; Date.now();`), [
    "1: Date.now is for lib/sys and main.ts only",
  ]);
});

Deno.test("violationsIn() refuses recursive folders everywhere in lib, sys included", () => {
  assertEquals(messages("lib/sys/a.ts", `\nDeno.mkdir(p, { recursive: true })`), [
    "2: recursive: true must not appear in lib: it could hide that a lock is held",
  ]);
  assertEquals(messages("lib/sys/a.ts", `ensureDirSync(p)`), [
    "1: ensureDir must not appear in lib: it could hide that a lock is held",
  ]);
  assertAllowed("tools/a.ts", `Deno.mkdir(p, { recursive: true })`);
});

Deno.test("violationsIn() refuses more than 300 lines in lib", () => {
  assertAllowed("lib/words/a.ts", "x;\n".repeat(300));
  assertEquals(messages("lib/words/a.ts", "x;\n".repeat(301)), [
    "301: 301 lines; 300 are the most",
  ]);
  assertAllowed("tests/unit/a_test.ts", "x;\n".repeat(301));
});

Deno.test("violationsIn() refuses names that say nothing", () => {
  assertEquals(messages("tests/helpers/a.ts", ""), [`1: the name "helpers" says nothing`]);
  assertEquals(messages("tools/test_utils.ts", ""), [`1: the name "utils" says nothing`]);
  assertAllowed("lib/words/lock_folder_util.ts", "");
});

Deno.test("importsOf() finds every form of import", () => {
  const code = [
    `import a from "./a.ts";`,
    `import {`,
    `  b,`,
    `  type C,`,
    `} from './b.ts';`,
    `import type D from "./d.ts";`,
    `export { type E } from "./e.ts";`,
    `import "./f.ts";`,
    `export const text = await import("./g.ts");`,
    `export const from = "./not.ts";`,
  ].join("\n");
  assertEquals(
    importsOf(code).map(({ specifier, typeOnly, line }) => [specifier, typeOnly, line]),
    [
      ["./a.ts", false, 1],
      ["./b.ts", false, 2],
      ["./d.ts", true, 6],
      ["./e.ts", true, 7],
      ["./f.ts", false, 8],
      ["./g.ts", false, 9],
    ],
  );
});

Deno.test("withoutComments() leaves alone what only looks like a comment", () => {
  for (const code of [`"// a"`, `'/* a */'`, "`// ${a}`", `x = /["'\`]\\/\\//;`, `a / b / c`]) {
    assertEquals(withoutComments(code), code);
  }
  assertEquals(withoutComments(`a /* b\nc */ d // e\nf`), `a     \n     d     \nf`);
  assertEquals(withoutComments(`x = /"/; // c`), `x = /"/;     `);
});

Deno.test("resolveSpecifier() leads relative imports to paths in the project", () => {
  assertEquals(resolveSpecifier("lib/lock/a.ts", "../words/b.ts"), "lib/words/b.ts");
  assertEquals(resolveSpecifier("lib/lock/a.ts", "./b.ts"), "lib/lock/b.ts");
  assertEquals(resolveSpecifier("lib/lock/a.ts", "@std/assert"), "@std/assert");
  assertEquals(resolveSpecifier("lib/lock/a.ts", "node:fs"), "node:fs");
});

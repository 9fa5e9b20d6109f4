import { assertEquals } from "@std/assert";
import houseRules from "../../tools/house_rules.ts";
import { filesBelow, projectFolder } from "../../tools/project.ts";

/** What the rules say of a file, each with its line. */
function messages(path: string, text: string): string[] {
  return Deno.lint.runPlugin(houseRules, path, text)
    .map(({ range, message }) => `${text.slice(0, range[0]).split("\n").length}: ${message}`);
}

function assertAllowed(path: string, text: string): void {
  assertEquals(messages(path, text), []);
}

Deno.test("the house rules let every subject import what lies below it", () => {
  assertAllowed("lib/folder/verdict/judge.ts", `import { Slug } from "../../words/slugs.ts";`);
  assertAllowed("lib/report/text.ts", `import { History } from "../log/history.ts";`);
  assertAllowed("lib/sys/deno/a.ts", `import fs from "node:fs";\nimport "../faults.ts";`);
  assertAllowed("lib/folder/hold.ts", `import type { Sys } from "../sys/sys.ts";`);
  assertAllowed("lib/folder/hold.ts", `import { FileFault } from "../sys/faults.ts";`);
  assertAllowed("lib/cli/run.ts", `import { type Sys } from "../sys/sys.ts";`);
  assertAllowed("lib/cli/args.ts", `import { parseArgs } from "@std/cli/parse-args";`);
  assertAllowed(
    "lib/cli/cli.ts",
    `import config from "../../deno.json" with { type: "json" };`,
  );
  assertAllowed("lib/mod.ts", `export { a } from "./folder/acquire.ts";\nimport "./sys/a.ts";`);
  assertAllowed("main.ts", `import { cli } from "./lib/cli/cli.ts";\nDeno.exit(0);`);
});

Deno.test("the house rules refuse an import of a subject above", () => {
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

Deno.test("the house rules let one file of the command line alone choose a kind of lock", () => {
  assertAllowed("lib/cli/which_lock.ts", `import { x } from "../folder/service.ts";`);
  assertEquals(messages("lib/cli/commands/run.ts", `import type { x } from "../../folder/x.ts";`), [
    "1: lib/cli/ may not import lib/folder/x.ts",
  ]);
  assertEquals(messages("lib/lock/service.ts", `import type { x } from "../folder/x.ts";`), [
    "1: lib/lock/ may not import lib/folder/x.ts",
  ]);
});

Deno.test("the house rules see every form of import", () => {
  const code = [
    `import a from "../cli/a.ts";`,
    `import {`,
    `  b,`,
    `  type C,`,
    `} from '../cli/b.ts';`,
    `import type D from "../cli/d.ts";`,
    `export { type E } from "../cli/e.ts";`,
    `import "../cli/f.ts";`,
    `export const text = await import("../cli/g.ts");`,
    `export type H = import("../cli/h.ts").H;`,
    `export const from = "../cli/not.ts"; // import "../cli/nor.ts"`,
    `export const outer = \`\${\`\${await import("../cli/i.ts")}\`}\`;`,
  ].join("\n");
  assertEquals(
    messages("lib/words/x.ts", code),
    ["1 a", "2 b", "6 d", "7 e", "8 f", "9 g", "10 h", "12 i"].map((one) => {
      const [line, name] = one.split(" ");
      return `${line}: lib/words/ may not import lib/cli/${name}.ts`;
    }),
  );
});

Deno.test("the house rules refuse an import whose file is not named", () => {
  assertEquals(messages("lib/words/a.ts", "const x = await import(file);"), [
    "1: an import must name its file",
  ]);
  assertEquals(messages("lib/words/a.ts", "const x = await import(`./${file}.ts`);"), [
    "1: an import must name its file",
  ]);
});

Deno.test("the house rules let folder and cli see the system as types only", () => {
  assertEquals(messages("lib/folder/a.ts", `import { Sys } from "../sys/sys.ts";`), [
    "1: lib/folder/ may import lib/sys/sys.ts with `import type` only",
  ]);
  assertEquals(messages("lib/cli/a.ts", `import { type A, b } from "../sys/sys.ts";`), [
    "1: lib/cli/ may import lib/sys/sys.ts with `import type` only",
  ]);
  assertEquals(messages("lib/folder/a.ts", `import type { A } from "../sys/deno/sys.ts";`), [
    "1: lib/folder/ may not import lib/sys/deno/sys.ts",
  ]);
  for (
    const code of [
      `export { type A, type B } from "../sys/sys.ts";`,
      `export type * from "../sys/sys.ts";`,
      `let sys: import("../sys/sys.ts").Sys;`,
    ]
  ) assertAllowed("lib/folder/a.ts", code);
});

Deno.test("the house rules refuse a file of lib outside the subjects", () => {
  assertEquals(messages("lib/extra/a.ts", ""), ["1: belongs to no subject"]);
});

Deno.test("the house rules keep the system behind lib/sys", () => {
  const accesses = [
    [`Deno.exit(1)`, "Deno"],
    [`const { pid } = Deno;`, "Deno"],
    [`let signal: Deno.Signal;`, "Deno"],
    [`use({ Deno })`, "Deno"],
    [`globalThis["Deno"]`, "globalThis"],
    [`Date.now()`, "Date.now"],
    [`Date["now"]()`, "Date.now"],
    [`Date[which]()`, "a member of Date that is not named"],
    [`const { now } = Date;`, "Date as a value"],
    [`const now = Date.now;`, "Date.now"],
    [`Date()`, "Date()"],
    [`new Date()`, "new Date() without arguments"],
    [`new Date;`, "new Date() without arguments"],
    [`Math.random()`, "Math.random"],
    [`crypto.randomUUID()`, "crypto.randomUUID"],
    [`crypto.getRandomValues(bytes)`, "crypto.getRandomValues"],
    [`performance.now()`, "performance"],
    [`setTimeout(f, 1)`, "setTimeout"],
    [`setInterval(f, 1)`, "setInterval"],
    [`AbortSignal.timeout(1)`, "AbortSignal.timeout"],
    [`console.error("x")`, "console"],
    ["`${`${console}`}`", "console"],
  ] as const;
  for (const [code, name] of accesses) {
    assertEquals(messages("lib/lock/a.ts", code), [`1: ${name} is for lib/sys and main.ts only`]);
    assertAllowed("lib/sys/a.ts", code);
    assertAllowed("main.ts", code);
    assertAllowed("tests/unit/a_test.ts", code);
  }
});

Deno.test("the house rules leave alone what only looks like the system", () => {
  for (
    const code of [
      `new Date(atMs).toISOString(); Date.parse(line); Math.max(1, 2); let at: Date;`,
      `const s = "Deno.exit()"; const t = \`Date.now()\`; const r = /console.log/;`,
      `/** Not \`Deno.mkdir\`,\n * never recursive: true */\n// Date.now`,
      `tab.console; tab.setTimeout(f); const o = { console: 1, fetch() {} };`,
      `class Tab { console() {} performance = 1; }`,
      `interface Tab { console(): void; fetch: string; recursive: true }`,
      `new URL("https://x"); a / Math.PI / b;`,
    ]
  ) assertAllowed("lib/lock/a.ts", code);
});

Deno.test("the house rules refuse recursive folders everywhere in lib, sys included", () => {
  for (const option of ["recursive: true", `"recursive": true`, "recursive", "recursive: !0"]) {
    assertEquals(messages("lib/sys/a.ts", `\nDeno.mkdir(p, { ${option} })`), [
      "2: recursive: true must not appear in lib: it could hide that a lock is held",
    ]);
  }
  assertEquals(messages("lib/sys/a.ts", `ensureDirSync(p)`), [
    "1: ensureDir must not appear in lib: it could hide that a lock is held",
  ]);
  assertAllowed("lib/sys/a.ts", `Deno.watchFs(p, { recursive: false })`);
  assertAllowed("tools/a.ts", `Deno.mkdir(p, { recursive: true })`);
});

Deno.test("the house rules refuse more than 300 lines in lib", () => {
  assertAllowed("lib/words/a.ts", "x;\n".repeat(300));
  assertEquals(messages("lib/words/a.ts", "x;\n".repeat(301)), [
    "301: 301 lines; 300 are the most",
  ]);
  assertAllowed("tests/unit/a_test.ts", "x;\n".repeat(301));
});

Deno.test("the house rules refuse names that say nothing", () => {
  assertEquals(messages("tests/helpers/a.ts", ""), [`1: the name "helpers" says nothing`]);
  assertEquals(messages("tools/test_utils.ts", ""), [`1: the name "utils" says nothing`]);
  assertAllowed("lib/words/lock_folder_util.ts", "");
});

Deno.test("deno lint applies the house rules, whatever the project's folder is called", async () => {
  const above = await Deno.makeTempDir();
  try {
    const root = `${above}/it's 1 ütils utils`;
    await Deno.mkdir(`${root}/lib/extra`, { recursive: true });
    await Deno.mkdir(`${root}/tools`);
    for (const file of ["deno.json", "tools/house_rules.ts"]) {
      await Deno.copyFile(`${projectFolder()}/${file}`, `${root}/${file}`);
    }
    await Deno.writeTextFile(`${root}/lib/extra/a.ts`, `export const a = "a";\n`);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["lint", "--json"],
      cwd: root,
    }).output();
    const { diagnostics } = JSON.parse(new TextDecoder().decode(stdout)) as {
      diagnostics: { code: string; message: string }[];
    };
    assertEquals(
      diagnostics.map(({ code, message }) => `${code}: ${message}`),
      ["house/imports: belongs to no subject"],
    );
    assertEquals(code, 1);
  } finally {
    await Deno.remove(above, { recursive: true });
  }
});

Deno.test("no file of lib excuses itself from the house rules", async () => {
  const root = projectFolder();
  const excused: string[] = [];
  for (const path of await filesBelow(root, "lib")) {
    for (const line of (await Deno.readTextFile(`${root}/${path}`)).split("\n")) {
      const rules = /deno-lint-ignore(?:-file)?(?<rules>.*?)(?: -- |$)/.exec(line)?.groups
        ?.["rules"];
      if (rules !== undefined && (rules.trim() === "" || rules.includes("house/"))) {
        excused.push(`${path}: ${line.trim()}`);
      }
    }
  }
  assertEquals(excused, []);
});

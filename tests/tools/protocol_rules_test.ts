/** PROTOCOL.md's rules have numbers for tests and commits to cite: each number is one rule, and each citation names one. */

import { assert, assertEquals } from "@std/assert";
import { filesBelow, projectFolder } from "../../tools/project.ts";

const PROTOCOL = await Deno.readTextFile(`${projectFolder()}/PROTOCOL.md`);

/** `- **V15** …`, or a row of a table: `| **V1** | …`. */
const RULES = [...PROTOCOL.matchAll(/^(?:- |\| )\*\*([A-Z])(\d+)\*\*/gm)]
  .map(([, kind, number]) => ({ kind: kind!, number: Number(number) }));

/** V16 is a definition that V17 to V19 fill in. V22 and H7 are met in random schedules alone. */
const UNCITED = ["H7", "V16", "V22"];

const NAMES = new Set(RULES.map(({ kind, number }) => `${kind}${number}`));

/** The rules that tests cite, at the end of their titles: `… (V12, R4)`. */
async function cited(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const path of await filesBelow(projectFolder(), "tests")) {
    if (!path.endsWith("_test.ts")) continue;
    const text = await Deno.readTextFile(`${projectFolder()}/${path}`);
    for (
      const [, title, rules] of text.matchAll(/\(\s*"([^"]*) \(([A-Z]\d+(?:, [A-Z]\d+)*)\)",/g)
    ) {
      for (const rule of rules!.split(", ")) found.set(rule, [...found.get(rule) ?? [], title!]);
    }
  }
  return found;
}

Deno.test("every rule of the protocol has a number of its own, and none is left out", () => {
  assert(RULES.length > 150, `${RULES.length} rules found: they are looked for in the wrong way`);
  for (const kind of new Set(RULES.map(({ kind }) => kind))) {
    const numbers = RULES.filter((rule) => rule.kind === kind).map(({ number }) => number);
    assertEquals(numbers.toSorted((a, b) => a - b), numbers.map((_, index) => index + 1), kind);
  }
});

Deno.test("every rule that the protocol or a test cites is one of the protocol's", async () => {
  const inTests = [...(await cited()).keys()];
  assert(inTests.length > 80, `${inTests.length} cited: they are looked for in the wrong way`);
  assertEquals(inTests.filter((rule) => !NAMES.has(rule)), []);
  const kinds = new RegExp(
    `\\b[${[...new Set(RULES.map(({ kind }) => kind))].join("")}]\\d{1,2}\\b`,
    "g",
  );
  assertEquals(PROTOCOL.match(kinds)!.filter((rule) => !NAMES.has(rule)), []);
});

Deno.test("every rule of verdicts and of kept places has a test that cites it, but for those that say why not", async () => {
  const tested = await cited();
  const uncited = RULES.map(({ kind, number }) => `${kind}${number}`)
    .filter((rule) => /^[VH]/.test(rule) && !tested.has(rule));
  assertEquals(uncited, UNCITED);
});

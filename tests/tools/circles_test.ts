import { assert, assertEquals } from "@std/assert";
import { filesBelow, projectFolder } from "../../tools/project.ts";

/** What of the answer of `deno info --json` counts here. */
interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly code?: { readonly specifier?: string };
      readonly type?: { readonly specifier?: string };
    }[];
  }[];
}

/** Module to the modules that it imports, for types alone too. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** All modules that the given ones reach, by their addresses. */
async function graphOf(files: readonly string[]): Promise<Graph> {
  const folder = await Deno.makeTempDir();
  try {
    const root = `${folder}/all.ts`;
    const imports = files.map((file) => `import ${JSON.stringify(file)};\n`);
    await Deno.writeTextFile(root, imports.join(""));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", `${projectFolder()}/deno.json`, root],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as Info;
    return new Map(modules.map(({ specifier, dependencies = [] }) => [
      specifier,
      dependencies.flatMap(({ code, type }) => code?.specifier ?? type?.specifier ?? []),
    ]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A shortest way from each module that lies on a circle back to itself, each circle once. */
function circlesIn(graph: Graph): string[][] {
  const circles: string[][] = [];
  for (const start of [...graph.keys()].sort()) {
    if (circles.some((circle) => circle.includes(start))) continue;
    const circle = wayBack(graph, start);
    if (circle !== null) circles.push(circle);
  }
  return circles;
}

function wayBack(graph: Graph, start: string): string[] | null {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === start) return way;
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}

Deno.test("no module of lib imports itself by way of others, not even its types", async () => {
  const root = new URL("../../", import.meta.url).href;
  const paths = await filesBelow(projectFolder(), "lib");
  const files = paths.map((path) => `${root}${path}`);
  const graph = await graphOf(files);
  assertEquals(files.filter((file) => !graph.has(file)), []);
  const circles = circlesIn(graph).map((circle) => circle.map((file) => file.replace(root, "")));
  assertEquals(circles.map((circle) => circle.join(" > ")), []);
});

Deno.test("a circle is found, of types or at run time, and each is named once", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const texts = {
      a: `import { b } from "./b.ts";\nexport const a = b;`,
      b: `import type { C } from "./c.ts";\nexport const b: C = 1;`,
      c: `import { a } from "./a.ts";\nimport "./e.ts";\nexport type C = typeof a;`,
      d: `export const d = await import("./d.ts");`,
      e: `export type F = import("./f.ts").F;\nimport "./h.ts";`,
      f: `export * from "./e.ts";`,
      g: `import "./a.ts";\nimport "./h.ts";`,
      h: `export const h = 1;`,
    };
    for (const [name, text] of Object.entries(texts)) {
      await Deno.writeTextFile(`${folder}/${name}.ts`, text);
    }
    const graph = await graphOf([`${folder}/g.ts`, `${folder}/d.ts`]);
    const circles = circlesIn(graph).map((circle) =>
      circle.map((file) => file.slice(file.lastIndexOf("/") + 1)).join(" > ")
    );
    assertEquals(circles, ["a.ts > b.ts > c.ts", "d.ts", "e.ts > f.ts"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

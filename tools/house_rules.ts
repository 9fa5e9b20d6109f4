/**
 * The house rules that no compiler knows, as a plugin of `deno lint`: imports run one way, one
 * folder alone touches the system, files stay short, names mean something.
 *
 *     main.ts > lib/mod.ts, lib/cli > lib/doctor, lib/fleet > lib/report, lib/folder, lib/jobs > lib/lock, lib/log > lib/sys, lib/words
 *
 * The command line knows a lock as a service: one file of it alone says which kind of lock that is.
 */

/** What a subject may import: by the beginning of the path, or, ending in `.ts` or `.json`, by all of it. */
interface Allowed {
  readonly values: readonly string[];
  /** With `import type` only: nothing of it is there at run time. */
  readonly types: readonly string[];
}

const SYSTEM_INTERFACE = "lib/sys/sys.ts";

/** Rules of the system that are pure: codes of faults, names of signals, and how long ago something was. */
const PURE_OF_SYSTEM = ["lib/sys/faults.ts", "lib/sys/signals.ts", "lib/sys/elapsed.ts"];

const BELOW_FOLDER = ["lib/lock/", "lib/log/", "lib/words/", ...PURE_OF_SYSTEM];

/** Subject, by the beginning of the paths of its files, to what it may import. The first that fits counts. */
const SUBJECTS: ReadonlyMap<string, Allowed> = new Map([
  ["lib/words/", { values: ["lib/words/"], types: [] }],
  ["lib/sys/", { values: ["lib/sys/", "lib/words/", "node:"], types: [] }],
  ["lib/log/", { values: ["lib/log/", "lib/words/"], types: [] }],
  ["lib/lock/", {
    values: ["lib/lock/", "lib/log/", "lib/words/", ...PURE_OF_SYSTEM],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/report/", {
    values: ["lib/report/", "lib/lock/", "lib/log/", "lib/words/"],
    types: [],
  }],
  ["lib/folder/", { values: ["lib/folder/", ...BELOW_FOLDER], types: [SYSTEM_INTERFACE] }],
  ["lib/doctor/", {
    values: ["lib/doctor/", "lib/folder/", ...BELOW_FOLDER],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/jobs/", {
    values: ["lib/jobs/", "lib/lock/", "lib/words/", ...PURE_OF_SYSTEM],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/fleet/", { values: ["lib/fleet/", "lib/report/", ...BELOW_FOLDER], types: [] }],
  // Nothing else in the command line knows of folders, but what only a folder has.
  ["lib/cli/which_lock.ts", {
    values: ["lib/cli/", "lib/folder/", ...BELOW_FOLDER],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/cli/commands/herd.ts", {
    values: ["lib/cli/", "lib/fleet/", "lib/report/", "lib/folder/", ...BELOW_FOLDER],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/cli/", {
    values: [
      "lib/cli/",
      "lib/doctor/",
      "lib/fleet/",
      "lib/jobs/",
      "lib/report/",
      ...BELOW_FOLDER,
      "@std/cli/",
      "@std/text/",
      "deno.json",
    ],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/mod.ts", { values: ["lib/folder/", "lib/sys/", ...BELOW_FOLDER], types: [] }],
]);

/** Globals that are clock, chance, files, processes or screen, whatever is taken from them. */
const SYSTEM_GLOBALS = new Set(
  ["Deno", "globalThis", "console", "performance", "fetch", "setTimeout", "setInterval"],
);

/** Globals of which only some members are: the rest is pure. */
const SYSTEM_MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Date", ["now"]],
  ["Math", ["random"]],
  ["crypto", ["getRandomValues", "randomUUID"]],
  ["AbortSignal", ["timeout"]],
  ["Temporal", ["Now"]],
]);

/** A file longer than this holds more than one thing. */
const LONGEST_FILE_LINES = 300;

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = new Set(["utils", "helpers", "common", "misc", "types", "constants"]);

const NOTHING: Deno.lint.LintVisitor = {};

/** Imports run one way, by subject. */
const imports: Deno.lint.Rule = {
  create(context) {
    const path = pathInProject(context.filename);
    if (!path.startsWith("lib/")) return NOTHING;
    const subject = [...SUBJECTS].find(([beginning]) => path.startsWith(beginning));
    if (subject === undefined) {
      return { Program: (node) => context.report({ node, message: "belongs to no subject" }) };
    }
    const [name, allowed] = subject;
    const check = (node: Deno.lint.Node, source: unknown, typeOnly: boolean): void => {
      const message = typeof source === "string"
        ? objectionTo(name, allowed, resolveSpecifier(path, source), typeOnly)
        : "an import must name its file";
      if (message !== null) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value, isTypeImport(node)),
      ExportNamedDeclaration(node) {
        if (node.source !== null) check(node, node.source.value, isTypeExport(node));
      },
      ExportAllDeclaration: (node) => check(node, node.source.value, node.exportKind === "type"),
      ImportExpression: (node) => check(node, literalOf(node.source), false),
      TSImportType(node) {
        const { argument } = node;
        check(node, argument.type === "TSLiteralType" ? literalOf(argument.literal) : null, true);
      },
    };
  },
};

function isTypeImport({ importKind, specifiers }: Deno.lint.ImportDeclaration): boolean {
  return importKind === "type" || (specifiers.length > 0 &&
    specifiers.every((one) => one.type === "ImportSpecifier" && one.importKind === "type"));
}

function isTypeExport({ exportKind, specifiers }: Deno.lint.ExportNamedDeclaration): boolean {
  return exportKind === "type" ||
    (specifiers.length > 0 && specifiers.every((one) => one.exportKind === "type"));
}

function objectionTo(
  subject: string,
  allowed: Allowed,
  target: string,
  typeOnly: boolean,
): string | null {
  if (covers(allowed.values, target)) return null;
  if (!covers(allowed.types, target)) return `${subject} may not import ${target}`;
  return typeOnly ? null : `${subject} may import ${target} with \`import type\` only`;
}

function covers(allowed: readonly string[], target: string): boolean {
  return allowed.some((one) => /\.(ts|json)$/.test(one) ? target === one : target.startsWith(one));
}

/** A path relative to the project's folder, or the specifier itself if it is not relative. */
function resolveSpecifier(path: string, specifier: string): string {
  if (!/^\.{0,2}\//.test(specifier)) return specifier;
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

/** Clock, chance, files, processes and screen are reached through `lib/sys` alone. */
const seam: Deno.lint.Rule = {
  create(context) {
    const path = pathInProject(context.filename);
    if (!path.startsWith("lib/") || path.startsWith("lib/sys/")) return NOTHING;
    return {
      Identifier(node) {
        const access = systemAccess(node);
        if (access === null) return;
        context.report({ node, message: `${access} is for lib/sys and main.ts only` });
      },
    };
  },
};

/** What of the system a name reaches: its words for people, or null if it reaches none. */
function systemAccess(node: Deno.lint.Identifier): string | null {
  if (!isReference(node)) return null;
  if (SYSTEM_GLOBALS.has(node.name)) return node.name;
  const forbidden = SYSTEM_MEMBERS.get(node.name);
  if (forbidden === undefined) return null;
  // The tree's types know the parents of few nodes.
  const parent: Deno.lint.Node = node.parent;
  switch (parent.type) {
    case "MemberExpression": {
      const member = parent.computed ? literalOf(parent.property) : nameOf(parent.property);
      if (typeof member !== "string") return `a member of ${node.name} that is not named`;
      return forbidden.includes(member) ? `${node.name}.${member}` : null;
    }
    case "NewExpression":
      return node.name === "Date" && parent.arguments.length === 0
        ? "new Date() without arguments"
        : null;
    case "CallExpression":
      return parent.callee === node ? `${node.name}()` : `${node.name} as a value`;
    case "VariableDeclarator":
      return `${node.name} as a value`;
    default:
      return null;
  }
}

/** Whether a name stands for a variable, and not for a member, a key or a method of that name. */
function isReference(node: Deno.lint.Identifier): boolean {
  const parent: Deno.lint.Node = node.parent;
  switch (parent.type) {
    case "MemberExpression":
      return parent.object === node || parent.computed;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return parent.key !== node || parent.computed;
    case "TSPropertySignature":
    case "TSMethodSignature":
      return parent.key !== node;
    default:
      return true;
  }
}

/** Either would make `mkdir` succeed on a lock that is held, and two would hold it. */
const newFolders: Deno.lint.Rule = {
  create(context) {
    if (!pathInProject(context.filename).startsWith("lib/")) return NOTHING;
    const report = (node: Deno.lint.Node, what: string): void =>
      context.report({
        node,
        message: `${what} must not appear in lib: it could hide that a lock is held`,
      });
    return {
      Identifier(node) {
        if (node.name.startsWith("ensureDir")) report(node, "ensureDir");
      },
      "ObjectExpression > Property"(node: Deno.lint.Property) {
        const name = nameOf(node.key) ?? literalOf(node.key);
        if (name === "recursive" && literalOf(node.value) !== false) {
          report(node, "recursive: true");
        }
      },
    };
  },
};

const length: Deno.lint.Rule = {
  create(context) {
    if (!pathInProject(context.filename).startsWith("lib/")) return NOTHING;
    const text = context.sourceCode.text.trimEnd();
    const lines = text.split("\n").length;
    if (lines <= LONGEST_FILE_LINES) return NOTHING;
    context.report({
      range: [text.lastIndexOf("\n") + 1, text.length],
      message: `${lines} lines; ${LONGEST_FILE_LINES} are the most`,
    });
    return NOTHING;
  },
};

const names: Deno.lint.Rule = {
  create(context) {
    const words = pathInProject(context.filename).split("/").flatMap((part) => part.split(/[._-]/));
    const empty = words.filter((word) => EMPTY_NAMES.has(word));
    return {
      Program(node) {
        for (const word of empty) {
          context.report({ node, message: `the name "${word}" says nothing` });
        }
      },
    };
  },
};

function literalOf(node: Deno.lint.Node): unknown {
  return node.type === "Literal" ? node.value : undefined;
}

function nameOf(node: Deno.lint.Node): string | undefined {
  return node.type === "Identifier" ? node.name : undefined;
}

/** Relative to the project's folder, with forward slashes: what lies above it has names of its own. */
function pathInProject(file: string): string {
  const root = forwardSlashes(import.meta.dirname ?? "").replace(/tools$/, "");
  const path = forwardSlashes(file);
  return path.startsWith(root) ? path.slice(root.length) : path;
}

function forwardSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}

const plugin: Deno.lint.Plugin = {
  name: "house",
  rules: { imports, seam, "new-folders": newFolders, length, names },
};

export default plugin;

/**
 * The house rules that no compiler knows: imports run one way, one folder alone touches the system,
 * files stay short, names mean something. Pure: a path and a text in, violations out.
 *
 *     main.ts > lib/mod.ts, lib/cli > lib/doctor, lib/fleet, lib/report > lib/folder > lib/lock, lib/log > lib/sys, lib/words
 */
import { type Import, importsOf, lineAt, withoutComments } from "./code_text.ts";

/** One breach of a rule. */
export interface Violation {
  /** Relative to the project's folder, with forward slashes. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** What a layer may import: by the beginning of the path, or, ending in `.ts` or `.json`, by all of it. */
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
const LAYERS: ReadonlyMap<string, Allowed> = new Map([
  ["lib/words/", { values: ["lib/words/"], types: [] }],
  ["lib/sys/", { values: ["lib/sys/", "lib/words/", "node:"], types: [] }],
  ["lib/log/", { values: ["lib/log/", "lib/words/"], types: [] }],
  ["lib/lock/", {
    values: ["lib/lock/", "lib/log/", "lib/words/", ...PURE_OF_SYSTEM],
    types: ["lib/folder/"],
  }],
  ["lib/report/", {
    values: ["lib/report/", "lib/lock/", "lib/log/", "lib/words/"],
    types: ["lib/folder/"],
  }],
  ["lib/folder/", { values: ["lib/folder/", ...BELOW_FOLDER], types: [SYSTEM_INTERFACE] }],
  ["lib/doctor/", {
    values: ["lib/doctor/", "lib/folder/", ...BELOW_FOLDER],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/fleet/", { values: ["lib/fleet/", "lib/report/", ...BELOW_FOLDER], types: [] }],
  ["lib/cli/", {
    values: [
      "lib/cli/",
      "lib/doctor/",
      "lib/fleet/",
      "lib/report/",
      "lib/folder/",
      ...BELOW_FOLDER,
      "@std/cli/",
      "@std/text/",
      "deno.json",
    ],
    types: [SYSTEM_INTERFACE],
  }],
  ["lib/mod.ts", { values: ["lib/folder/", "lib/sys/", ...BELOW_FOLDER], types: [] }],
]);

/** What reaches round the one seam to clock, chance, files, processes and screen. */
const SYSTEM_ACCESS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Deno", /\bDeno\s*(?:\.|\[|\?\.)|[=(,]\s*Deno\b/g],
  ["node:", /["'`]node:/g],
  ["Date.now", /\bDate\s*\.\s*now\b/g],
  ["new Date() without arguments", /\bnew\s+Date\b(?:\s*\(\s*\)|(?!\s*\())/g],
  ["Math.random", /\bMath\s*\.\s*random\b/g],
  ["crypto's random numbers", /\bcrypto\s*\.\s*(?:getRandomValues|randomUUID)\b/g],
  ["performance.now", /\bperformance\s*\.\s*now\b/g],
  ["setTimeout", /\bset(?:Timeout|Interval)\b|\bAbortSignal\s*\.\s*timeout\b/g],
  ["console", /\bconsole\s*\./g],
];

/** Either would make `mkdir` succeed on a lock that is held, and two would hold it. */
const UNSAFE_FOLDERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["ensureDir", /\bensureDir\w*/g],
  ["recursive: true", /\brecursive["']?\s*:\s*true\b/g],
];

/** A file longer than this holds more than one thing. */
const LONGEST_FILE_LINES = 300;

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = new Set(["utils", "helpers", "common", "misc", "types", "constants"]);

/**
 * Checks one file of the project against all rules.
 *
 * @param path relative to the project's folder, with forward slashes
 * @param text its content
 * @return what is wrong with it, in the order of the lines
 */
export function violationsIn(path: string, text: string): Violation[] {
  const found = [...nameViolations(path)];
  if (path.startsWith("lib/") && path.endsWith(".ts")) {
    const code = withoutComments(text);
    found.push(
      ...importViolations(path, importsOf(code)),
      ...(path.startsWith("lib/sys/") ? [] : mentions(path, code, SYSTEM_ACCESS, onlyInSys)),
      ...mentions(path, code, UNSAFE_FOLDERS, neverInLib),
      ...lengthViolations(path, text),
    );
  }
  return found.sort((a, b) => a.line - b.line);
}

function onlyInSys(name: string): string {
  return `${name} is for lib/sys and main.ts only`;
}

function neverInLib(name: string): string {
  return `${name} must not appear in lib: it could hide that a lock is held`;
}

function importViolations(path: string, imports: readonly Import[]): Violation[] {
  const layer = [...LAYERS].find(([beginning]) => path.startsWith(beginning));
  if (layer === undefined) {
    return [{ path, line: 1, message: "belongs to no layer" }];
  }
  const [name, allowed] = layer;
  return imports
    .map(({ specifier, typeOnly, line }) => ({
      target: resolveSpecifier(path, specifier),
      typeOnly,
      line,
    }))
    .filter(({ target, typeOnly }) => !mayImport(allowed, target, typeOnly))
    .map(({ target, line }) => ({
      path,
      line,
      message: covers(allowed.types, target)
        ? `${name} may import ${target} with \`import type\` only`
        : `${name} may not import ${target}`,
    }));
}

function mayImport(allowed: Allowed, target: string, typeOnly: boolean): boolean {
  return covers(allowed.values, target) || (typeOnly && covers(allowed.types, target));
}

function covers(allowed: readonly string[], target: string): boolean {
  return allowed.some((one) => /\.(ts|json)$/.test(one) ? target === one : target.startsWith(one));
}

/**
 * Where an import leads.
 *
 * @param path the importing file, relative to the project's folder
 * @param specifier what stands between the quotes
 * @return a path relative to the project's folder, or the specifier itself if it is not relative
 */
export function resolveSpecifier(path: string, specifier: string): string {
  if (!/^\.{0,2}\//.test(specifier)) return specifier;
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

function mentions(
  path: string,
  code: string,
  forbidden: readonly (readonly [name: string, pattern: RegExp])[],
  say: (name: string) => string,
): Violation[] {
  return forbidden.flatMap(([name, pattern]) =>
    [...code.matchAll(pattern)].map(({ index }) => ({
      path,
      line: lineAt(code, index),
      message: say(name),
    }))
  );
}

function lengthViolations(path: string, text: string): Violation[] {
  const lines = lineAt(text, text.trimEnd().length);
  if (lines <= LONGEST_FILE_LINES) return [];
  return [{ path, line: lines, message: `${lines} lines; ${LONGEST_FILE_LINES} are the most` }];
}

function nameViolations(path: string): Violation[] {
  const words = path.split("/").flatMap((part) => part.split(/[._-]/));
  return words
    .filter((word) => EMPTY_NAMES.has(word))
    .map((word) => ({ path, line: 1, message: `the name "${word}" says nothing` }));
}

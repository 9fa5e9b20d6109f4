/** What systemd-tmpfiles would remove, by its rules; see tmpfiles.d(5). */

/** One file of rules. */
export interface RuleFile {
  readonly path: string;
  readonly text: string;
}

export interface TempRule {
  /** As written; may hold wildcards. */
  readonly path: string;
  readonly age: string;
  readonly ageMs: number;
  /** The file that says so. */
  readonly file: string;
}

/** Types of lines that clean what is below their path, once it is old. */
const CLEANS = new Set(["d", "D", "e", "v", "q", "Q", "C"]);
/** The type that keeps all below its path from being cleaned; `X` keeps the path alone, not what is in it. */
const KEEPS_ALL_BELOW = "x";

/**
 * The rule that would remove something old at or below a path; null if there is none. The innermost rule
 * counts.
 * @param path absolute, without links
 */
export function cleaningRuleFor(path: string, files: readonly RuleFile[]): TempRule | null {
  let innermost: TempRule | null = null;
  for (const { type, rule } of files.flatMap(linesOf)) {
    if (!coversBelow(rule.path, path)) continue;
    if (type === KEEPS_ALL_BELOW) return null;
    if (!CLEANS.has(type) || Number.isNaN(rule.ageMs)) continue;
    if (innermost === null || depth(rule.path) >= depth(innermost.path)) innermost = rule;
  }
  return innermost;
}

function linesOf({ path: file, text }: RuleFile): { type: string; rule: TempRule }[] {
  return text.split("\n").filter((line) => !/^\s*(#|$)/.test(line)).map((line) => {
    const fields = line.trim().split(/\s+/);
    const [type = "", path = ""] = fields;
    const age = fields[5] ?? "-";
    return {
      type: type.charAt(0),
      rule: { path: unquoted(path), age, ageMs: ageMsOf(age), file },
    };
  });
}

function unquoted(path: string): string {
  return path.replace(/^(["'])(.*)\1$/, "$2").replace(/(.)\/+$/, "$1");
}

/** Whether a path, or a pattern in the manner of shells, names `path` or a folder above it. */
function coversBelow(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const parts = path.split("/");
  return wanted.length <= parts.length &&
    wanted.every((part, index) => matches(part, parts[index]!));
}

function matches(pattern: string, name: string): boolean {
  // %b, %m and their like: names that we do not know; what contains one covers nothing of ours.
  if (/%[^%]/.test(pattern)) return false;
  const source = pattern.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    return false;
  }
}

function depth(path: string): number {
  return path.split("/").length;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;
const UNIT_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  usec: 0.001,
  ms: 1,
  msec: 1,
  "": SECOND_MS,
  s: SECOND_MS,
  sec: SECOND_MS,
  m: 60 * SECOND_MS,
  min: 60 * SECOND_MS,
  h: 3600 * SECOND_MS,
  hr: 3600 * SECOND_MS,
  hour: 3600 * SECOND_MS,
  d: DAY_MS,
  day: DAY_MS,
  w: 7 * DAY_MS,
  week: 7 * DAY_MS,
};

/** @return NaN for no age: nothing is removed */
export function ageMsOf(age: string): number {
  // `~` spares the first level; `aAbBcCmM:` says which times count.
  const bare = age.replace(/^[aAbBcCmM]+:/, "").replace(/^~/, "");
  if (!/^(\d+[a-z]*)+$/.test(bare)) return NaN;
  let sumMs = 0;
  for (const [, number, unit] of bare.matchAll(/(\d+)([a-z]*)/g)) {
    const unitMs = UNIT_MS[unit!] ?? UNIT_MS[unit!.replace(/s$/, "")];
    if (unitMs === undefined) return NaN;
    sumMs += Number(number) * unitMs;
  }
  return sumMs;
}

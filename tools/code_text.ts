/** Reads TypeScript as far as a search through it needs: what is comment and what is not. */

/**
 * What a piece of code can be, tried in this order at every place: comments, then what may contain
 * something that looks like one. A regular expression is told from a division by what precedes it.
 */
const PIECES = new RegExp(
  [
    String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?(?:\*/|$))`,
    String.raw`"(?:[^"\\\n]|\\[\s\S])*"?`,
    String.raw`'(?:[^'\\\n]|\\[\s\S])*'?`,
    // A template within a template's braces ends the outer one early; what follows is still read.
    "`(?:[^`\\\\]|\\\\[\\s\\S])*`?",
    String
      .raw`(?<=(?:^|[=(,:;!&|?{}\[\n]|return|=>)\s*)/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/`,
  ].join("|"),
  "g",
);

/**
 * Blanks out comments, keeping every line's number.
 *
 * @param text TypeScript
 * @return the same text with spaces in place of comments
 */
export function withoutComments(text: string): string {
  return text.replace(PIECES, (piece, ...rest) => {
    const { comment } = rest.at(-1) as { comment?: string };
    return comment === undefined ? piece : piece.replace(/[^\n]/g, " ");
  });
}

/** One import or re-export. */
export interface Import {
  /** What stands between the quotes. */
  readonly specifier: string;
  /** Whether it brings in types alone, and so nothing at run time. */
  readonly typeOnly: boolean;
  /** Counted from 1. */
  readonly line: number;
}

const STATIC_IMPORT =
  /^[ \t]*(?<keyword>import|export)\b(?<clause>[^;"'`]*?)\bfrom\s*(?<quote>["'])(?<specifier>[^"'\n]*)\k<quote>/gm;
const BARE_OR_DYNAMIC_IMPORT = /\bimport\s*\(?\s*(["'`])(?<specifier>[^"'`\n]*)\1/g;

/**
 * Finds what a module imports, re-exports included.
 *
 * @param code TypeScript without comments
 * @return its imports, in the order of their lines
 */
export function importsOf(code: string): Import[] {
  const imports: Import[] = [];
  for (const found of code.matchAll(STATIC_IMPORT)) {
    const { clause = "", specifier = "" } = found.groups ?? {};
    imports.push({ specifier, typeOnly: isTypeClause(clause), line: lineAt(code, found.index) });
  }
  for (const found of code.matchAll(BARE_OR_DYNAMIC_IMPORT)) {
    const specifier = found.groups?.["specifier"] ?? "";
    imports.push({ specifier, typeOnly: false, line: lineAt(code, found.index) });
  }
  return imports.sort((a, b) => a.line - b.line);
}

/** `type { A }`, or braces in which every name is marked as a type. */
function isTypeClause(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true;
  const names = /^\s*\{(?<names>[^}]*)\}\s*$/.exec(clause)?.groups?.["names"];
  if (names === undefined) return false;
  const list = names.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return list.length > 0 && list.every((name) => /^type\s/.test(name));
}

/**
 * The line of a place in a text.
 *
 * @param text the whole text
 * @param index the place, in UTF-16 units
 * @return the line's number, counted from 1
 */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

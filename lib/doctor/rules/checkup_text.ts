/** The checks of `doctor`, for a person and for a program. */

import { countOf, padEnd, wrapped } from "../../words/columns.ts";
import { type Check, outcomeOf } from "./checkup.ts";
import { showWhole } from "../../words/slugs.ts";
import { inJsonStyle, jsonText } from "../../words/json.ts";

export interface Examined {
  /** The lock folder. */
  readonly folder: string;
  /** The same folder through another mount; null if none was named. */
  readonly peer: string | null;
}

/** Narrower than this a sentence is better left to the terminal to break. */
const NARROWEST_TEXT = 30;

/**
 * A line a check, and the outcome.
 * @param width of the terminal; null leaves each check on one line
 */
export function checkupText(
  { folder, peer }: Examined,
  checks: readonly Check[],
  width: number | null,
): string {
  const nameWidth = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat("PASS  ".length + nameWidth + 2);
  const textWidth = width === null ? Infinity : width - indent.length;
  const rows = checks.flatMap(({ status, name, text }) => {
    const lines = textWidth < NARROWEST_TEXT || textWidth === Infinity
      ? [showWhole(text)]
      : wrapped(showWhole(text), textWidth);
    const [first = "", ...more] = lines;
    return [
      `${status}  ${padEnd(name, nameWidth)}  ${first}`,
      ...more.map((line) => indent + line),
    ];
  });
  return [
    showWhole(peer === null ? folder : `${folder}, and ${peer} as its peer`),
    "",
    ...rows,
    "",
    outcomeLine(checks),
    "",
  ].join("\n");
}

function outcomeLine(checks: readonly Check[]): string {
  const { trusted, counts } = outcomeOf(checks);
  const many = `${countOf(counts.PASS, "check")} passed, ${countOf(counts.WARN, "warning")}`;
  if (!trusted) return `FAIL: this folder cannot be trusted (${many}, ${counts.FAIL} failed)`;
  return counts.WARN === 0
    ? `PASS: this folder can be trusted (${many})`
    : `PASS: this folder can be trusted, with what the warnings say (${many})`;
}

/** One object, as docs/json.md has it. @param columns as of `jsonText()` */
export function checkupJson(
  { folder, peer }: Examined,
  checks: readonly Check[],
  columns: number | null,
): string {
  const { trusted, counts } = outcomeOf(checks);
  const listed = checks.map(({ name, status, text, measured }) => ({
    name,
    status,
    text,
    measured: inJsonStyle(measured),
  }));
  return jsonText({ trusted, folder, peer, counts, checks: listed }, columns);
}

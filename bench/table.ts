/** Results as plain Markdown. Pure. */

/** One measurement: a table, with what a reader must know to judge it. */
export interface Section {
  readonly title: string;
  /** What was done, in a sentence or two. */
  readonly about: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What was left out and why. */
  readonly remarks: readonly string[];
}

/**
 * A section as Markdown.
 *
 * @param section one measurement
 * @return text with a line feed at its end
 */
export function renderSection({ title, about, columns, rows, remarks }: Section): string {
  const widths = columns.map((name, column) =>
    Math.max(name.length, 3, ...rows.map((row) => (row[column] ?? "").length))
  );
  const renderRow = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? "", width, column)).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => ruleOf(width, column)).join(" | ")} |`;
  return [
    `## ${title}`,
    "",
    about,
    "",
    renderRow(columns),
    rule,
    ...rows.map(renderRow),
    ...(remarks.length === 0 ? [] : ["", ...remarks.map((remark) => `- ${remark}`)]),
    "",
  ].join("\n");
}

/** The first column names, the others count. */
function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

function ruleOf(width: number, column: number): string {
  return column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`;
}

/**
 * Milliseconds for people.
 *
 * @param ms a duration
 * @return three digits or so, with the unit
 */
export function showMs(ms: number): string {
  return ms < 100 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

/**
 * A share for people.
 *
 * @param share from 0 to 1
 * @return per cent
 */
export function showShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/**
 * A ratio for people.
 *
 * @param ratio to a peer in the same run
 * @return two decimal places
 */
export function showRatio(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

/** How an object of JSON is laid out for the one that reads it. */

const INDENT = 2;

/**
 * One line for a program, so that a log or `while read` has it whole; indented for a person.
 * @param columns of the terminal that it goes to; null if none does
 * @return the text, newline at the end included
 */
export function jsonText(value: unknown, columns: number | null): string {
  return `${JSON.stringify(value, null, columns === null ? 0 : INDENT)}\n`;
}

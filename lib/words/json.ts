/** JSON for the one that reads it: how its fields are called, and how it is laid out. */

const INDENT = 2;

/**
 * One line for a program, so that a log or `while read` has it whole; indented for a person.
 * @param columns of the terminal that it goes to; null if none does
 * @return the text, newline at the end included
 */
export function jsonText(value: unknown, columns: number | null): string {
  return `${JSON.stringify(value, null, columns === null ? 0 : INDENT)}\n`;
}

/**
 * The same object with its fields in the one style that is printed: snake_case, and whole milliseconds where a name
 * ends in `_ms`.
 * @param value an object of ours, none of whose names are data
 */
export function inJsonStyle(value: unknown, name = ""): unknown {
  if (typeof value === "number") return name.endsWith("_ms") ? Math.round(value) : value;
  if (Array.isArray(value)) return value.map((one) => inJsonStyle(one, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [snake, inJsonStyle(inner, snake)];
    }),
  );
}

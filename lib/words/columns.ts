/** Text in columns, by how wide it looks and not by how many characters it has. */

/** Characters that take two places in a terminal. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
const MARK = /\p{M}/u;

/** How many places of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Cut to `most` places, with an ellipsis where something is missing. */
export function cut(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let kept = "";
  for (const character of text) {
    if (widthOf(kept + character) > most - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** As `cut`, but what is missing is missing in the middle: names of a fleet often differ at their end alone. */
export function cutMiddle(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  const tail = Math.floor((most - 1) / 3);
  let kept = "";
  for (const character of [...text].reverse()) {
    if (widthOf(character + kept) > tail) break;
    kept = character + kept;
  }
  return cut(text, most - widthOf(kept)) + kept;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/**
 * A table as lines: names to the left, figures to the right.
 * @param rows the first of them is the heading
 * @param names how many columns, from the left, are no figures
 */
export function tableLines(rows: readonly (readonly string[])[], names = 1): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  return rows.map((row) =>
    row.map((cell, column) => {
      const space = " ".repeat(widths[column]! - widthOf(cell));
      return column < names ? cell + space : space + cell;
    }).join("  ").trimEnd()
  );
}

/** Breaks between words; a no-break space holds words together, and becomes a space. */
export function wrapped(text: string, width: number): string[] {
  return brokenLines(text, width).map((line) => line.replaceAll("\u00a0", " "));
}

/** As `wrapped`, its no-break spaces still there. */
function brokenLines(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((one) => one.trimEnd()).filter((one) => one !== "");
}

/** As `wrapped`, what follows the first line indented, so that each entry of a list is seen to begin. */
export function hanging(text: string, width: number, indent: number): string[] {
  const own = text.length - text.trimStart().length;
  const before = " ".repeat(own);
  const [first = "", ...more] = brokenLines(text.trimStart(), width - own);
  const rest = wrapped(more.join(" "), width - own - indent);
  return [
    before + first.replaceAll("\u00a0", " "),
    ...rest.map((line) => before + " ".repeat(indent) + line),
  ];
}

// Numbers of things, as people read them.

/** `1 agent`, `2 agents`, `1,000 agents`. */
export function countOf(count: number, noun: string): string {
  return `${showCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** With commas at the thousands, whatever the language of the machine. */
export function showCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

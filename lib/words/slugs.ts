/** The names that holders and locks go by. Both end up in a log that scripts split at white space. */

export const SLUG_RULE = "1 to 64 visible characters, no white space";
const SLUG_LONGEST = 64;

/**
 * Letters, marks, digits, punctuation and symbols. Left out are white space, control characters (a newline
 * forges a log line, ESC drives a terminal), the marks that turn the direction of text (U+202E makes a line
 * read differently from what it says), and what shows nothing at all (among it U+2800, a braille cell without a
 * dot).
 */
let visibleRule: RegExp | undefined;

function visible(): RegExp {
  return visibleRule ??=
    /^(?:(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{M}\p{N}\p{P}\p{S}])+$/u;
}

/** Nearly all names are of this kind; to build the rule for all scripts takes a millisecond. */
const PLAIN = /^[!-~]+$/;

/** Whether `text` may name a holder: see `SLUG_RULE`. */
export function isSlug(text: string): boolean {
  // A mark goes with the letter before it: at the beginning there is none.
  const isShown = PLAIN.test(text) || (visible().test(text) && !/^\p{M}/u.test(text));
  return isShown && [...text].length <= SLUG_LONGEST;
}

/**
 * One name has one spelling: letters with their marks composed (NFC). A keyboard and a file system may spell what
 * looks the same in two ways.
 */
export function normalSlug(text: string): string {
  return PLAIN.test(text) ? text : text.normalize("NFC");
}

export const NOTE_RULE = "1 to 200 visible characters, and spaces between them";
const NOTE_LONGEST = 200;

/** Whether `text` may say why somebody wants a lock. It is shown in one line. */
export function isNote(text: string): boolean {
  const length = [...text].length;
  return text.trim() !== "" && length <= NOTE_LONGEST && showWhole(text) === text;
}

function isVisible(text: string): boolean {
  return PLAIN.test(text) || visible().test(text);
}

export const LOCK_NAME_RULE =
  "1 to 64 letters, digits, dots, dashes and underscores, no dot or dash first, no dot last";

/**
 * Whether `text` may name a lock. It becomes part of a file name on every kind of system: no separators, no
 * colon (a stream on NTFS), no dot at the end (dropped by vfat), nothing hidden, nothing that looks like a
 * flag.
 */
export function isLockName(text: string): boolean {
  return /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/.test(text);
}

/**
 * Text from a file that others can write, made safe to show: what could drive a terminal or hide is written
 * as `\u{1b}`, and a very long one is cut.
 */
export function showForeign(text: string): string {
  const FOREIGN_LONGEST = 80;
  const characters = [...text];
  const shown = showWhole(characters.slice(0, FOREIGN_LONGEST).join(""));
  return characters.length > FOREIGN_LONGEST ? `${shown}…` : shown;
}

const PLAIN_TEXT = /^[ -~]*$/;

/** As `showForeign()`, and never cut: for a path, and for a line that has one in it. */
export function showWhole(text: string): string {
  if (PLAIN_TEXT.test(text)) return text;
  return [...text].map((character) =>
    character === " " || isVisible(character)
      ? character
      : `\\u{${character.codePointAt(0)!.toString(16)}}`
  ).join("");
}

// Words and command lines as a POSIX shell reads them.

/** @return a word that a shell reads as this text */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** @return a line that a shell reads as this command */
export function shellLine(command: readonly string[]): string {
  return command.map(shellWord).join(" ");
}

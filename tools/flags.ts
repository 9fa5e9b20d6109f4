/** Flags of the tools. What is none is refused: a slip must not start the long default. */

/**
 * For the parser: what to do with a word that is none of a tool's flags.
 *
 * @param names the tool's flags, without their dashes
 * @return a function that throws an Error with the word and the flags
 */
export function refuseAllBut(names: readonly string[]): (word: string) => never {
  return (word) => {
    throw new Error(`it knows no ${word}, only ${names.map((name) => `--${name}`).join(", ")}`);
  };
}

/**
 * A whole number from 1 on.
 *
 * @param name the flag's, without its dashes
 * @param text its value; undefined if it is not given
 * @param byDefault what it then is
 * @return the number
 * @throws Error if the text is no such number
 */
export function countFlag(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`--${name} "${text}" is no count from 1 on`);
  return Number(text);
}

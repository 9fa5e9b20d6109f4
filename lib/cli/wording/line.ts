/** How a line for people begins; and the one line that is said when nothing may be waited for any more. */

import { showWhole } from "../../words/slugs.ts";

export const PROGRAM = "lock_folder_util";

/** One line for stderr, with the program's name first. Whatever a path or a reason holds, it drives no terminal. */
export function line(text: string): string {
  return `${PROGRAM}: ${showWhole(text)}\n`;
}

/** Said by who is ended in the middle of what it does with a lock. Here, since to load words may take for ever then. */
export function endedInTheMiddle(lock: string, signal: string): string {
  return `ended by ${signal} while its folder does not answer; ${lock} may be left, and is then broken as dead, or by age`;
}

/** Words and command lines as a POSIX shell reads them. */

/** @return a word that a shell reads as this text */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** @return a line that a shell reads as this command */
export function shellLine(command: readonly string[]): string {
  return command.map(shellWord).join(" ");
}

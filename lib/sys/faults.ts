/**
 * What a file operation can fail with, by the name the operating system gives it. The rules decide on
 * `code` alone: messages differ between run-times, file systems and languages.
 */
export class FileFault extends Error {
  override readonly name = "FileFault";
  /**
   * @param code the system's name for the cause, such as `EEXIST`, or `UNKNOWN` where it gave none
   * @param operation what was tried, in the words of the system call (`mkdir`, `append`)
   * @param path the absolute path it was tried on
   * @param reason the system's own sentence, for a person
   */
  constructor(
    readonly code: string,
    readonly operation: string,
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${operation} ${path}: ${reason}`);
  }
}

/** The operation of a fault that is about a variable of the environment; its path is the variable's name. */
export const ENVIRONMENT = "getenv";

/** The code of a fault, or null for any other thing thrown. */
export function faultCode(thrown: unknown): string | null {
  return thrown instanceof FileFault ? thrown.code : null;
}

/** No space left, or none left for this user. */
export function isFullCode(code: string | null): boolean {
  return code === "ENOSPC" || code === "EDQUOT";
}

export function isDiskFull(thrown: unknown): boolean {
  return isFullCode(faultCode(thrown));
}

/** A log that comes in pieces, cut into lines: of any size, without ever holding more than one piece. */

/** A line longer than this is no line of a log; the rest of it is dropped, so that it cannot fill memory. */
const LINE_LONGEST = 64 * 1024;

export class LineCutter {
  readonly #take: (line: string) => void;
  #rest = "";
  #first = true;

  /** @param take is called with each line, without its newline or carriage return */
  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  /** @param text the next piece; it may begin and end anywhere */
  feed(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#emit(this.#rest === "" ? text.slice(from, end) : this.#rest + text.slice(from, end));
      this.#rest = "";
      from = end + 1;
    }
    if (from < text.length && this.#rest.length <= LINE_LONGEST) {
      this.#rest += text.slice(from, from + LINE_LONGEST + 1);
    }
  }

  /** The last line, where the text did not end with a newline. */
  finish(): void {
    if (this.#rest !== "") this.#emit(this.#rest);
    this.#rest = "";
  }

  #emit(line: string): void {
    const start = this.#first && line.charCodeAt(0) === 0xfeff ? 1 : 0;
    const end = line.charCodeAt(line.length - 1) === 13 /* \r */ ? line.length - 1 : line.length;
    this.#first = false;
    this.#take(start === 0 && end === line.length ? line : line.slice(start, end));
  }
}

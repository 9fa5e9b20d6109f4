/** The log of a storm under way: each line as it comes, and who holds by it. */

import { type LogRecord, parseLogLine } from "../../lib/log/lines.ts";

export class LogFollower {
  readonly lines: string[] = [];
  /** How often the lock was acquired. */
  holds = 0;
  /** Who holds, by the lines so far. */
  holder: string | null = null;
  lastLineAtMs = performance.now();
  readonly #file: Deno.FsFile;
  readonly #onLine: (record: LogRecord, line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** @param path of a log that exists; it may be empty */
  constructor(path: string, onLine: (record: LogRecord, line: string) => void) {
    this.#file = Deno.openSync(path, { read: true });
    this.#onLine = onLine;
  }

  /** Reads what has been added. */
  catchUp(): void {
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const count = this.#file.readSync(buffer);
      if (count === null) return;
      const parts = (this.#rest + this.#decoder.decode(buffer.subarray(0, count))).split("\n");
      this.#rest = parts.pop()!;
      for (const line of parts) this.#take(line);
    }
  }

  #take(line: string): void {
    this.lines.push(line);
    this.lastLineAtMs = performance.now();
    const record = parseLogLine(line);
    if (!record) return;
    const { event, slug } = record;
    if (event === "acquired") {
      this.holds++;
      this.holder = slug;
    } else if (event === "stale_break" || slug === this.holder) this.holder = null;
    this.#onLine(record, line);
  }

  close(): void {
    this.#file.close();
  }
}

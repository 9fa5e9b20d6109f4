/** Other processes of this very program, on a real machine. */

import type { Copy } from "../diagnosis.ts";
import { canEnterOwnFolder } from "./commands.ts";
import { asFault } from "./os_faults.ts";
import type { CommandLine } from "../sys.ts";

export class DenoCopy implements Copy {
  readonly #process: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #lines: AsyncGenerator<string>;

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#stdin = process.stdin.getWriter();
    this.#lines = linesOf(process.stdout);
  }

  static start({ program, args }: Pick<CommandLine, "program" | "args">): Promise<DenoCopy> {
    try {
      const process = new Deno.Command(program, {
        args: [...args],
        // All that a copy is told is absolute: so it may be started from anywhere.
        ...(canEnterOwnFolder() ? {} : { cwd: "/" }),
        stdin: "piped",
        stdout: "piped",
        // Not "null": there are containers without a /dev/null, and the program would be blamed for it.
        stderr: "piped",
      }).spawn();
      void process.stderr.cancel().catch(() => {});
      return Promise.resolve(new DenoCopy(process));
    } catch (thrown) {
      return Promise.reject(asFault(thrown, "exec", program));
    }
  }

  async say(line: string): Promise<void> {
    try {
      await this.#stdin.write(new TextEncoder().encode(`${line}\n`));
    } catch {
      // It has ended; `hear()` tells.
    }
  }

  async hear(): Promise<string | null> {
    const { done, value } = await this.#lines.next();
    return done ? null : value;
  }

  async kill(): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#process.status;
    await this.#stdin.close().catch(() => {});
    // A reader that waits for a line gets the end of them.
    while (await this.hear() !== null);
  }
}

export function stdinLines(): AsyncIterable<string> {
  return linesOf(Deno.stdin.readable);
}

async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  let rest = "";
  try {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      yield* lines;
    }
  } catch {
    // A stream that breaks off has ended.
  }
}

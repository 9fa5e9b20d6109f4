/** Standard output and standard error of a real process. */

import { asFault } from "./os_faults.ts";
import type { Terminal } from "../sys.ts";

type Stream = typeof Deno.stdout;

export class DenoTerminal implements Terminal {
  async out(text: string): Promise<void> {
    await writeOrFail(Deno.stdout, "standard output", text);
  }

  async errForPrograms(text: string): Promise<void> {
    await writeOrFail(Deno.stderr, "standard error", text);
  }

  async err(text: string): Promise<void> {
    try {
      await write(Deno.stderr, text);
    } catch {
      // A terminal that hung up, a log on a full disk: nobody is left to be told.
    }
  }

  errColumns(): Promise<number | null> {
    return Promise.resolve(columnsOf(Deno.stderr));
  }

  outColumns(): Promise<number | null> {
    return Promise.resolve(columnsOf(Deno.stdout));
  }
}

async function writeOrFail(stream: Stream, name: string, text: string): Promise<void> {
  try {
    await write(stream, text);
  } catch (thrown) {
    const fault = asFault(thrown, "write", name);
    if (fault.code !== "EPIPE") throw fault;
  }
}

async function write(stream: Stream, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += await stream.write(bytes.subarray(written));
  }
}

/** For a terminal that does not tell its size, as some that programs make do not. */
const COLUMNS_UNTOLD = 80;

function columnsOf(stream: Stream): number | null {
  try {
    // A dumb terminal cannot rewrite a line.
    if (Deno.env.get("TERM") === "dumb") return null;
    return stream.isTerminal() ? Deno.consoleSize().columns || COLUMNS_UNTOLD : null;
  } catch {
    return null;
  }
}

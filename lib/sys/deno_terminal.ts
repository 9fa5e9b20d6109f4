/** Standard output and standard error of a real process. */

import type { Terminal } from "./sys.ts";

type Stream = typeof Deno.stdout;

export class DenoTerminal implements Terminal {
  out(text: string): Promise<void> {
    return write(Deno.stdout, text);
  }

  err(text: string): Promise<void> {
    return write(Deno.stderr, text);
  }

  errColumns(): Promise<number | null> {
    return Promise.resolve(columnsOf(Deno.stderr));
  }

  outColumns(): Promise<number | null> {
    return Promise.resolve(columnsOf(Deno.stdout));
  }
}

/** A pipe whose reader has gone, or a terminal that hung up, takes nothing any more: no reason to fail. */
async function write(stream: Stream, text: string): Promise<void> {
  try {
    const bytes = new TextEncoder().encode(text);
    for (let written = 0; written < bytes.length;) {
      written += await stream.write(bytes.subarray(written));
    }
  } catch {
    return;
  }
}

function columnsOf(stream: Stream): number | null {
  try {
    return stream.isTerminal() ? Deno.consoleSize().columns : null;
  } catch {
    return null;
  }
}

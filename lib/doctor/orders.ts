/** What a trial asks another process to do, and how that process does it. Orders and answers are lines of JSON. */

import { FileFault } from "../sys/faults.ts";
import type { OpenFile, Sys } from "../sys/sys.ts";

/** Each is answered by a list of texts; an empty one means that it could be done. */
export type Order =
  /** Makes folders one after the other; the answer has the code of each. */
  | { readonly do: "make"; readonly paths: readonly string[] }
  /** Removes a folder. */
  | { readonly do: "remove"; readonly path: string }
  /** Appends that many lines; the answer has the codes of those that failed. */
  | {
    readonly do: "append";
    readonly path: string;
    readonly writer: number;
    readonly lines: number;
  }
  /** Makes a file and asks for its file lock, which is then held: `granted`, `held`, `unknown`. */
  | { readonly do: "lock new"; readonly path: string }
  /** Asks for the file lock of a file that stands there; `missing` if it does not. */
  | { readonly do: "lock"; readonly path: string }
  /** The mtime of something in a folder, which is listed first; `missing` if it is not there. */
  | { readonly do: "mtime"; readonly folder: string; readonly path: string };

/** Long enough to be torn where appends are not whole. */
const FILLING = "x".repeat(100);

export function trialLine(writer: number, line: number): string {
  return `${writer}.${line} ${FILLING} end`;
}

/** Carries out orders; keeps the file locks that it was granted. */
export class Part {
  readonly #sys: Sys;
  readonly #locked: OpenFile[] = [];

  constructor(sys: Sys) {
    this.#sys = sys;
  }

  async carryOut(order: Order): Promise<string[]> {
    const { files } = this.#sys;
    switch (order.do) {
      case "make": {
        const codes: string[] = [];
        for (const path of order.paths) codes.push(await codeOf(() => files.makeFolder(path)));
        return codes;
      }
      case "remove":
        return [await codeOf(() => files.removeFolder(order.path))];
      case "append": {
        const codes = new Set<string>();
        for (let line = 0; line < order.lines; line++) {
          const text = `${trialLine(order.writer, line)}\n`;
          codes.add(await codeOf(() => files.append(order.path, text)));
        }
        codes.delete("");
        return [...codes];
      }
      case "lock new":
        return [await this.#lock(await files.openNew(order.path, ""), "exclusive")];
      case "lock": {
        const file = await files.open(order.path);
        return [file ? await this.#lock(file, "shared") : "missing"];
      }
      case "mtime": {
        await files.list(order.folder);
        const entry = await files.entry(order.path);
        return [entry ? String(entry.mtimeMs) : "missing"];
      }
    }
  }

  async #lock(file: OpenFile, kind: "shared" | "exclusive"): Promise<string> {
    const answer = await file.tryLock(kind);
    if (answer === "granted") this.#locked.push(file);
    else await file.close();
    return answer;
  }
}

async function codeOf(run: () => Promise<void>): Promise<string> {
  try {
    await run();
    return "";
  } catch (fault) {
    if (fault instanceof FileFault) return fault.code;
    throw fault;
  }
}

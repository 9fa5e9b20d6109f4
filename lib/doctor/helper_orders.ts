/** What a trial asks another process to do, and how that process does it. Orders and answers are lines of JSON. */

import { FileFault } from "../sys/faults.ts";
import type { OpenFile, Sys } from "../sys/sys.ts";
import { timeUntil } from "./trial.ts";

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

/** A file lock that nobody else asks for is there in milliseconds, on a busy machine in a good part of a second. */
const GRANTED_LIMIT_MS = 3000;

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
        return [await this.#lockNew(await files.openNew(order.path, ""))];
      case "lock": {
        const file = await files.open(order.path);
        return [file ? await this.#keepIf(file, await file.tryLock("shared")) : "missing"];
      }
      case "mtime": {
        await files.list(order.folder);
        const entry = await files.entry(order.path);
        return [entry ? String(entry.mtimeMs) : "missing"];
      }
    }
  }

  /** Nobody else has the file. Where the run-time can only ask and wait, a busy machine makes that look like held. */
  async #lockNew(file: OpenFile): Promise<string> {
    let answer = "held";
    await timeUntil(this.#sys.clock, GRANTED_LIMIT_MS, async () => {
      answer = await file.tryLock("exclusive");
      return answer !== "held";
    });
    return await this.#keepIf(file, answer);
  }

  async #keepIf(file: OpenFile, answer: string): Promise<string> {
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

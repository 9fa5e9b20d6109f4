/**
 * Renaming on any file system.
 *
 * An SMB server answers EACCES for a moment where another has the file open, and so does Wine. The answer is
 * believed only once it has stayed the same for longer than anybody of ours has a file open.
 */

import { faultCode } from "../../faults.ts";
import type { FileCalls } from "./file_calls.ts";
import { faulting } from "../os_faults.ts";

/** A reader has a record open for milliseconds; a slow share makes a second of that. */
export const REFUSED_FOR_UP_TO_MS = 1500;

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

const MAY_BE_OPEN: ReadonlySet<string | null> = new Set(["EACCES", "EPERM", "EBUSY"]);

/**
 * @param patienceMs how long a refusal is not believed; 0 where the first answer is the truth
 * @throws FileFault
 */
export async function renameFile(
  calls: Pick<FileCalls, "rename">,
  from: string,
  to: string,
  patienceMs: number,
): Promise<void> {
  let untilMs: number | null = null;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await faulting("rename", from, async () => await calls.rename(from, to));
    } catch (fault) {
      // From the first answer on: a process that was held up before it has waited for nothing yet.
      untilMs ??= performance.now() + patienceMs;
      if (!MAY_BE_OPEN.has(faultCode(fault)) || performance.now() >= untilMs) throw fault;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * The fence: a number that grows with every hold, for resources that can refuse what comes from an older one.
 *
 * Guarantee: it is made under the hold itself and written down before anybody sees it, so no number is used
 * twice, even after a crash. If the file is deleted or unreadable, the count goes on from the milliseconds
 * since 1970: no fleet makes a thousand holds a second for as long as that, so it is above all that came
 * before. Assumed there: the clock was not set back below the last such restart.
 */

import { faultCode } from "../core/faults.ts";
import { replaceFile } from "./state_files.ts";
import type { Site } from "./site.ts";

/** Far more than any number takes. */
const LARGEST_BYTES = 64;

/**
 * @param inTime whether the hold is young enough to be ours for certain
 * @return this hold's fence number, already written down; null if it was too late for that
 */
export async function nextFence(
  site: Site,
  inTime: () => Promise<boolean>,
): Promise<number | null> {
  const next = await lastFence(site) + 1;
  const written = await replaceFile(site.sys, site.paths, site.paths.fence, `${next}\n`, inTime);
  return written === null ? null : next;
}

async function lastFence(site: Site): Promise<number> {
  const text = await readFence(site);
  const number = text !== null && /^\d{1,15}\n?$/.test(text) ? Number(text) : null;
  if (number !== null) return number;
  const isFirstHoldEver = text === null && !(await site.sys.files.entry(site.paths.log))?.sizeBytes;
  return isFirstHoldEver ? 0 : await site.sys.clock.wallMs();
}

async function readFence(site: Site): Promise<string | null> {
  try {
    return (await site.sys.files.read(site.paths.fence, LARGEST_BYTES))?.text ?? null;
  } catch (fault) {
    if (faultCode(fault) === null) throw fault;
    return "";
  }
}

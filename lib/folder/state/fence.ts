/**
 * The fence: a number that grows with every hold, for resources that can refuse what comes from an older one.
 *
 * Guarantee: it is made under the hold itself and written down before anybody sees it, so no number is used
 * twice, even after a crash. Where there is no file, the count goes on from the milliseconds since 1970, or from
 * the record or the log that lies there if that is higher: no fleet makes a thousand holds a second for as long as that, so it
 * is above all that came before, whether or not anything is left that tells of it. Assumed there: the clock was not
 * set back below the last such restart, or the record or the log of a hold since then is there.
 */

import { faultCode } from "../../sys/faults.ts";
import { parseRecord, RECORD_LARGEST_BYTES } from "./record.ts";
import { latestInLog } from "../../log/lines.ts";
import { logTail } from "../audit.ts";
import { inState } from "./state_files.ts";
import type { Site } from "../site.ts";

/**
 * Every number is written with as many digits, so that it can be written over in place by one write: making
 * a new file for each hold is the dearest step of a hand-off on ext4.
 */
const DIGITS = 15;
const LARGEST_BYTES = 64;

/**
 * @param inTime whether the hold is young enough to be ours for certain: whoever was held up for longer might
 *   set the count back
 * @return this hold's fence number, already written down; null if it was too late for that
 */
export async function nextFence(
  site: Site,
  inTime: () => Promise<boolean>,
): Promise<number | null> {
  const next = await lastFence(site) + 1;
  const text = `${String(next).padStart(DIGITS, "0")}\n`;
  if (!await inTime()) return null;
  const { files } = site.sys;
  if (await files.overwrite(site.paths.fence, text)) return next;
  try {
    await inState(files, site.paths.state, null, () => files.create(site.paths.fence, text));
  } catch (fault) {
    // Made by another since, who was held up as we were: one of us will find that it was too late.
    if (faultCode(fault) !== "EEXIST") throw fault;
  }
  return next;
}

async function lastFence(site: Site): Promise<number> {
  const text = await readFence(site);
  const number = text !== null && /^\d{1,15}\n/.test(text) ? parseInt(text, 10) : null;
  if (number !== null) return number;
  return Math.max(
    await site.sys.clock.wallMs(),
    await fenceOfRecord(site),
    await loggedUpToMs(site),
  );
}

/** Log lines are cut to whole seconds. */
const LOG_SECOND_MS = 1000;

/** A wall clock that was set back since: no hold in the log carried a number above its time. */
async function loggedUpToMs(site: Site): Promise<number> {
  const latestMs = latestInLog(await logTail(site));
  return latestMs === null ? 0 : latestMs + LOG_SECOND_MS;
}

/** Of whichever hold was the last to write one. */
async function fenceOfRecord(site: Site): Promise<number> {
  const content = await site.sys.files.read(site.paths.record, RECORD_LARGEST_BYTES)
    .catch(() => null);
  return (content && parseRecord(content.text)?.fence) ?? 0;
}

async function readFence(site: Site): Promise<string | null> {
  try {
    return (await site.sys.files.read(site.paths.fence, LARGEST_BYTES))?.text ?? null;
  } catch (fault) {
    if (faultCode(fault) === null) throw fault;
    return null;
  }
}

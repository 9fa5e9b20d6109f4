/** Writing to the audit log, and asking it who came last. */

import { type LogEvent, logLine } from "../log/lines.ts";
import { FileFault } from "../sys/faults.ts";
import { holderInLog } from "../log/tail.ts";
import type { Site } from "./site.ts";

/** Appends one line. Fails with the FileFault of the append. */
export async function log(site: Site, slug: string, event: LogEvent): Promise<void> {
  await site.sys.files.append(site.paths.log, logLine(await site.sys.clock.wallMs(), slug, event));
}

/**
 * Appends one line, if that can be done: what it tells of is done whether or not the log can be written. Whoever
 * opened the site is told otherwise.
 */
export async function logIfPossible(site: Site, slug: string, event: LogEvent): Promise<void> {
  try {
    await log(site, slug, event);
  } catch (fault) {
    await site.onUnlogged(
      `${slug} ${event.event}`,
      fault instanceof FileFault ? fault.reason : `${fault}`,
    );
  }
}

/** Some thousand lines: enough to find the last `acquired`, and twenty holds for an estimate. */
const TAIL_BYTES = 64 * 1024;

/** The end of the log as text; empty if there is none or it cannot be read. */
export async function logTail(site: Site): Promise<string> {
  return await site.sys.files.readTail(site.paths.log, TAIL_BYTES).catch(() => null) ?? "";
}

/** The holder according to the log, or null. */
export async function lastInLog(site: Site): Promise<string | null> {
  return holderInLog(await logTail(site));
}

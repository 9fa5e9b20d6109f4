/** The part of a log that was written from a certain moment on. */

import { parseLogLine } from "../log/lines.ts";
import { holderInLog } from "../log/tail.ts";
import type { Site } from "./site.ts";
import { logTail } from "./audit.ts";

/** Where a log ended at a moment. */
export interface LogMark {
  readonly sizeBytes: number;
  /** The line that began the hold which was going on, with its newline; else empty. */
  readonly begun: string;
}

/** A log that grows under this many looks in a row is taken as it was last seen. */
const LOOKS = 20;

export async function markLog(site: Site): Promise<LogMark> {
  const [sizeBytes, tail] = await atRest(site, () => logTail(site));
  const stands = (await site.sys.files.entry(site.paths.lock))?.kind === "folder";
  const holder = stands ? holderInLog(tail) : null;
  const lines = holder === null ? [] : tail.split("\n");
  const begun = lines.findLast((line) => {
    const record = parseLogLine(line);
    return record?.slug === holder && record?.event === "acquired";
  });
  return { sizeBytes, begun: begun === undefined ? "" : `${begun}\n` };
}

/** What has been written since; the whole log if it has been made anew. */
export async function logSince(site: Site, mark: LogMark): Promise<string> {
  const { files } = site.sys;
  const [, text] = await atRest(site, async (sizeBytes) => {
    const bytes = sizeBytes < mark.sizeBytes ? sizeBytes : sizeBytes - mark.sizeBytes;
    return await files.readTail(site.paths.log, bytes) ?? "";
  });
  return mark.begun + text;
}

/** Reads while nobody appends: the size and what was read are then of one moment. */
async function atRest<T>(
  site: Site,
  read: (sizeBytes: number) => Promise<T>,
): Promise<readonly [number, T]> {
  const size = async () => (await site.sys.files.entry(site.paths.log))?.sizeBytes ?? 0;
  for (let looks = 1;; looks++) {
    const before = await size();
    const found = await read(before);
    if (await size() === before || looks === LOOKS) return [before, found];
  }
}

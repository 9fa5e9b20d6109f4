/**
 * The lifeline: one file for each wait and the hold that comes of it, file-locked for as long as its process
 * lives.
 *
 * Guarantee: nothing reads or writes a lifeline by path while its file lock is held. On SMB and Windows file
 * locks are mandatory: what is locked cannot be read through any other handle, not even by its own process.
 * So a lifeline is empty until its holder writes the command's number through its own handle, and others read
 * that number only once the file lock is free.
 */

import { faultCode } from "../../sys/faults.ts";
import { lifelinePath } from "./layout.ts";
import { isPid, parseObject } from "./record.ts";
import type { OpenFile } from "../../sys/sys.ts";
import type { Site } from "../site.ts";
import { inState } from "./state_files.ts";

/**
 * Makes the lifeline of a wait or a hold, and file-locks it.
 * @param token of the wait and the hold
 * @throws FileFault if it cannot be made
 */
export async function makeLifeline(site: Site, token: string): Promise<OpenFile> {
  const file = await inState(
    site.sys.files,
    site.paths.state,
    site.paths.alive,
    () => site.sys.files.openNew(lifelinePath(site.paths, token), ""),
  );
  await lockForLife(site, file);
  return file;
}

/** A judge asks for a file lock for microseconds. A judge that was stopped in that moment keeps it for longer. */
const LOCKED_WITHIN_MS = 1000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/**
 * File-locks a file that shows our life. A judge that asks whether we live takes a shared lock for a moment,
 * and ours is refused: without another try the file would never be locked.
 */
export async function lockForLife(site: Site, file: OpenFile): Promise<void> {
  const { clock } = site.sys;
  const sinceMs = await clock.monotonicMs();
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    if (await file.tryLock("exclusive") !== "held") return;
    if (await clock.monotonicMs() - sinceMs >= LOCKED_WITHIN_MS) return;
    await clock.sleep(pauseMs);
  }
}

/** A lifeline holds one number. */
export const LIFELINE_LARGEST_BYTES = 256;

/** What a holder writes into its lifeline when it has started its command. */
export function lifelineText(childPid: number): string {
  return JSON.stringify({ childPid });
}

/** The command that a lifeline names; null if it names none. */
export function commandOfLifeline(text: string): number | null {
  const childPid = parseObject(text)?.childPid;
  return isPid(childPid) ? childPid : null;
}

/** Names the command in its holder's lifeline. If the holder is killed, the command is found by this. */
export async function nameCommandIn(lifeline: OpenFile, childPid: number): Promise<void> {
  await lifeline.write(lifelineText(childPid)).catch(() => {});
}

/**
 * The command's number in the lifeline of a hold whose process is gone.
 * @return null if it names none, or cannot be read
 */
export async function commandIn(site: Site, token: string): Promise<number | null> {
  const path = lifelinePath(site.paths, token);
  const content = await site.sys.files.read(path, LIFELINE_LARGEST_BYTES).catch(() => null);
  return content && commandOfLifeline(content.text);
}

/**
 * Whether a lifeline is there. A network client may remember for half a minute that a file was not there;
 * listing the folder makes it look again.
 */
export async function lifelineStands(site: Site, token: string): Promise<boolean> {
  if (await site.sys.files.entry(lifelinePath(site.paths, token))) return true;
  return (await site.sys.files.list(site.paths.alive))?.includes(token) ?? false;
}

/** Takes a lifeline away, so that it speaks for no later lock. Failing is no matter: its file lock goes too. */
export async function removeLifeline(site: Site, token: string): Promise<void> {
  await site.sys.files.removeFile(lifelinePath(site.paths, token)).catch(() => false);
}

/** `free`: nobody holds its file lock here. That proves no death: it may be held through another mount. */
export type FileLockState = "locked" | "free" | "missing" | "unknown";

/** Asks for the file lock of a file that shows somebody's life. */
export async function fileLockState(site: Site, path: string): Promise<FileLockState> {
  try {
    const file = await site.sys.files.open(path);
    if (!file) return "missing";
    try {
      const answer = await file.tryLock("shared");
      return answer === "held" ? "locked" : answer === "granted" ? "free" : "unknown";
    } finally {
      await file.close();
    }
  } catch (fault) {
    if (faultCode(fault) === null) throw fault;
    return "unknown";
  }
}

/** No wait is as long as this, and an `acquire` hold of this age is named by the record. */
const LITTER_AGE_MS = 86_400_000;

/**
 * Removes the lifelines of waiters that were killed where nobody could see it. Failing is no matter: the next
 * breaker tidies.
 * @param folderNowMs the file system's clock
 * @param recordToken token of the record that lies there, whose lifeline stays; null if there is none
 */
export async function tidyLifelines(
  site: Site,
  folderNowMs: number,
  recordToken: string | null,
): Promise<void> {
  const { files } = site.sys;
  for (const token of await files.list(site.paths.alive).catch(() => null) ?? []) {
    const path = lifelinePath(site.paths, token);
    const entry = await files.entry(path).catch(() => null);
    const isOld = entry !== null && folderNowMs - entry.mtimeMs > LITTER_AGE_MS;
    if (!isOld || token === recordToken || await fileLockState(site, path) !== "free") continue;
    await removeLifeline(site, token);
  }
}

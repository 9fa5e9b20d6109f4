/**
 * The lifeline: one file for each wait and the hold that comes of it, file-locked for as long as its process
 * lives.
 *
 * Guarantee: nothing reads or writes a lifeline by path while its file lock is held. On SMB and Windows file
 * locks are mandatory: what is locked cannot be read through any other handle, not even by its own process.
 * So a lifeline is empty until its holder writes about its command through its own handle, and a judge reads
 * that only once the file lock is free. `status` alone tries sooner: it only loses a line if it is refused.
 *
 * The command line is kept here and not in the record, because a lifeline goes with its hold: a password among the
 * arguments must not lie on disk after the command has ended.
 */

import { faultCode } from "../../sys/faults.ts";
import { lifelinePath } from "./layout.ts";
import { isPid, isSameMachine, parseObject, type WhoAndWhere } from "./record.ts";
import type { OpenFile } from "../../sys/sys.ts";
import type { Site } from "../site.ts";
import { inState } from "./state_files.ts";
import type { Life } from "../verdict/findings.ts";

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

/** What a holder tells in its lifeline about the command that it has started. */
export interface CommandInLifeline {
  readonly childPid: number;
  /** As `keptOfCommand()` cuts it. */
  readonly command: readonly string[];
  /** The holder is ending the command with all that it started: the hold is over when nothing carries its token. */
  readonly endsAll?: true;
}

/** Six bytes for each character that is kept of the command line, three more for each word, and the rest. */
export const LIFELINE_LARGEST_BYTES = 32 * 1024;

/** @return null if the text names no command */
export function parseLifeline(text: string): CommandInLifeline | null {
  const value = parseObject(text);
  if (!value || !isPid(value.childPid)) return null;
  const words = Array.isArray(value.command) ? value.command : [];
  return {
    childPid: value.childPid,
    command: words.filter((word) => typeof word === "string"),
    ...(value.endsAll === true && { endsAll: true }),
  };
}

/** Tells of the command in its holder's lifeline. If the holder is killed, the command is found by this. */
export async function tellOfCommand(lifeline: OpenFile, told: CommandInLifeline): Promise<void> {
  await lifeline.write(JSON.stringify(told)).catch(() => {});
}

/** What a lifeline tells of the command; null if it tells nothing, or cannot be read. */
export async function readLifeline(site: Site, token: string): Promise<CommandInLifeline | null> {
  const path = lifelinePath(site.paths, token);
  const content = await site.sys.files.read(path, LIFELINE_LARGEST_BYTES).catch(() => null);
  return content && parseLifeline(content.text);
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

// What we say of ourselves, for others to see.

/**
 * The fields of a record that tell who and where.
 * @param token random name of this hold, wait or taking
 */
export async function whoAndWhere(site: Site, slug: string, token: string): Promise<WhoAndWhere> {
  const { pid, processStart, machine } = await site.sys.processes.self();
  return { token, slug, pid, processStart, machine };
}

// Whether somebody who wrote down who and where it is still lives.

export interface Sight {
  readonly life: Life;
  /** It lives, but does nothing until it is let go on. */
  readonly stopped: boolean;
}

/** What is seen of a process that cannot be asked for. */
export const UNSEEN: Sight = { life: "unknown", stopped: false };

/** Of another machine or pid namespace nothing can be known: there the number is somebody else's. */
export async function seeWho(site: Pick<Site, "sys">, who: WhoAndWhere): Promise<Sight> {
  const { machine } = await site.sys.processes.self();
  if (!isSameMachine(who.machine, machine)) return UNSEEN;
  return await seeProcess(site, who.pid, who.processStart);
}

export async function lifeOf(site: Pick<Site, "sys">, who: WhoAndWhere): Promise<Life> {
  return (await seeWho(site, who)).life;
}

/** A process lives if its number does and it started when it says; a start that is not known decides nothing. */
export async function seeProcess(
  site: Pick<Site, "sys">,
  pid: number,
  start: string | null,
): Promise<Sight> {
  const found = await site.sys.processes.look(pid);
  if (found.state !== "alive") return { life: found.state, stopped: false };
  const isMeant = start === null || found.start === null || found.start === start;
  return isMeant ? { life: "alive", stopped: found.stopped } : { life: "gone", stopped: false };
}

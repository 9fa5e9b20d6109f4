/** What stands around a lock folder: its file system, other people's things, cleaners. */

import { FileFault } from "../sys/faults.ts";
import { SYNC_MARKERS } from "../folder/place/mount_trust.ts";
import type { CleanerFound, FileSystemFound, InTheWayFound } from "./rules/judgement.ts";
import { FOUND } from "../folder/look.ts";
import { folderItself, isProbe, type LockPaths } from "../folder/state/layout.ts";
import { LITTER_AGE_MS } from "../folder/state/state_files.ts";
import { isKeptFromUs } from "../folder/place/kept_from_us.ts";
import type { Entry, Files } from "../sys/sys.ts";
import { timeUntil } from "./trial.ts";
import type { TrialSys } from "./trial_ground.ts";

export async function fileSystemOf(sys: TrialSys, dir: string): Promise<FileSystemFound> {
  const path = await sys.diagnosis.realPath(dir) ?? dir;
  const { type } = await sys.mounts.typeOf(dir);
  const mounted = await sys.diagnosis.mounted(dir);
  return {
    type: type ?? mounted?.type ?? null,
    source: mounted?.source ?? null,
    path,
    markers: await syncMarkersAbove(sys.files, path),
  };
}

async function syncMarkersAbove(files: Files, path: string): Promise<string[]> {
  const found = new Set<string>();
  const parts = path.split("/");
  for (let length = parts.length; length > 0; length--) {
    const folder = parts.slice(0, length).join("/");
    for (const { client, name, kind } of SYNC_MARKERS) {
      const entry = await files.entry(`${folder}/${name}`).catch(() => null);
      if (entry?.kind === kind) found.add(client);
    }
  }
  return [...found];
}

/** What systemd-tmpfiles cleans unless the machine's administrator says otherwise; see tmpfiles.d(5). */
const TEMPORARY_FOLDERS = ["/tmp", "/var/tmp"];

/** @return null where no cleaner that we know of runs */
export async function cleanerOf(sys: TrialSys, dir: string): Promise<CleanerFound | null> {
  if (!await sys.diagnosis.hasSystemd()) return null;
  const path = await sys.diagnosis.realPath(dir) ?? dir;
  return { below: TEMPORARY_FOLDERS.find((folder) => `${path}/`.startsWith(`${folder}/`)) ?? null };
}

/**
 * @param own what we have just made there ourselves: tells who we are; null if nothing could be made
 */
export async function thingsInTheWay(
  sys: TrialSys,
  paths: LockPaths,
  own: Entry | null,
): Promise<InTheWayFound> {
  const things = [
    await aboutLock(sys.files, paths, own),
    await aboutLog(sys, paths),
    await aboutState(sys, paths),
    await aboutProbes(sys.files, paths, own),
  ];
  return { things: things.filter((thing) => thing !== null) };
}

type Thing = InTheWayFound["things"][number] | null;

function blocking(path: string, problem: string): Thing {
  return { path, problem, blocks: true };
}

const SHOWN_NAMES = 3;

async function aboutLock(
  files: Files,
  paths: LockPaths,
  own: Entry | null,
): Promise<Thing> {
  const { lock } = paths;
  const entry = await files.entry(lock);
  if (!entry) return null;
  if (entry.kind !== "folder") return blocking(lock, `is ${FOUND[entry.kind]}, not a folder`);
  const names = await files.list(lock).catch(() => []) ?? [];
  if (names.length > 0) {
    return blocking(lock, `is not empty (it holds ${names.slice(0, SHOWN_NAMES).join(", ")})`);
  }
  const folder = await files.entry(folderItself(paths));
  if (!folder || !own || !isKeptFromUs(folder, entry, own)) return null;
  return {
    path: lock,
    problem: `is uid ${entry.uid}'s: in a sticky folder nobody else can break it`,
    blocks: false,
  };
}

/** A waiter makes a probe and removes it at once: what is old belongs to nobody, and is in nobody's way. */
async function aboutProbes(files: Files, { dir }: LockPaths, own: Entry | null): Promise<Thing> {
  if (own === null) return null;
  for (const name of (await files.list(dir).catch(() => null) ?? []).filter(isProbe)) {
    const path = `${dir}/${name}`;
    const entry = await files.entry(path);
    if (!entry || own.mtimeMs - entry.mtimeMs <= LITTER_AGE_MS) continue;
    const problem = "was left by a waiter that was killed: rmdir removes it";
    return { path, problem, blocks: false };
  }
  return null;
}

async function aboutLog(sys: TrialSys, { log }: LockPaths): Promise<Thing> {
  const { files } = sys;
  const entry = await files.entry(log);
  if (!entry) return null;
  if (entry.kind !== "file") return blocking(log, `is ${FOUND[entry.kind]}, not a file`);
  // An empty line is no line: this only opens it.
  return await problemOf(log, "cannot be written", () => files.append(log, "")) ??
    await aboutLogLock(sys, log);
}

/** A writer has the log's file lock for milliseconds. */
const LOG_LOCK_PATIENCE_MS = 1000;

async function aboutLogLock({ files, clock }: TrialSys, log: string): Promise<Thing> {
  const file = await files.open(log);
  if (!file) return null;
  try {
    const isFree = async () => await file.tryLock("shared") !== "held";
    if (await timeUntil(clock, LOG_LOCK_PATIENCE_MS, isFree) !== null) return null;
  } finally {
    await file.close();
  }
  const words = "is file-locked by another process, perhaps on another machine";
  const isReadable = await files.readTail(log, 1).then(() => true, () => false);
  if (!isReadable) return blocking(log, `${words}: until that ends, no line can be written here`);
  return { path: log, problem: `${words}: each line waits a moment for it`, blocks: false };
}

async function aboutState({ files, random }: TrialSys, { state }: LockPaths): Promise<Thing> {
  const entry = await files.entry(state);
  if (!entry) return null;
  if (entry.kind !== "folder") return blocking(state, `is ${FOUND[entry.kind]}, not a folder`);
  const probe = `${state}/.probe-${await random.token()}`;
  return await problemOf(state, "cannot be written", async () => {
    await files.makeFolder(probe);
    await files.removeFolder(probe);
  });
}

async function problemOf(path: string, words: string, run: () => Promise<void>): Promise<Thing> {
  try {
    await run();
    return null;
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    return blocking(path, `${words}: ${fault.reason}`);
  }
}

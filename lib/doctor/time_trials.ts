/** What the file system makes of times. */

import { FileFault } from "../sys/faults.ts";
import type { ClockFound, MtimeSeenFound, TimesFound } from "./rules/judgement.ts";
import { resolutionOf } from "./rules/trial_rules.ts";
import { timeUntil } from "./trial.ts";
import type { Ground } from "./trial_ground.ts";

/** An odd second, and nearly the next: what is cut off shows, whether it keeps seconds or even ones. */
const SET_MS = 1_700_000_001_987;

const SAMPLES = 12;
/** Longer than a kernel's tick, and no multiple of it. */
const BETWEEN_SAMPLES_MS = 7;

export async function readTimes(
  { sys: { files, clock }, here, prefix }: Ground,
): Promise<TimesFound> {
  const path = `${here}/${prefix}times`;
  await files.makeFolder(path);
  const fresh = await files.entry(path);
  let setFailed: string | null = null;
  try {
    await files.setMtime(path, SET_MS);
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    setFailed = fault.reason;
  }
  const entry = await files.entry(path);
  const mtimes: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    mtimes.push(await files.create(`${path}/${sample}`, ""));
    await clock.sleep(BETWEEN_SAMPLES_MS);
  }
  const steps = mtimes.slice(1).map((ms, index) => ms - mtimes[index]!).filter((step) => step > 0);
  return {
    setFailed,
    offMs: entry ? Math.abs(SET_MS - entry.mtimeMs) : SET_MS,
    stepMs: steps.length === 0 ? null : Math.min(...steps),
    // Some shares make one out of the other times: it moves with them.
    keepsBirthtime: Boolean(entry?.birthtimeMs) && entry?.birthtimeMs === fresh?.birthtimeMs,
  };
}

/** Where the trial of times failed: as coarse as any file system is. */
const UNKNOWN_RESOLUTION_MS = 2000;
/** A kernel stamps files with its last tick, whatever finer steps the file system could keep. */
const TICK_MS = 10;

export async function compareClocks(ground: Ground, times: TimesFound | null): Promise<ClockFound> {
  const { sys: { files, clock }, here, prefix } = ground;
  const beforeMs = await clock.wallMs();
  const folderMs = await files.create(`${here}/${prefix}now`, "");
  const afterMs = await clock.wallMs();
  const aheadMs = folderMs < beforeMs
    ? folderMs - beforeMs
    : folderMs > afterMs
    ? folderMs - afterMs
    : 0;
  const resolutionMs = times ? Math.max(TICK_MS, resolutionOf(times)) : UNKNOWN_RESOLUTION_MS;
  return { aheadMs, resolutionMs };
}

/** NFS keeps what it knows of a file for up to a minute; who waits for that waits for nothing. */
const SEEN_LIMIT_MS = 5000;

/** How soon an mtime that is set through one mount is read through the other, after listing the folder. */
export async function watchMtimeCross(ground: Ground): Promise<MtimeSeenFound> {
  const { sys: { files, clock }, team, here, there, prefix } = ground;
  const [looker] = await team.members(1);
  const name = `${prefix}beaten`;
  await files.makeFolder(`${here}/${name}`);
  const look = async () =>
    (await looker!.ask({ do: "mtime", folder: there, path: `${there}/${name}` }))[0];
  const appears = await timeUntil(clock, SEEN_LIMIT_MS, async () => await look() !== "missing");
  if (appears === null) return { seenAfterMs: null, limitMs: SEEN_LIMIT_MS };
  const before = await look();
  await files.setMtime(`${here}/${name}`, SET_MS);
  const seenAfterMs = await timeUntil(clock, SEEN_LIMIT_MS, async () => {
    const mtime = await look();
    return mtime !== before && mtime !== "missing";
  });
  return { seenAfterMs, limitMs: SEEN_LIMIT_MS };
}

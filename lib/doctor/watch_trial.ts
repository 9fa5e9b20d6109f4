/** Whether the watch sees a folder that another process removes, and how soon. */

import { FileFault } from "../sys/faults.ts";
import type { WatchFound } from "./rules/findings.ts";
import { lastName } from "../folder/state/layout.ts";
import type { Closable } from "../sys/sys.ts";
import { inTime } from "./trial.ts";
import type { Ground } from "./trial_ground.ts";

/** One may be lucky. */
const REMOVALS = 5;
/** Until the news of its making are over: they name the same path. */
const SETTLES_MS = 100;
/** Twice as late as what is called slow. */
const SEEN_LIMIT_MS = 1000;
/** A watch that has missed as many as this sees nothing. */
const MISSES_ENOUGH = 2;

export async function tryWatch(ground: Ground): Promise<WatchFound> {
  const { sys: { files, clock }, team, here, there, prefix } = ground;
  const [remover] = await team.members(1);
  let onChange: (paths: readonly string[]) => void = () => {};
  let watch: Closable;
  try {
    watch = await files.watch(here, (paths) => onChange(paths));
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    return { refused: fault.reason, removals: 0, seen: 0, slowestMs: null };
  }
  const tookMs: number[] = [];
  let removals = 0;
  try {
    for (; removals < REMOVALS; removals++) {
      if (tookMs.length === 0 && removals >= MISSES_ENOUGH) break;
      const name = `${prefix}seen${removals}`;
      await remover!.ask({ do: "make", paths: [`${there}/${name}`] });
      await clock.sleep(SETTLES_MS);
      const seen = new Promise<true>((resolve) => {
        onChange = (paths) => {
          if (paths.some((path) => lastName(path) === name)) resolve(true);
        };
      });
      const beginMs = await clock.monotonicMs();
      await remover!.ask({ do: "remove", path: `${there}/${name}` });
      if (await inTime(clock, seen, SEEN_LIMIT_MS)) {
        tookMs.push(await clock.monotonicMs() - beginMs);
      }
    }
  } finally {
    await watch.close();
  }
  const slowestMs = tookMs.length === 0 ? null : Math.max(...tookMs);
  return { refused: null, removals, seen: tookMs.length, slowestMs };
}

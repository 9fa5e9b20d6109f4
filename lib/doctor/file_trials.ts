/** Whether lines that several processes append at once are all there and all whole. */

import type { AppendsFound, FileLocksFound, WatchFound } from "./rules/judgement.ts";
import { trialLine } from "./helper_orders.ts";
import { inTime, timeUntil, TrialFailed } from "./trial.ts";
import type { Ground } from "./trial_ground.ts";
import { FileFault } from "../sys/faults.ts";
import { lastName } from "../folder/state/layout.ts";
import type { Closable } from "../sys/sys.ts";

/** As many processes as race for folders: they are there already. */
const WRITERS = 8;
const LINES_EACH = 25;
/** Forty times what all of them write: no folder of ours is read without a limit. */
const LARGEST_BYTES = 2 ** 20;
/** What another mount has written may show a little later. */
const SHOWS_LIMIT_MS = 2000;

export async function appendTogether(ground: Ground): Promise<AppendsFound> {
  const { sys: { files, clock }, team, here, there, prefix } = ground;
  const members = await team.members(WRITERS);
  const name = `${prefix}lines`;
  const answers = await Promise.all(members.map((member, writer) => {
    const path = `${writer % 2 === 0 ? here : there}/${name}`;
    return member.ask({ do: "append", path, writer, lines: LINES_EACH });
  }));
  const wanted = new Set(
    Array.from(
      { length: WRITERS * LINES_EACH },
      (_, index) => trialLine(index % WRITERS, Math.floor(index / WRITERS)),
    ),
  );
  let lost = wanted.size;
  let torn = 0;
  await timeUntil(clock, SHOWS_LIMIT_MS, async () => {
    const text = (await files.read(`${here}/${name}`, LARGEST_BYTES))?.text ?? "";
    const lines = text.split("\n").filter((line) => line !== "");
    const whole = new Set(lines.filter((line) => wanted.has(line)));
    lost = wanted.size - whole.size;
    torn = lines.filter((line) => !wanted.has(line)).length;
    return lost === 0 && torn === 0;
  });
  const failures = [...new Set(answers.flat())];
  return { writers: WRITERS, lines: wanted.size, lost, torn, failures };
}

// Whether a file lock keeps another process out, and what becomes of it when its process is killed.

/** A local kernel takes milliseconds; who waits for a server's lease of minutes is told the same after five. */
const FREED_LIMIT_MS = 5000;
/** Another mount's memory of names lasts a second. */
const APPEARS_LIMIT_MS = 3000;

export async function tryFileLocks(ground: Ground): Promise<FileLocksFound> {
  const { sys: { clock }, team, here, there, prefix } = ground;
  const [holder, asker] = await Promise.all([team.recruit(), team.recruit()]);
  try {
    const name = `${prefix}file-locked`;
    const [own] = await holder.ask({ do: "lock new", path: `${here}/${name}` });
    const ask = async () => (await asker.ask({ do: "lock", path: `${there}/${name}` }))[0];
    let whileHeld: string | undefined;
    await timeUntil(clock, APPEARS_LIMIT_MS, async () => (whileHeld = await ask()) !== "missing");
    if (own !== "granted" || whileHeld === "unknown") {
      return { whileHeld: "unknown", freedAfterMs: null, limitMs: FREED_LIMIT_MS };
    }
    if (whileHeld !== "held" && whileHeld !== "granted") {
      throw new TrialFailed("a new file is not seen on the other mount");
    }
    if (whileHeld === "granted") return { whileHeld, freedAfterMs: null, limitMs: FREED_LIMIT_MS };
    await holder.kill();
    const freedAfterMs = await timeUntil(
      clock,
      FREED_LIMIT_MS,
      async () => await ask() === "granted",
    );
    return { whileHeld, freedAfterMs, limitMs: FREED_LIMIT_MS };
  } finally {
    await Promise.all([holder.kill(), asker.kill()]);
  }
}

// Whether the watch sees a folder that another process removes, and how soon.

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

/** Whether a file lock keeps another process out, and what becomes of it when its process is killed. */

import type { FileLocksFound } from "./rules/findings.ts";
import { timeUntil, TrialFailed } from "./trial.ts";
import type { Ground } from "./trial_ground.ts";

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

/**
 * `--die-with-parent`: the process that called us is gone, so nobody wants what we wait for or run.
 *
 * Found by the number of our parent, which changes when it ends: another process takes us in. It is asked once a
 * second, for the system tells nobody. Not found: a caller that was gone before we asked first, and one that called
 * through a shell which lives on.
 */

import { CallerGone } from "../lock/failures.ts";
import type { Host } from "../sys/sys.ts";

/** As often as a person notices, and rare enough to cost nothing. */
const ASK_EVERY_MS = 1000;

export interface Caller {
  /** Aborted when it is gone, with a `CallerGone`. */
  readonly gone: AbortSignal;
  /** Asks at once. */
  ask(): Promise<void>;
  /** Asks no more. */
  close(): void;
  /** Told once the wait has begun. What it fails with ends the wait. @param place 1 = first in line */
  began?(place: number): Promise<void>;
  /** Told once the lock is ours, before anything is started. What it fails with gives the lock back. */
  granted?(): Promise<void>;
  /** Told once the command runs. */
  started?(childPid: number): Promise<void>;
}

/** Watches the process that called us. @param lock for the failure's words */
export async function watchCaller(
  lock: string,
  { clock, commands }: Pick<Host, "clock" | "commands">,
): Promise<Caller> {
  const gone = new AbortController();
  const over = new AbortController();
  const pid = await commands.parentPid();
  const ask = async () => {
    if (await commands.parentPid() === pid) return;
    gone.abort(new CallerGone(lock, pid));
    over.abort();
  };
  void (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(ASK_EVERY_MS, over.signal);
      if (!over.signal.aborted) await ask();
    }
  })();
  return { gone: gone.signal, ask, close: () => over.abort() };
}

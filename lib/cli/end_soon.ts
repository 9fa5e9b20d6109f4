/** After a signal: a moment to leave the line, finish a claim or give a lock back, and then the end. */

import type { Clock, Files, Host, SignalName } from "../sys/sys.ts";
import { endedInTheMiddle, line } from "./wording/line.ts";

/** Far longer than an answer takes; but a file call on a frozen share never comes back. */
const WITHIN_MS = 2000;
/** What is tried again and again is answered each time. Giving back is given up after ten seconds. */
const LONGEST_MS = 15_000;

/** A host of which is known when it last answered a file call. */
export interface HeardHost extends Host {
  /** Monotonic; `-Infinity` if it never did. */
  readonly answeredAtMs: () => number;
}

/** To be used in the host's place from the beginning on. */
export function hear(host: Host): HeardHost {
  let latestMs = -Infinity;
  const files = heardFiles(host.files, host.clock, (nowMs) => {
    latestMs = nowMs;
  });
  return { ...host, files, answeredAtMs: () => latestMs };
}

function heardFiles(files: Files, clock: Clock, onAnswer: (nowMs: number) => void): Files {
  const note = async () => onAnswer(await clock.monotonicMs());
  return new Proxy(files, {
    get(target, name: keyof Files) {
      const call = target[name] as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) => {
        const answer = call.apply(target, args);
        void answer.then(note, note);
        return answer;
      };
    },
  });
}

/**
 * Ends the program by this signal, unless it has ended by itself until then. On a slow share it takes its time: for
 * as long as calls are answered, it goes on.
 */
export async function endSoon(
  host: HeardHost,
  lock: string,
  signal: SignalName,
): Promise<void> {
  const { clock } = host;
  const sinceMs = await clock.monotonicMs();
  for (let nowMs = sinceMs;; nowMs = await clock.monotonicMs()) {
    const heardMs = Math.max(sinceMs, host.answeredAtMs());
    const leftMs = Math.min(heardMs + WITHIN_MS, sinceMs + LONGEST_MS) - nowMs;
    if (leftMs <= 0) break;
    await clock.sleep(leftMs);
  }
  await host.terminal.err(line(endedInTheMiddle(lock, signal)));
  await host.commands.endBy(signal);
}

/** Acquiring for the command line: with the display of the wait, and the line of JSON at its end. */

import { GaveUp, type HolderView, Interrupted } from "../core/failures.ts";
import { HELD_VARIABLE, inheritedTokens } from "../core/inherited.ts";
import { medianHoldMs } from "../core/last_in_log.ts";
import { NO_COLOR_VARIABLE } from "../core/variables.ts";
import { acquire, type AcquireRequest } from "../lock/acquire.ts";
import { logTail } from "../lock/audit.ts";
import type { Hold } from "../lock/hold.ts";
import { inspectMount, wakeUpsOn } from "../lock/mount.ts";
import { holdAround } from "../lock/nested.ts";
import { Rehearsal } from "../lock/rehearsal.ts";
import type { Site } from "../lock/site.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { endSoon } from "./end_soon.ts";
import { goesStraightThrough, line } from "./messages.ts";
import { WaitDisplay } from "./wait_display.ts";
import { acquiredJson, gaveUpJson, insideJson, interruptedJson } from "./wait_text.ts";

/** What a command line asks for. How waiters are woken depends on the mount. */
type Wish = Omit<AcquireRequest, "wakeUps">;

export interface Granted {
  readonly hold: Hold;
  /**
   * To be called when nothing is awaited any more before the command is started, or the program ends. Fails with
   * an `Interrupted` if a signal has come, which no command has been there to take.
   */
  readonly handOverSignals: () => void;
}

/**
 * Waits, and says so. A signal ends the wait, and then the program: our place in line is given up first, and a
 * lock that has just been granted is given back.
 * @throws as `acquire()`, with an `Interrupted` as its reason
 */
export async function waitAndSay(
  site: Site,
  host: Host,
  request: Wish,
  parsed: ParsedLine,
): Promise<Granted> {
  const lockPath = site.paths.lock;
  const interrupt = new AbortController();
  const signals = await host.commands.catchSignals((name) => {
    interrupt.abort(new Interrupted(lockPath, name));
    void endSoon(host, lockPath, name);
  });
  let broke: HolderView | null = null;
  const display = await displayFor(site, host, request, parsed);
  try {
    const mount = await inspectMount(host, site.paths.dir);
    const wakeUps = wakeUpsOn(mount, host.environment);
    const waits = { ...request, wakeUps, interrupt: interrupt.signal };
    const rehearsal = wakeUps === "sure" ? new Rehearsal(site, waits) : null;
    const hold = await acquire(site, waits, {
      broke: (holder) => broke = holder,
      looked: async (look) => await display?.looked(look),
      ...(rehearsal && { getReady: (token) => rehearsal.once(token) }),
    });
    const { waitedMs, place: position } = hold.waited;
    await display?.acquired(waitedMs, broke);
    if (parsed.set.has("json")) {
      const { slug, fence } = hold;
      await host.terminal.err(
        acquiredJson({ lockPath, slug, fence, waitedMs, position, broke }) + "\n",
      );
    }
    await signals.drawIn();
    const handOverSignals = () => {
      interrupt.signal.throwIfAborted();
      signals.close();
    };
    return { hold, handOverSignals };
  } catch (failure) {
    await display?.end();
    if (failure instanceof GaveUp && parsed.set.has("json")) {
      const { waitedMs, place: position, holder } = failure;
      const { slug } = request;
      await host.terminal.err(gaveUpJson({ lockPath, slug, waitedMs, position, holder }) + "\n");
    }
    if (failure instanceof Interrupted && parsed.set.has("json")) {
      const { signal } = failure;
      const { slug } = request;
      await host.terminal.err(interruptedJson({ lockPath, slug, signal }) + "\n");
    }
    throw failure;
  }
}

/** One attempt is no wait; and an agent that reads JSON, or asked for quiet, wants no lines for people. */
async function displayFor(
  site: Site,
  host: Host,
  request: Wish,
  parsed: ParsedLine,
): Promise<WaitDisplay | null> {
  if (parsed.set.has("quiet") || parsed.set.has("json") || request.timeoutMs === 0) return null;
  const about = {
    lockPath: site.paths.lock,
    slug: request.slug,
    timeoutMs: request.timeoutMs,
    holdMs: async () => medianHoldMs(await logTail(site)),
    color: !host.environment.get(NO_COLOR_VARIABLE),
  };
  return new WaitDisplay(host.terminal, host.clock, about, await host.clock.monotonicMs());
}

/** Whether we already run under the present hold of this lock; said on stderr if so. */
export async function isInside(site: Site, host: Host, parsed: ParsedLine): Promise<boolean> {
  const tokens = inheritedTokens(host.environment.get(HELD_VARIABLE));
  const around = await holdAround(site, tokens);
  const lockPath = site.paths.lock;
  if (around && parsed.set.has("json")) {
    await host.terminal.err(
      insideJson({ lockPath, slug: around.slug, fence: around.fence }) + "\n",
    );
  } else if (around && !parsed.set.has("quiet")) {
    await host.terminal.err(line(goesStraightThrough(lockPath, around.slug)));
  }
  return around !== null;
}

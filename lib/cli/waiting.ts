/** Acquiring for the command line: with the display of the wait, and the line of JSON at its end. */

import { GaveUp, type HolderView, Interrupted } from "../lock/failures.ts";
import { medianHoldMs } from "../log/tail.ts";
import { NO_COLOR_VARIABLE } from "../lock/variables.ts";
import { acquire } from "../folder/acquire.ts";
import { logTail } from "../folder/audit.ts";
import type { Hold } from "../folder/hold.ts";
import { answersOn, refuseUnsafeMount, wakeUpsOn } from "../folder/place/mount.ts";
import { Rehearsal } from "../folder/line/rehearsal.ts";
import type { Site } from "../folder/site.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { endSoon, type HeardHost } from "./end_soon.ts";
import { type WaitAbout, WaitDisplay } from "./wait_display.ts";
import { acquiredJson, expectedInAllMs, gaveUpJson, interruptedJson } from "./wording/wait_text.ts";
import type { AcquireRequest, WaitLook } from "../lock/request.ts";

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
  host: HeardHost,
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
  const holdMs = once(async () => medianHoldMs(await logTail(site)));
  let began: WaitLook | null = null;
  const display = await displayFor(site, host, { ...request, holdMs }, parsed);
  try {
    refuseUnsafeMount(site, host.environment);
    const wakeUps = wakeUpsOn(site.mount, host.environment);
    const answers = answersOn(site.mount);
    const waits = { ...request, ...answers, wakeUps, interrupt: interrupt.signal };
    const rehearsal = wakeUps === "sure" ? new Rehearsal(site, waits) : null;
    const hold = await acquire(site, waits, {
      broke: (holder) => broke = holder,
      looked: async (look) => {
        began ??= look;
        // Read now and not at the end: by then others have held.
        await holdMs();
        await display?.looked(look);
      },
      silent: async (call) => await display?.silent(call),
      ...(rehearsal && { getReady: (token) => rehearsal.once(token) }),
    });
    await orGiveBack(hold, async () => {
      const { waitedMs, place: position } = hold.waited;
      await display?.acquired(waitedMs, broke);
      if (parsed.set.has("json")) {
        const { slug, fence } = hold;
        const told = acquiredJson({ lockPath, slug, fence, waitedMs, position, broke });
        await host.terminal.errForPrograms(`${told}\n`);
      }
      await signals.drawIn();
    });
    const handOverSignals = () => {
      interrupt.signal.throwIfAborted();
      signals.close();
    };
    return { hold, handOverSignals };
  } catch (failure) {
    await display?.end();
    if (failure instanceof GaveUp) {
      const expectedMs = began && expectedInAllMs(began, await holdMs());
      throw await endInVain(host, failure, expectedMs, request.slug, parsed);
    }
    if (failure instanceof Interrupted && parsed.set.has("json")) {
      const { signal } = failure;
      const { slug } = request;
      await host.terminal.err(interruptedJson({ lockPath, slug, signal }) + "\n");
    }
    throw failure;
  }
}

/**
 * Whatever fails between the grant and what it is for, a defect of ours too, the lock is given back: nobody would
 * know that it has to be.
 */
export async function orGiveBack<T>(hold: Hold, proceed: () => Promise<T>): Promise<T> {
  try {
    return await proceed();
  } catch (failure) {
    await hold.release();
    throw failure;
  }
}

/** @return the failure as it is to be told */
async function endInVain(
  host: Host,
  { lockPath, waitedMs, timeoutMs, holder, place, unanswered }: GaveUp,
  expectedMs: number | null,
  slug: string,
  parsed: ParsedLine,
): Promise<GaveUp> {
  if (parsed.set.has("json")) {
    const told = { lockPath, slug, waitedMs, position: place, expectedMs, holder };
    await host.terminal.errForPrograms(gaveUpJson(told) + "\n");
  }
  return new GaveUp(lockPath, waitedMs, timeoutMs, holder, place, expectedMs, unanswered);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => made ??= make();
}

/** One attempt is no wait; and an agent that reads JSON, or asked for quiet, wants no lines for people. */
async function displayFor(
  site: Site,
  host: Host,
  request: Wish & Pick<WaitAbout, "holdMs">,
  parsed: ParsedLine,
): Promise<WaitDisplay | null> {
  if (parsed.set.has("quiet") || parsed.set.has("json") || request.timeoutMs === 0) return null;
  const about = {
    lockPath: site.paths.lock,
    slug: request.slug,
    timeoutMs: request.timeoutMs,
    holdMs: request.holdMs,
    color: !host.environment.get(NO_COLOR_VARIABLE),
  };
  return new WaitDisplay(host.terminal, host.clock, about, await host.clock.monotonicMs());
}

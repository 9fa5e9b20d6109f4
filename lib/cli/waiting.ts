/** Acquiring for the command line: with the display of the wait, and the line of JSON at its end. */

import { GaveUp, Interrupted } from "../lock/failures.ts";
import { NO_COLOR_VARIABLE } from "../lock/variables.ts";
import type { RunnableHold } from "../lock/hold.ts";
import type { LockService } from "../lock/service.ts";
import type { HolderView } from "../lock/views.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { endSoon, type HeardHost } from "./end_soon.ts";
import { type WaitAbout, WaitDisplay } from "./wait_display.ts";
import { acquiredJson, expectedInAllMs, gaveUpJson, interruptedJson } from "./wording/wait_text.ts";
import type { WaitLook, WaitRequest } from "../lock/request.ts";

export interface Granted {
  readonly hold: RunnableHold;
  /**
   * To be called when nothing is awaited any more before the command is started, or the program ends. Fails with
   * an `Interrupted` if a signal has come, which no command has been there to take.
   */
  readonly commitOrThrow: () => void;
}

/**
 * Waits, and says so. A signal ends the wait, and then the program: our place in line is given up first, and a
 * lock that has just been granted is given back.
 * @throws as `acquire()`, with an `Interrupted` as its reason
 */
export async function waitAndSay(
  service: LockService,
  host: HeardHost,
  request: WaitRequest,
  parsed: ParsedLine,
): Promise<Granted> {
  const { lock } = service;
  const interrupt = new AbortController();
  const signals = await host.commands.catchSignals((name) => {
    interrupt.abort(new Interrupted(lock, name));
    void endSoon(host, lock, name);
  });
  let broke: HolderView | null = null;
  const holdMs = once(() => service.usualHoldMs());
  let began: WaitLook | null = null;
  const display = await displayFor(service, host, { ...request, holdMs }, parsed);
  try {
    const hold = await service.acquire({ ...request, interrupt: interrupt.signal }, {
      broke: (holder) => broke = holder,
      looked: async (look) => {
        began ??= look;
        // Read now and not at the end: by then others have held.
        await holdMs();
        await display?.looked(look);
      },
      silent: async (call) => await display?.silent(call),
    });
    await orGiveBack(hold, async () => {
      const { waitedMs, place: position } = hold.waited;
      await display?.acquired(waitedMs, broke);
      if (parsed.set.has("json")) {
        const { slug, fence } = hold;
        const told = acquiredJson({ lock, slug, fence, waitedMs, position, broke });
        await host.terminal.errForPrograms(`${told}\n`);
      }
      await signals.flush();
    });
    const commitOrThrow = () => {
      interrupt.signal.throwIfAborted();
      signals.close();
    };
    return { hold, commitOrThrow };
  } catch (failure) {
    await display?.end();
    if (failure instanceof GaveUp) {
      const expectedMs = began && expectedInAllMs(began, await holdMs());
      throw await endInVain(host, failure, expectedMs, request.slug, parsed);
    }
    if (failure instanceof Interrupted && parsed.set.has("json")) {
      const { signal } = failure;
      const { slug } = request;
      await host.terminal.err(interruptedJson({ lock, slug, signal }) + "\n");
    }
    throw failure;
  }
}

/**
 * Whatever fails between the grant and what it is for, a defect of ours too, the lock is given back: nobody would
 * know that it has to be.
 */
export async function orGiveBack<T>(hold: RunnableHold, proceed: () => Promise<T>): Promise<T> {
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
  { lock, waitedMs, timeoutMs, holder, place, unanswered }: GaveUp,
  expectedMs: number | null,
  slug: string,
  parsed: ParsedLine,
): Promise<GaveUp> {
  if (parsed.set.has("json")) {
    const told = { lock, slug, waitedMs, position: place, expectedMs, holder };
    await host.terminal.errForPrograms(gaveUpJson(told) + "\n");
  }
  return new GaveUp(lock, waitedMs, timeoutMs, holder, place, expectedMs, unanswered);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => made ??= make();
}

/** One attempt is no wait; and an agent that reads JSON, or asked for quiet, wants no lines for people. */
async function displayFor(
  service: LockService,
  host: Host,
  request: WaitRequest & Pick<WaitAbout, "holdMs">,
  parsed: ParsedLine,
): Promise<WaitDisplay | null> {
  if (parsed.set.has("quiet") || parsed.set.has("json") || request.timeoutMs === 0) return null;
  const about = {
    lock: service.lock,
    slug: request.slug,
    timeoutMs: request.timeoutMs,
    holdMs: request.holdMs,
    color: !host.environment.get(NO_COLOR_VARIABLE),
  };
  return new WaitDisplay(host.terminal, host.clock, about, await host.clock.monotonicMs());
}

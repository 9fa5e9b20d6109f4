/** Acquiring for the command line: with the display of the wait, and the line of JSON at its end. */

import { GaveUp, Interrupted } from "../lock/failures.ts";
import {
  HELD_VARIABLE,
  inheritedHolds,
  inheritedTokens,
  NO_COLOR_VARIABLE,
} from "../lock/variables.ts";
import type {
  LockService,
  OuterHold,
  RunnableHold,
  WaitLook,
  WaitRequest,
} from "../lock/service.ts";
import type { HolderView } from "../lock/views.ts";
import type { Clock, Files, Host, SignalName } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import type { WaitDisplay } from "./wait_display.ts";
import type { Caller } from "./caller.ts";
import { say } from "./say.ts";
import { endedInTheMiddle, line } from "./wording/line.ts";

type WaitText = typeof import("./wording/wait_text.ts");

/** Loaded before the wait where its end is told in JSON: not while the lock is held. */
async function waitText(): Promise<WaitText> {
  return await import("./wording/wait_text.ts");
}

export interface Granted {
  readonly hold: RunnableHold;
  /** For whom it was granted, if that is watched. */
  readonly caller: Caller | null;
  /**
   * To be called when nothing is awaited any more before the command is started, or the program ends. Fails with
   * an `Interrupted` if a signal has come, which no command has been there to take.
   */
  readonly commitOrThrow: () => void;
}

/**
 * Waits, and says so. A signal ends the wait, and then the program: our place in line is given up first, and a
 * lock that has just been granted is given back.
 * @param asking for whom the wait is; without it the process that called, if it is to be watched
 * @throws as `acquire()`, with an `Interrupted` as its reason
 */
export async function waitAndSay(
  service: LockService,
  host: HeardHost,
  request: WaitRequest,
  parsed: ParsedLine,
  asking: Caller | null = null,
): Promise<Granted> {
  const { lock } = service;
  const interrupt = new AbortController();
  const caller = asking ?? await callerOf(lock, host, parsed);
  caller?.gone.addEventListener("abort", () => interrupt.abort(caller.gone.reason));
  const signals = await host.commands.catchSignals((name) => {
    interrupt.abort(new Interrupted(lock, name));
    void endSoon(host, lock, name);
  });
  let broke: HolderView | null = null;
  let began: WaitLook | null = null;
  const holdMs = once(() => service.usualHoldMs());
  const json = parsed.set.has("json") ? await waitText() : null;
  const wait = new ShownWait(
    service,
    host,
    request,
    parsed,
    holdMs,
    await host.clock.monotonicMs(),
  );
  try {
    const within = inheritedHolds(host.environment.get(HELD_VARIABLE));
    const asked = { ...request, ...(within.length > 0 && { within }), interrupt: interrupt.signal };
    const hold = await service.acquire(asked, {
      broke: (holder) => broke = holder,
      began: async (place) => await caller?.began?.(place),
      looked: async (look) => {
        began ??= look;
        // Read now and not at the end: by then others have held.
        await holdMs();
        await (await wait.display())?.looked(look);
      },
      silent: async (call) => await (await wait.display())?.silent(call),
    });
    await orGiveBack(hold, async () => {
      const { waitedMs, place: position } = hold.waited;
      await wait.acquired(waitedMs, broke);
      if (json) {
        const { slug, fence, slot, named } = hold;
        const about = { lock, slug, fence, slot, named, waitedMs, position, broke };
        const told = json.acquiredJson(about);
        await host.terminal.errForPrograms(`${told}\n`);
      }
      await caller?.ask();
      interrupt.signal.throwIfAborted();
      await caller?.granted?.();
      await signals.flush();
    });
    const commitOrThrow = () => {
      interrupt.signal.throwIfAborted();
      signals.close();
    };
    return { hold, commitOrThrow, caller };
  } catch (failure) {
    caller?.close();
    await wait.end();
    if (failure instanceof GaveUp) {
      const { expectedInAllMs } = await waitText();
      const expectedMs = began && expectedInAllMs(began, await holdMs());
      throw await endInVain(host, failure, expectedMs, request.slug, json);
    }
    if (failure instanceof Interrupted && json) {
      const { signal } = failure;
      const { slug } = request;
      await host.terminal.err(json.interruptedJson({ lock, slug, signal }) + "\n");
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

/** @return null unless `--die-with-parent` is given */
async function callerOf(lock: string, host: Host, { set }: ParsedLine): Promise<Caller | null> {
  if (!set.has("die-with-parent")) return null;
  const { watchCaller } = await import("./caller.ts");
  return await watchCaller(lock, host);
}

/** @return the failure as it is to be told */
async function endInVain(
  host: Host,
  failure: GaveUp,
  expectedMs: number | null,
  slug: string,
  json: WaitText | null,
): Promise<GaveUp> {
  if (json) {
    const { lock, waitedMs, place, holder, kept, circle } = failure;
    const told = { lock, slug, waitedMs, position: place, expectedMs, holder, kept, circle };
    await host.terminal.errForPrograms(json.gaveUpJson(told) + "\n");
  }
  return failure.with({ expectedMs });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => made ??= make();
}

/** The display of a wait: it is loaded once there is something to show, since most calls find the lock free. */
class ShownWait {
  readonly #open: () => Promise<WaitDisplay | null>;
  #display: Promise<WaitDisplay | null> | null = null;

  constructor(
    { lock }: LockService,
    { terminal, clock, environment }: Host,
    { slug, timeoutMs }: WaitRequest,
    { set }: ParsedLine,
    holdMs: () => Promise<number | null>,
    startMs: number,
  ) {
    // One attempt is no wait; and an agent that reads JSON, or asked for quiet, wants no lines for people.
    const isShown = !set.has("quiet") && !set.has("json") && timeoutMs !== 0;
    const color = !environment.get(NO_COLOR_VARIABLE);
    this.#open = async () => {
      if (!isShown) return null;
      const { WaitDisplay } = await import("./wait_display.ts");
      return new WaitDisplay(terminal, clock, { lock, slug, timeoutMs, holdMs, color }, startMs);
    };
  }

  display(): Promise<WaitDisplay | null> {
    return this.#display ??= this.#open();
  }

  /** @param broke whose stale lock was broken on the way, be it at the first look */
  async acquired(waitedMs: number, broke: HolderView | null): Promise<void> {
    if (broke) await this.display();
    await (await this.#display)?.acquired(waitedMs, broke);
  }

  async end(): Promise<void> {
    await (await this.#display)?.end();
  }
}

// Commands that run inside of the present hold of the very lock that they name.

/** Whether we already run under the present hold of this lock. */
export async function isInside(service: LockService, host: Host): Promise<boolean> {
  return await around(service, host) !== null;
}

/** As `isInside()`, and says so on stderr. */
export async function goesThrough(
  service: LockService,
  host: Host,
  { set }: ParsedLine,
): Promise<boolean> {
  const hold = await around(service, host);
  const { lock } = service;
  if (hold && set.has("json")) {
    const { slug, fence } = hold;
    const { insideJson } = await import("./wording/wait_text.ts");
    await host.terminal.errForPrograms(insideJson({ lock, slug, fence }) + "\n");
  } else if (hold && !set.has("quiet")) {
    await say(host, (messages) => messages.goesStraightThrough(lock, hold.slug));
  }
  return hold !== null;
}

async function around(service: LockService, host: Host): Promise<OuterHold | null> {
  return await service.around(inheritedTokens(host.environment.get(HELD_VARIABLE)));
}

// After a signal: a moment to leave the line, finish a claim or give a lock back, and then the end.

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

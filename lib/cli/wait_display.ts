/**
 * Shows a wait on stderr: on a terminal one line that is rewritten each second, elsewhere a line when it
 * begins, when the place in line changes, and when it ends.
 */

import type { HolderView } from "../lock/views.ts";
import type { UnansweredCall, WaitLook, WaitObserver } from "../lock/service.ts";
import type { Clock, Terminal } from "../sys/sys.ts";
import { line } from "./wording/line.ts";
import {
  holderIsOdd,
  lockWasBroken,
  progressLine,
  shareIsSilent,
  twinIsHere,
  waitBegins,
  waitEnds,
  waitGoesOn,
  waitIsTooShort,
  type WaitState,
} from "./wording/wait_text.ts";

export interface WaitAbout {
  readonly lock: string;
  /** The waiter's slug. */
  readonly slug: string;
  readonly timeoutMs: number | null;
  /** Median length of recent holds when the wait began; null where the log tells of none. */
  readonly holdMs: () => Promise<number | null>;
  readonly color: boolean;
}

const REWRITE_EVERY_MS = 1000;
/** A log of a build fills with nothing else otherwise. */
const PLACE_LINE_EVERY_MS = 30_000;

const CLEAR_LINE = "\r\x1b[K";
const DIM = "\x1b[2m";
const PLAIN = "\x1b[0m";

export class WaitDisplay implements WaitObserver {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #about: WaitAbout;
  readonly #startMs: number;
  #holdMs: number | null = null;
  #look: WaitLook | null = null;
  #oddityTold: string | null = null;
  #isSilent = false;
  #placeTold = 0;
  #placeToldAtMs = 0;
  #ticking: { readonly stop: AbortController; readonly done: Promise<void> } | null = null;

  constructor(terminal: Terminal, clock: Clock, about: WaitAbout, startMs: number) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#about = about;
    this.#startMs = startMs;
  }

  async looked(look: WaitLook): Promise<void> {
    const begins = this.#look === null;
    this.#isSilent = false;
    this.#look = look;
    if (begins) {
      await this.#begin();
      if (look.twin) {
        await this.#say(twinIsHere(this.#about.slug, look.twin, await this.#clock.wallMs()));
      }
      await this.#showProgress();
    } else if (!this.#ticking) await this.#tellPlace();
    await this.#tellOddity(begins && !this.#ticking);
  }

  /** Once for each silence: until a look succeeds again. */
  async silent({ operation, path }: UnansweredCall): Promise<void> {
    if (!this.#isSilent) await this.#say(shareIsSilent(operation, path));
    this.#isSilent = true;
  }

  /** @param isTold what was said just now has it in it */
  async #tellOddity(isTold: boolean): Promise<void> {
    const short = this.#look!.holder?.oddity?.short ?? null;
    if (short !== null && short !== this.#oddityTold && !isTold) {
      await this.#say(holderIsOdd(await this.#state()));
    }
    this.#oddityTold = short;
  }

  async #begin(): Promise<void> {
    this.#holdMs = await this.#about.holdMs();
    const state = await this.#state();
    const warning = waitIsTooShort(state);
    if (warning) await this.#say(warning);
    this.#placeTold = state.place;
    this.#placeToldAtMs = await this.#clock.monotonicMs();
    if (await this.#terminal.errColumns() === null) await this.#say(waitBegins(state));
  }

  async #showProgress(): Promise<void> {
    if (await this.#terminal.errColumns() === null) return;
    const stop = new AbortController();
    this.#ticking = { stop, done: this.#rewrite(stop.signal) };
  }

  async #tellPlace(): Promise<void> {
    const { place } = this.#look!;
    const nowMs = await this.#clock.monotonicMs();
    if (place === this.#placeTold || nowMs - this.#placeToldAtMs < PLACE_LINE_EVERY_MS) return;
    this.#placeTold = place;
    this.#placeToldAtMs = nowMs;
    await this.#say(waitGoesOn(await this.#state()));
  }

  async #rewrite(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const columns = await this.#terminal.errColumns();
      if (columns === null) return;
      const text = progressLine(await this.#state(), columns);
      if (stop.aborted) return;
      await this.#terminal.err(CLEAR_LINE + (this.#about.color ? DIM + text + PLAIN : text));
      await this.#clock.sleep(REWRITE_EVERY_MS, stop);
    }
  }

  /** Clears the line of a terminal; nothing is written to it after this. */
  async end(): Promise<void> {
    if (!this.#ticking) return;
    this.#ticking.stop.abort();
    await this.#ticking.done;
    this.#ticking = null;
    await this.#terminal.err(CLEAR_LINE);
  }

  /** @param broke whose stale lock was broken on the way */
  async acquired(waitedMs: number, broke: HolderView | null): Promise<void> {
    await this.end();
    if (this.#look) await this.#say(waitEnds(this.#about.lock, waitedMs));
    if (broke) await this.#say(lockWasBroken(broke));
  }

  async #state(): Promise<WaitState> {
    const { holder, slots, place } = this.#look!;
    const { lock, timeoutMs, slug } = this.#about;
    return {
      slug,
      lock,
      timeoutMs,
      holder,
      ...(slots && { slots }),
      place,
      holdMs: this.#holdMs,
      waitedMs: await this.#clock.monotonicMs() - this.#startMs,
      nowMs: await this.#clock.wallMs(),
    };
  }

  async #say(text: string): Promise<void> {
    await this.#terminal.err((this.#ticking ? CLEAR_LINE : "") + line(text));
  }
}

/** A lock in this process's memory: the command line is tested on it, without files. */

import { GaveUp, HoldLost, NotHolder, UsageError } from "../../lib/lock/failures.ts";
import type {
  Claimant,
  LockService,
  OuterHold,
  ReleasedHold,
  RunnableHold,
  Trouble,
  Waited,
  WaitObserver,
  WaitRequest,
  WhichHold,
} from "../../lib/lock/service.ts";
import type { HolderView, StatusView } from "../../lib/lock/views.ts";

const PID = 4711;
const HOST = "memory";
/** As in a log: the times do not matter here. */
const SECOND = "2026-08-22T23:05:52Z";

export class MemoryLock implements LockService {
  readonly lock = "memory:lock";
  readonly log = "memory:log";
  readonly jobs = null;
  readonly slots = null;
  /** The log's lines without their times: `a acquired`. */
  readonly events: string[] = [];
  /** What `usualHoldMs()` tells. */
  usualMs: number | null = null;
  #present: MemoryHold | null = null;
  #fence = 0;
  readonly #line: object[] = [];
  readonly #changes = new EventTarget();
  #changeCount = 0;

  async acquire(request: WaitRequest, observer: WaitObserver = {}): Promise<RunnableHold> {
    const startMs = performance.now();
    const ticket = {};
    this.#line.push(ticket);
    try {
      for (let firstPlace = 0;;) {
        request.interrupt?.throwIfAborted();
        const seen = this.#changeCount;
        const place = this.#line.indexOf(ticket) + 1;
        const waitedMs = performance.now() - startMs;
        if (place === 1 && this.#present === null) {
          return this.#grant(request, { waitedMs, place: firstPlace });
        }
        firstPlace ||= place;
        const holder = this.#present && viewOf(this.#present);
        await observer.looked?.({ holder, place });
        const leftMs = (request.timeoutMs ?? Infinity) - (performance.now() - startMs);
        if (leftMs <= 0) {
          this.events.push(`${request.slug} gave_up`);
          throw new GaveUp(this.lock, waitedMs, request.timeoutMs!, holder, place);
        }
        await this.#changedSince(seen, leftMs, request.interrupt);
      }
    } finally {
      this.#line.splice(this.#line.indexOf(ticket), 1);
      this.#tell();
    }
  }

  #grant(request: WaitRequest, waited: Waited): MemoryHold {
    const fence = ++this.#fence;
    this.events.push(`${request.slug} acquired`);
    return this.#present = new MemoryHold(this, request, fence, waited);
  }

  /** Until something has changed; but no longer than that, and not after an interrupt. */
  async #changedSince(seen: number, limitMs: number, interrupt?: AbortSignal): Promise<void> {
    if (interrupt?.aborted || this.#changeCount !== seen) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = Number.isFinite(limitMs) ? setTimeout(resolve, limitMs) : undefined;
    const once = { once: true };
    this.#changes.addEventListener("change", () => resolve(), once);
    interrupt?.addEventListener("abort", () => resolve(), once);
    await promise;
    clearTimeout(timer);
  }

  #tell(): void {
    this.#changeCount++;
    this.#changes.dispatchEvent(new Event("change"));
  }

  /** Takes a hold away, as somebody would who removes the lock by hand. */
  remove(): void {
    const hold = this.#present;
    this.#present = null;
    hold?.lose();
    this.#tell();
  }

  /** @return whether it was still there to be given back */
  giveBack(hold: MemoryHold): boolean {
    if (this.#present !== hold) return false;
    this.events.push(`${hold.slug} released`);
    this.#present = null;
    this.#tell();
    return true;
  }

  // deno-lint-ignore require-await -- what it throws must come out as a rejection
  async release(
    slug: string,
    isForced: boolean,
    { fence = null }: WhichHold = {},
  ): Promise<ReleasedHold> {
    const hold = this.#holdOf(isForced ? null : slug);
    if (fence !== null && fence !== hold.fence) {
      const fences = { asked: fence, present: hold.fence };
      throw new NotHolder(this.lock, "held by another", viewOf(hold), fences);
    }
    if (!isForced && hold.mode === "run") {
      throw new NotHolder(this.lock, "command still running", viewOf(hold));
    }
    const holder = viewOf(hold);
    if (isForced) this.events.push(`${slug} force_release`);
    else this.events.push(`${slug} released`);
    this.remove();
    const was = isForced ? "held by force" : "acquired";
    return { lock: this.lock, holder, was, worksOn: hold.mode === "run" };
  }

  changeSlots(): Promise<never> {
    return Promise.reject(new UsageError("a lock in memory has no slots"));
  }

  // deno-lint-ignore require-await -- what it throws must come out as a rejection
  async renew(slug: string): Promise<void> {
    const hold = this.#holdOf(slug);
    if (hold.mode === "run") throw new NotHolder(this.lock, "beats by itself", viewOf(hold));
  }

  // deno-lint-ignore require-await -- what it throws must come out as a rejection
  async check(claimant: Claimant): Promise<void> {
    const hold = this.#holdOf(null);
    const isHolder = claimant.by === "fence"
      ? claimant.fence === hold.fence
      : claimant.by === "slug"
      ? claimant.slug === hold.slug
      : claimant.tokens.includes(hold.token);
    if (isHolder) return;
    const fences = claimant.by === "fence" ? { asked: claimant.fence, present: hold.fence } : null;
    throw new NotHolder(this.lock, "held by another", viewOf(hold), fences);
  }

  /** @param slug null for anybody's */
  #holdOf(slug: string | null): MemoryHold {
    const hold = this.#present;
    if (hold === null) throw new NotHolder(this.lock, "not held", null);
    if (slug === null || hold.slug === slug) return hold;
    throw new NotHolder(this.lock, "held by another", viewOf(hold));
  }

  around(tokens: readonly string[]): Promise<OuterHold | null> {
    const hold = this.#present;
    return Promise.resolve(hold && tokens.includes(hold.token) ? hold : null);
  }

  status(): Promise<StatusView> {
    const hold = this.#present;
    const held = hold && {
      holder: viewOf(hold),
      verdict: { state: "held", reason: null, why: WHY, silent: false, stopped: [] } as const,
      hold: { command: null, childPid: null, fence: hold.fence, beat: 1, heartbeatMs: 5000 },
      ageMs: 0,
      entries: [],
      remover: null,
    };
    return Promise.resolve({ lock: this.lock, held, queue: [], absent: [], lastHold: null });
  }

  names(): Promise<readonly string[]> {
    return Promise.resolve(["lock"]);
  }

  usualHoldMs(): Promise<number | null> {
    return Promise.resolve(this.usualMs);
  }

  readJournal(): Promise<boolean> {
    return Promise.resolve(false);
  }

  readLog(onPiece: (text: string) => void): Promise<boolean> {
    onPiece(this.events.map((event) => `${SECOND} ${event}\n`).join(""));
    return Promise.resolve(this.events.length > 0);
  }
}

const WHY = "it is in memory";

function viewOf({ slug, mode, sinceMs }: MemoryHold): HolderView {
  return { slug, mode, pid: PID, host: HOST, sinceMs, why: WHY, oddity: null, isNew: false };
}

class MemoryHold implements RunnableHold {
  readonly slug: string;
  readonly mode: "run" | "acquire";
  readonly token: string;
  readonly lock: string;
  readonly sinceMs = Date.now();
  readonly #lost = new AbortController();
  readonly lost = this.#lost.signal;
  onTrouble: (trouble: Trouble) => void = () => {};

  constructor(
    readonly service: MemoryLock,
    { slug, mode }: WaitRequest,
    readonly fence: number,
    readonly waited: Waited,
  ) {
    this.slug = slug;
    this.mode = mode;
    this.lock = service.lock;
    this.token = `token${fence}`.padEnd(24, "0");
  }

  lose(): void {
    this.#lost.abort(new HoldLost(this.lock, this.slug));
  }

  release(): Promise<void> {
    if (!this.service.giveBack(this) && !this.lost.aborted) this.lose();
    return Promise.resolve();
  }

  startedCommand = () => Promise.resolve();
  endsAll = () => Promise.resolve();
  nameCommand = () => Promise.resolve();
  leaveStanding = () => Promise.resolve();

  logMaxHold(): Promise<void> {
    return Promise.resolve(void this.service.events.push(`${this.slug} max_hold`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

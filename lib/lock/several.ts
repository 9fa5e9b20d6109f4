/**
 * Several locks at once: all or none, whatever kind of lock each is.
 *
 * Guarantee: they are acquired in the order of their names, whatever order the caller gives; so no two that use this wait
 * for each other in a circle. Those acquired sooner are held while later ones are waited for, and all go back if one
 * cannot be had.
 * Not guaranteed: anything about a circle with holds that somebody nests by hand. That is found out in the line.
 */

import { GaveUp, UsageError } from "./failures.ts";
import { SeveralHolds } from "./several_holds.ts";
import type {
  Claimant,
  LockService,
  OuterHold,
  ReleasedHold,
  RunnableHold,
  WaitObserver,
  WaitRequest,
} from "./service.ts";
import { heldLine } from "./variables.ts";
import type { StatusView } from "./views.ts";

/** A lock, and the name that the caller gave for it. */
export interface NamedLock {
  readonly name: string;
  readonly service: LockService;
}

export class SeveralLocks implements LockService {
  readonly lock: string;
  readonly log: string;
  readonly jobs: string | null;
  readonly slots = null;
  readonly #locks: readonly NamedLock[];
  readonly #tokens: readonly string[];
  readonly #nowMs: () => Promise<number>;

  /**
   * @param locks in the order in which they were given
   * @param tokens of the holds that the caller runs under: those locks it has already
   * @param nowMs the monotonic clock
   */
  constructor(
    locks: readonly NamedLock[],
    tokens: readonly string[],
    nowMs: () => Promise<number>,
  ) {
    this.#locks = locks;
    this.#tokens = tokens;
    this.#nowMs = nowMs;
    this.lock = locks.map(({ service }) => service.lock).join(" and ");
    this.log = locks[0]!.service.log;
    this.jobs = locks[0]!.service.jobs;
  }

  async acquire(request: WaitRequest, observer: WaitObserver = {}): Promise<RunnableHold> {
    const startMs = await this.#nowMs();
    const held = new Map<string, RunnableHold>();
    try {
      for (const { name, service } of this.inOrder(this.#locks)) {
        if (await service.around(this.#tokens)) continue;
        const earlier = [...held.values()].map(({ lock, token }) => heldLine(lock, token));
        const within = [...request.within ?? [], ...earlier];
        const timeoutMs = request.timeoutMs === null
          ? null
          : Math.max(0, startMs + request.timeoutMs - await this.#nowMs());
        held.set(name, await service.acquire({ ...request, within, timeoutMs }, observer));
      }
      return new SeveralHolds(this.#inGivenOrder(held), await this.#nowMs() - startMs);
    } catch (failure) {
      await this.giveAllBack([...held.values()]);
      if (!(failure instanceof GaveUp)) throw failure;
      const waitedMs = await this.#nowMs() - startMs;
      throw failure.with({ waitedMs, timeoutMs: request.timeoutMs ?? Infinity });
    }
  }

  /** The order of the letters' numbers: the same on every machine, in every language. */
  protected inOrder(locks: readonly NamedLock[]): readonly NamedLock[] {
    return locks.toSorted((one, other) => one.name < other.name ? -1 : 1);
  }

  protected async giveAllBack(held: readonly RunnableHold[]): Promise<void> {
    for (const hold of held.toReversed()) await hold.release();
  }

  #inGivenOrder(held: ReadonlyMap<string, RunnableHold>) {
    return this.#locks.flatMap(({ name }) => {
      const hold = held.get(name);
      return hold ? [{ name, hold }] : [];
    });
  }

  /** Inside of all of them there is nothing to wait for. */
  async around(tokens: readonly string[]): Promise<OuterHold | null> {
    let first: OuterHold | null = null;
    for (const { service } of this.#locks) {
      const hold = await service.around(tokens);
      if (!hold) return null;
      first ??= hold;
    }
    return first;
  }

  async usualHoldMs(): Promise<number | null> {
    const usual: number[] = [];
    for (const { service } of this.#locks) {
      usual.push(...[await service.usualHoldMs() ?? []].flat());
    }
    return usual.length === 0 ? null : Math.max(...usual);
  }

  names(): Promise<readonly string[]> {
    return this.#locks[0]!.service.names();
  }

  release(_slug: string): Promise<ReleasedHold> {
    return refuse();
  }

  renew(_slug: string): Promise<void> {
    return refuse();
  }

  check(_claimant: Claimant): Promise<void> {
    return refuse();
  }

  status(_staleMs: number): Promise<StatusView> {
    return refuse();
  }

  changeSlots(_slots: readonly string[]): Promise<never> {
    return refuse();
  }

  readLog(_onPiece: (text: string) => void): Promise<boolean> {
    return refuse();
  }

  readJournal(_onPiece: (text: string) => void): Promise<boolean> {
    return refuse();
  }
}

/** No caller of the command line comes here: these commands take one name. */
function refuse(): Promise<never> {
  return Promise.reject(new UsageError("this is asked of one lock: give --name once"));
}

/** The holds of several locks, which begin and end together. */

import type { Hold, NamedHold, RunnableHold, Trouble, Waited } from "./service.ts";

export class SeveralHolds implements RunnableHold {
  readonly slug: string;
  readonly token: string;
  readonly fence: number;
  readonly lock: string;
  readonly waited: Waited;
  readonly lost: AbortSignal;
  readonly named: readonly NamedHold[];
  readonly #holds: readonly RunnableHold[];

  /** @param held at least one, in the order in which the caller named the locks */
  constructor(
    held: readonly { readonly name: string; readonly hold: RunnableHold }[],
    waitedMs: number,
  ) {
    const [first] = held;
    this.#holds = held.map(({ hold }) => hold);
    this.named = held.map(({ name, hold: { lock, token, fence } }) => ({
      name,
      lock,
      token,
      fence,
    }));
    this.slug = first!.hold.slug;
    this.token = first!.hold.token;
    this.fence = first!.hold.fence;
    this.lock = this.#holds.map(({ lock }) => lock).join(" and ");
    this.waited = { waitedMs, place: Math.max(...this.#holds.map(({ waited }) => waited.place)) };
    this.lost = AbortSignal.any(this.#holds.map(({ lost }) => lost));
  }

  set onTrouble(told: (trouble: Trouble) => void) {
    for (const hold of this.#holds) hold.onTrouble = told;
  }

  startedCommand(pid: number): Promise<void> {
    return this.#each((hold) => hold.startedCommand(pid));
  }

  nameCommand(pid: number, start: string | null): Promise<void> {
    return this.#each((hold) => hold.nameCommand(pid, start));
  }

  endsAll(): Promise<void> {
    return this.#each((hold) => hold.endsAll());
  }

  logMaxHold(): Promise<void> {
    return this.#each((hold) => hold.logMaxHold());
  }

  leaveStanding(): Promise<void> {
    return this.#each((hold) => hold.leaveStanding());
  }

  /** Each is given back, whatever becomes of the others; the first failure is told then. */
  async release(): Promise<void> {
    await this.#each((hold) => hold.release());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  async #each(step: (hold: Hold & RunnableHold) => Promise<void>): Promise<void> {
    const done = await Promise.allSettled(this.#holds.map(step));
    const failed = done.find(({ status }) => status === "rejected");
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }
}

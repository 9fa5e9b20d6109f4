/** The other processes of a trial: copies of this very program that carry out orders. */

import type { CommandLine, Copy, Diagnosis, Sys } from "../sys/sys.ts";
import type { Order } from "./helper_orders.ts";
import { inTime, TrialFailed } from "./trial.ts";

/** Starting eight processes takes half a second on two slow cores; this long only a hung machine. */
const START_LIMIT_MS = 30_000;
/** Longer than any order takes on a share that answers at all. */
const ANSWER_LIMIT_MS = 20_000;
/** A process that waits for a frozen share cannot even be killed. */
const KILL_LIMIT_MS = 2000;

export const READY = "ready";

export class Member {
  readonly #copy: Copy;
  readonly #sys: Sys;
  #usable = true;

  constructor(copy: Copy, sys: Sys) {
    this.#copy = copy;
    this.#sys = sys;
  }

  get usable(): boolean {
    return this.#usable;
  }

  /** @throws TrialFailed if no answer comes */
  async ask(order: Order): Promise<string[]> {
    await this.#copy.say(JSON.stringify(order));
    return await this.hear(ANSWER_LIMIT_MS);
  }

  async hear(limitMs: number): Promise<string[]> {
    const line = await inTime(this.#sys.clock, this.#copy.hear(), limitMs);
    if (typeof line === "string") {
      const answer = answerIn(line);
      if (answer) return answer;
      throw new TrialFailed(line);
    }
    this.#usable = false;
    throw new TrialFailed(
      line === null ? "another process of ours was ended" : "another process of ours hangs",
    );
  }

  async kill(): Promise<void> {
    this.#usable = false;
    await inTime(this.#sys.clock, this.#copy.kill(), KILL_LIMIT_MS);
  }
}

/** @return null if the copy tells of a failure instead */
function answerIn(line: string): string[] | null {
  try {
    const answer: unknown = JSON.parse(line);
    return Array.isArray(answer) ? answer.map(String) : null;
  } catch {
    return null;
  }
}

export class Team {
  readonly #sys: Sys & { readonly diagnosis: Diagnosis };
  readonly #part: Pick<CommandLine, "program" | "args">;
  readonly #all = new Set<Member>();
  #members: Member[] = [];
  #ended = false;

  /** @param part how to start a copy of this program that carries out orders */
  constructor(
    sys: Sys & { readonly diagnosis: Diagnosis },
    part: Pick<CommandLine, "program" | "args">,
  ) {
    this.#sys = sys;
    this.#part = part;
  }

  /** So many members, for as long as the team lives; those that hang or were ended are replaced. */
  async members(number: number): Promise<readonly Member[]> {
    const usable = this.#members.filter((member) => member.usable);
    const missing = Math.max(0, number - usable.length);
    const fresh = await Promise.all(Array.from({ length: missing }, () => this.recruit()));
    this.#members = [...usable, ...fresh];
    return this.#members.slice(0, number);
  }

  /** One more, for a trial that does not leave it as it was. */
  async recruit(): Promise<Member> {
    const member = new Member(await this.#sys.diagnosis.startCopy(this.#part), this.#sys);
    this.#all.add(member);
    // Ended while it was being started.
    if (this.#ended) await member.kill();
    await member.hear(START_LIMIT_MS);
    return member;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#all].map((member) => member.kill()));
  }
}

/**
 * Who believes that he has the lock.
 *
 * Guarantee: nobody is inside for a shorter time than his code believes, however it is held up: who leaves
 * is still inside until its process makes its next step.
 * Non-guarantee: whether they may be inside together is for the scenario's check to say.
 * Assumption: scripts tell, at the moment at which they would begin and end what the lock guards.
 */

import type { SimProcess } from "./sim_process.ts";

export interface Occupant {
  readonly process: SimProcess;
  readonly kind: string;
  /** Set if it is a command that works under the lock: it stays when its starter dies. */
  readonly commandPid: number | null;
  readonly sinceMs: number;
  /** Which slot of the lock; missing where it has none. */
  readonly slot?: string;
  /** Its process has said that it leaves, and has made no step since. */
  leaving: boolean;
}

export class Occupants {
  #all: Occupant[] = [];

  get all(): readonly Occupant[] {
    return this.#all;
  }

  add(occupant: Occupant): void {
    this.#all.push(occupant);
  }

  /** The process has said that it leaves. */
  leave(process: SimProcess): void {
    for (const one of this.#all) if (one.process === process) one.leaving = true;
  }

  isLeaving(process: SimProcess): boolean {
    return this.#all.some((one) => one.leaving && one.process === process);
  }

  /** The process makes a step: those of its that were leaving have left. */
  moved(process: SimProcess): void {
    this.#all = this.#all.filter((one) => !one.leaving || one.process !== process);
  }

  /** The process is no more; its commands live on. */
  died(process: SimProcess): void {
    this.#all = this.#all.filter((one) => one.process !== process || one.commandPid !== null);
  }

  commandEnded(starter: SimProcess, pid: number): void {
    this.#all = this.#all.filter((one) => one.process !== starter || one.commandPid !== pid);
  }

  /** Whether the process itself, not a command of its, is inside and means to stay. */
  holdsOn(process: SimProcess): boolean {
    return this.#all.some((one) =>
      one.process === process && one.commandPid === null && !one.leaving
    );
  }

  describe(): string {
    const texts = this.#all.map(({ process, kind, leaving }) => {
      return `${process.name}:${kind}${leaving ? "-" : ""}`;
    });
    return texts.sort().join(",");
  }
}

/** What is said on stderr while waiting: when it begins, when it ends, and when a holder that lives is silent. */

import type { WaitLook, WaitObserver } from "../lock/acquire.ts";
import type { Clock, Terminal } from "../sys/sys.ts";
import { holderIsSilent, line, waitBegins, waitEnds } from "./messages.ts";

export class WaitLines implements WaitObserver {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #lockPath: string;
  readonly #timeoutMs: number | null;
  readonly #quiet: boolean;
  #begun = false;
  #silenceTold = false;

  constructor(
    terminal: Terminal,
    clock: Clock,
    about: {
      readonly lockPath: string;
      readonly timeoutMs: number | null;
      readonly quiet: boolean;
    },
  ) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#lockPath = about.lockPath;
    this.#timeoutMs = about.timeoutMs;
    // One attempt is no wait.
    this.#quiet = about.quiet || about.timeoutMs === 0;
  }

  async looked(look: WaitLook): Promise<void> {
    if (this.#quiet) return;
    if (!this.#begun) {
      this.#begun = true;
      const nowMs = await this.#clock.wallMs();
      await this.#say(waitBegins(this.#lockPath, look.holder, look.place, this.#timeoutMs, nowMs));
    }
    if (look.silent && look.holder && !this.#silenceTold) {
      this.#silenceTold = true;
      await this.#say(holderIsSilent(this.#lockPath, look.holder));
    }
  }

  async acquired(waitedMs: number): Promise<void> {
    if (this.#begun) await this.#say(waitEnds(this.#lockPath, waitedMs));
  }

  async #say(text: string): Promise<void> {
    await this.#terminal.err(line(text));
  }
}

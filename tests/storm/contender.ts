/** One compiled program that wants the lock, from its start to its end. */

import { PROGRAM } from "../process/program.ts";
import { childrenOf } from "./linux_processes.ts";

export interface ContenderPlan {
  readonly slug: string;
  /** The lock folder, as this one reaches it. */
  readonly dir: string;
  readonly flags: readonly string[];
  readonly command: readonly string[];
  /** What the program is started by: it ends with it, and with its exit status. */
  readonly startedBy: readonly string[];
}

export class Contender {
  readonly slug: string;
  /** Its exit status; 128 + n after signal n. */
  readonly ended: Promise<number>;
  readonly #process: Deno.ChildProcess;
  readonly #isStartedByAnother: boolean;
  readonly #saying: Promise<string>;
  over = false;
  /** It was killed by the storm, or its command was. */
  harmed = false;
  frozen = false;

  constructor({ slug, dir, flags, command, startedBy }: ContenderPlan) {
    const call = [
      ...startedBy,
      ...[PROGRAM, "run", "--slug", slug, "--dir", dir, "--quiet", ...flags, "--", ...command],
    ];
    this.slug = slug;
    this.#isStartedByAnother = startedBy.length > 0;
    this.#process = new Deno.Command(call[0]!, {
      args: call.slice(1),
      // A hold that the storm itself runs under is no business of theirs.
      env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    this.#saying = new Response(this.#process.stderr).text();
    this.ended = this.#process.status.then(({ code }) => {
      this.over = true;
      return code;
    });
  }

  /** All that it wrote to stderr; its command has it open too. */
  saying(): Promise<string> {
    return this.#saying;
  }

  /** The program's own process number; null if it has ended or not yet begun. */
  async pid(): Promise<number | null> {
    if (this.over) return null;
    if (!this.#isStartedByAnother) return this.#process.pid;
    return (await childrenOf(this.#process.pid))[0] ?? null;
  }

  async freeze(): Promise<void> {
    const pid = await this.pid();
    if (pid === null || this.over) return;
    this.frozen = true;
    this.#signal("SIGSTOP", pid);
  }

  async thaw(): Promise<void> {
    this.frozen = false;
    const pid = await this.pid();
    if (pid === null || this.over) return;
    this.#signal("SIGCONT", pid);
    // What started it stops itself together with it.
    if (pid !== this.#process.pid) this.#signal("SIGCONT", this.#process.pid);
  }

  /** Kills the program alone; its command lives on. */
  async kill(): Promise<void> {
    const pid = await this.pid();
    if (pid === null || this.over) return;
    this.harmed = true;
    this.#signal("SIGKILL", pid);
  }

  #signal(signal: Deno.Signal, pid: number): void {
    try {
      if (pid === this.#process.pid) this.#process.kill(signal);
      else Deno.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}

/** Waits for the ends of all. @return those that had not ended after `limitMs`; they are killed */
export async function endsOf(
  contenders: readonly Contender[],
  limitMs: number,
): Promise<Contender[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, limitMs));
  await Promise.race([Promise.all(contenders.map(({ ended }) => ended)), limit]);
  clearTimeout(timer);
  const late = contenders.filter(({ over }) => !over);
  for (const one of late) await one.kill();
  await Promise.all(late.map(({ ended }) => ended));
  return late;
}

/** Kills and freezes at random: of those who hold, of those who wait, of the commands. */

import { exists, namesIn } from "../process/lock_folder.ts";
import { spread } from "../protocol/simulation/numbers.ts";
import type { Contender } from "./contender.ts";
import type { DeadWaits } from "./dead_waits.ts";
import type { Evidence } from "./evidence.ts";
import { whoIsInside } from "./inside.ts";
import { childrenOf, commandOf, find, type Found, lives, standsStill } from "./linux_processes.ts";
import type { LogFollower } from "./log_follower.ts";
import { pause } from "./pause.ts";

export interface StrikeScene {
  readonly ground: string;
  readonly dir: string;
  /** Those that run, by name. */
  readonly contenders: ReadonlyMap<string, Contender>;
  readonly log: LogFollower;
  readonly waits: DeadWaits;
  readonly evidence: Evidence;
  readonly chance: () => number;
}

/** What may happen, and how often out of a hundred. */
const STRIKES = [
  ["freeze holder", 18],
  ["freeze waiter", 18],
  ["freeze command", 12],
  ["kill holder and command", 14],
  ["kill holder", 12],
  ["kill command", 14],
  ["kill waiter", 12],
] as const;
export type Strike = typeof STRIKES[number][0];

const SHORTEST_FREEZE_MS = 3;
/** Twice as long as `--stale` is here. */
const LONGEST_FREEZE_MS = 3000;
/** A strike at a holder waits this long for one, and then strikes at any moment of the hold. */
const HOLDER_WITHIN_MS = 500;
const INTO_THE_HOLD_MS = 60;

export class Strikes {
  readonly counts = new Map<Strike, number>();
  readonly #scene: StrikeScene;
  /** What goes on beside the next strikes: frozen ones that are to be woken, commands that go on. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(scene: StrikeScene) {
    this.#scene = scene;
  }

  /** One strike at random. */
  async strike(): Promise<void> {
    const { chance } = this.#scene;
    const strike = this.#choose();
    const whom = chance();
    const freezeMs = spread(chance(), SHORTEST_FREEZE_MS, LONGEST_FREEZE_MS);
    const intoMs = chance() * INTO_THE_HOLD_MS;
    if (strike.endsWith("waiter")) return await this.#hitWaiter(strike, whom, freezeMs);
    for (let left = HOLDER_WITHIN_MS; this.#scene.log.holder === null && left > 0; left--) {
      await pause(1);
    }
    await pause(intoMs);
    if (strike.endsWith(" command") && !strike.includes("holder")) {
      return await this.#hitCommand(strike, freezeMs);
    }
    const holder = this.#scene.contenders.get(this.#scene.log.holder ?? "");
    if (holder) await this.#hit(strike, holder, freezeMs);
  }

  /** Any that does not hold: it may be starting up, or just be leaving. */
  async #hitWaiter(strike: Strike, whom: number, freezeMs: number): Promise<void> {
    const { contenders, log } = this.#scene;
    const waiters = [...contenders.values()].filter(({ slug }) => slug !== log.holder);
    const one = waiters[Math.floor(whom * waiters.length)];
    if (one) await this.#hit(strike, one, freezeMs);
  }

  /** Waits until all that was frozen goes on, and all that outlived its wrapper has ended. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #choose(): Strike {
    let left = this.#scene.chance() * STRIKES.reduce((sum, [, share]) => sum + share, 0);
    for (const [strike, share] of STRIKES) {
      left -= share;
      if (left < 0) return strike;
    }
    return STRIKES[0][0];
  }

  #did(strike: Strike, whom: string): void {
    this.counts.set(strike, (this.counts.get(strike) ?? 0) + 1);
    this.#scene.evidence.note(`${strike}: ${whom}`);
  }

  #aside(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #hit(strike: Strike, one: Contender, freezeMs: number): Promise<void> {
    const isFreeze = strike.startsWith("freeze");
    if (isFreeze && one.frozen) return;
    const pid = await this.#stop(one);
    if (pid === null) return;
    if (!isFreeze) return await this.#kill(strike, one, pid);
    const inTheWay = await this.#isInTheWay(one.slug);
    this.#scene.waits.froze(one.slug, inTheWay);
    this.#did(strike, `${one.slug} for ${freezeMs} ms${inTheWay ? ", in the way" : ""}`);
    this.#aside(pause(freezeMs).then(() => this.#goOn(one)));
  }

  /** @return its process number; null if it has ended */
  async #stop(one: Contender): Promise<number | null> {
    const pid = await one.pid();
    if (pid === null) return null;
    await one.freeze();
    for (let looks = 0; looks < 200 && !await standsStill(pid); looks++) await pause(1);
    this.#scene.log.catchUp();
    return pid;
  }

  async #goOn(one: Contender): Promise<void> {
    await one.thaw();
    this.#scene.waits.isFrozenNoMore(one.slug);
    if (!one.over) this.#scene.evidence.note(`goes on: ${one.slug}`);
  }

  async #isInTheWay(slug: string): Promise<boolean> {
    return await this.#hasLock(slug) || await this.#mayRemove(slug);
  }

  /** Whether it holds, or is about to say so, or is just giving back. */
  async #hasLock(slug: string): Promise<boolean> {
    const { log, dir } = this.#scene;
    if (log.holder === slug) return true;
    return await exists(`${dir}/lock.lock`) &&
      await slugIn(`${dir}/lock.state/holder.json`) === slug;
  }

  async #mayRemove(slug: string): Promise<boolean> {
    const removing = `${this.#scene.dir}/lock.state/removing`;
    for (const number of await namesIn(removing)) {
      if (await slugIn(`${removing}/${number}/who.json`) === slug) return true;
    }
    return false;
  }

  /** It has been stopped first: so what is seen of it is what it dies with. */
  async #kill(strike: Strike, one: Contender, pid: number): Promise<void> {
    const hadLock = await this.#hasLock(one.slug);
    const below = (await Promise.all((await childrenOf(pid)).map(find))).filter((at) =>
      at !== null
    );
    const named = (await recordOf(`${this.#scene.dir}/lock.state/holder.json`))?.childPid ??
      "unnamed";
    await one.kill();
    await one.ended;
    this.#scene.waits.isFrozenNoMore(one.slug);
    this.#did(strike, `${one.slug}${hadLock ? `, which has the lock, command ${named}` : ""}`);
    if (strike === "kill holder and command") {
      for (const { pid } of below) {
        killPid(pid, "SIGKILL");
      }
    }
    this.#aside(this.#afterDeath(one.slug, below, hadLock));
  }

  async #afterDeath(slug: string, below: readonly Found[], hadLock: boolean): Promise<void> {
    for (const one of below) {
      while (await lives(one)) await pause(3);
    }
    if (!hadLock) return;
    this.#scene.evidence.note(`dead with its command: ${slug}`);
    this.#scene.waits.holderDied(slug);
  }

  async #hitCommand(strike: Strike, freezeMs: number): Promise<void> {
    const { ground, dir, contenders } = this.#scene;
    const pid = await whoIsInside(ground);
    const inside = pid === null ? null : await find(pid);
    const slug = inside && await commandOf(inside.pid, dir);
    if (!inside || slug === null) return;
    if (strike === "kill command") {
      const contender = contenders.get(slug);
      if (contender) contender.harmed = true;
      killPid(inside.pid, "SIGKILL");
      this.#did(strike, `of ${slug}`);
      return;
    }
    killPid(inside.pid, "SIGSTOP");
    this.#did(strike, `of ${slug} for ${freezeMs} ms`);
    this.#aside(
      pause(freezeMs).then(async () => {
        if (await lives(inside)) killPid(inside.pid, "SIGCONT");
      }),
    );
  }
}

async function slugIn(path: string): Promise<string | null> {
  return (await recordOf(path))?.slug ?? null;
}

interface RecordText {
  readonly slug: string;
  readonly childPid?: number | null;
}

/** Null if there is none, or it is just being written. */
async function recordOf(path: string): Promise<RecordText | null> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch {
    return null;
  }
}

function killPid(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/**
 * Many holds while holders, waiters and commands are killed and frozen at random: never two inside, no lock
 * left behind, and nobody waits long for a dead holder.
 */

import { exists, namesIn } from "../process/lock_folder.ts";
import { generator, spread } from "../protocol/simulation/numbers.ts";
import { Contender, endsOf } from "./contender.ts";
import { type DeadWait, DeadWaits } from "./dead_waits.ts";
import { concludePart, Evidence, type PartReport } from "./evidence.ts";
import { insideCommand, overlapsSeenInside, wasInside } from "./inside.ts";
import { LogFollower } from "./log_follower.ts";
import { pause } from "./pause.ts";
import { replay } from "./replay.ts";
import { Strikes, type StrikeScene } from "./strikes.ts";

export interface KillsPlan {
  readonly seed: number;
  readonly holds: number;
  readonly processes: number;
  readonly root: string;
  readonly tell: (progress: string) => void;
}

/** Shorter than the longest freeze, so that frozen holders look old; long enough to write down a hold. */
const STALE_SECONDS = 1.5;
const LONGEST_DEAD_WAIT_MS = 2000;
/** Nobody is frozen for a third of this: without a line in the log for so long, everybody hangs. */
const HANG_MS = 15_000;
const END_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 4;
/** A look that comes this late says that the machine is too busy to run anybody. */
const LATE_LOOK_MS = 50;
const TELL_EVERY_HOLDS = 100;

export async function stormOfKills(plan: KillsPlan): Promise<PartReport> {
  const storm = new KillStorm(plan);
  await storm.run();
  return await concludePart("kills", storm.summary(), storm.evidence, plan.root);
}

class KillStorm {
  readonly evidence = new Evidence();
  readonly #plan: KillsPlan;
  readonly #dir: string;
  readonly #chance: () => number;
  readonly #contenders = new Map<string, Contender>();
  readonly #log: LogFollower;
  readonly #waits: DeadWaits;
  readonly #strikes: Strikes;
  #started = 0;
  #standstillsMs = 0;
  #isOver = false;

  constructor(plan: KillsPlan) {
    this.#plan = plan;
    this.#chance = generator(plan.seed, "kills");
    this.#dir = `${plan.root}/locks`;
    Deno.mkdirSync(this.#dir);
    Deno.writeTextFileSync(`${this.#dir}/lock.log`, "");
    this.#waits = new DeadWaits((wait) => this.#waited(wait));
    this.#log = new LogFollower(`${this.#dir}/lock.log`, (record, line) => {
      this.evidence.note(line);
      this.#waits.onLine(record);
    });
    const scene: StrikeScene = {
      ground: plan.root,
      dir: this.#dir,
      contenders: this.#contenders,
      log: this.#log,
      waits: this.#waits,
      evidence: this.evidence,
      chance: generator(plan.seed, "strikes"),
    };
    this.#strikes = new Strikes(scene);
  }

  async run(): Promise<void> {
    const slots = Array.from({ length: this.#plan.processes }, () => this.#oneAfterTheOther());
    const following = this.#follow();
    const pauses = generator(this.#plan.seed, "pauses");
    while (!this.#isOver) {
      await pause(spread(pauses(), 3, 250));
      await this.#strikes.strike();
    }
    await this.#strikes.settle();
    const late = await endsOf([...this.#contenders.values()], END_LIMIT_MS);
    if (late.length > 0) {
      await this.#foundHanging(`${late.map(({ slug }) => slug).join(", ")} never ended`);
    }
    await Promise.all([...slots, following]);
    await this.#letOneThrough();
    this.#log.catchUp();
    this.#log.close();
    await this.#lookBack();
  }

  summary(): string {
    const strikes = [...this.#strikes.counts].map(([strike, count]) => `${count} times ${strike}`);
    const plain = this.#waits.ended.filter((wait) => wait.brokenByAge === 0);
    const aged = this.#waits.ended.filter((wait) => wait.brokenByAge > 0);
    return [
      `${this.#log.holds} holds by ${this.#started} processes`,
      strikes.sort().join(", "),
      `waited for a dead holder: ${figures(plain)}`,
      `where a claim was cut short: ${figures(aged)}`,
      `the machine stood still for ${(this.#standstillsMs / 1000).toFixed(1)} s`,
    ].join("; ");
  }

  /** One place among the contenders: whoever ends is followed by another. */
  async #oneAfterTheOther(): Promise<void> {
    while (!this.#isOver) {
      const one = this.#start();
      this.#contenders.set(one.slug, one);
      const code = await one.ended;
      this.#contenders.delete(one.slug);
      if (code !== 0 && !one.harmed) {
        this.evidence.found(
          `${one.slug} ended with ${code}: ${JSON.stringify(await one.saying())}`,
        );
      }
    }
  }

  /** The last of all may have been killed with the lock: somebody must come for it to be broken. */
  async #letOneThrough(): Promise<void> {
    const last = this.#start();
    const late = await endsOf([last], END_LIMIT_MS);
    if (late.length > 0) await this.#foundHanging("whoever comes last does not get the lock");
  }

  #start(): Contender {
    const chance = this.#chance;
    const poll = (spread(chance(), 100, 500) / 1000).toFixed(3);
    return new Contender({
      slug: `k${this.#started++}`,
      dir: this.#dir,
      flags: ["--stale", String(STALE_SECONDS), "--poll", poll, "--timeout", "none"],
      command: insideCommand({
        ground: this.#plan.root,
        staySeconds: chance() < 0.3 ? 0 : spread(chance(), 1, 150) / 1000,
        someAreKilled: true,
      }),
      startedBy: [],
    });
  }

  async #follow(): Promise<void> {
    let told = 0;
    while (!this.#isOver) {
      await this.#look();
      if (performance.now() - this.#log.lastLineAtMs > HANG_MS) {
        await this.#foundHanging(`no line in the log for ${HANG_MS / 1000} s`);
        this.#isOver = true;
      }
      if (this.#log.holds >= this.#plan.holds) this.#isOver = true;
      if (this.#log.holds >= told + TELL_EVERY_HOLDS) {
        told = this.#log.holds;
        this.#plan.tell(`${told} of ${this.#plan.holds} holds`);
      }
    }
    while (this.#contenders.size > 0) await this.#look();
  }

  async #look(): Promise<void> {
    const fromMs = performance.now();
    await pause(LOOK_EVERY_MS);
    const lateMs = performance.now() - fromMs - LOOK_EVERY_MS;
    if (lateMs > LATE_LOOK_MS) {
      this.#standstillsMs += lateMs;
      this.#waits.everybodyStood(fromMs);
      this.evidence.note(`the machine ran nobody for ${lateMs.toFixed(0)} ms`);
    }
    this.#log.catchUp();
  }

  #waited({ slug, ms, brokenByAge }: DeadWait): void {
    const limitMs = LONGEST_DEAD_WAIT_MS +
      brokenByAge * (1000 * STALE_SECONDS + LONGEST_DEAD_WAIT_MS);
    const what = `${ms.toFixed(0)} ms were waited for the dead ${slug}`;
    if (ms > limitMs) this.evidence.found(what);
    else this.evidence.note(what);
  }

  async #foundHanging(what: string): Promise<void> {
    this.evidence.found(what);
    for (const folder of ["", "queue", "alive", "removing"]) {
      const names = await namesIn(`${this.#dir}/lock.state/${folder}`);
      this.evidence.note(`lock.state/${folder}: ${names.join(" ")}`);
    }
    const record = await Deno.readTextFile(`${this.#dir}/lock.state/holder.json`).catch(String);
    this.evidence.note(`record: ${record}`);
    const frozen = [...this.#contenders.values()].filter((one) => one.frozen);
    this.evidence.note(`frozen: ${frozen.map(({ slug }) => slug).join(" ")}`);
  }

  async #lookBack(): Promise<void> {
    const { lines } = this.#log;
    const { overlaps, counts } = replay(lines);
    const wrong = [
      ...overlaps,
      ...(await overlapsSeenInside(this.#plan.root)).map((line) => `marker: ${line}`),
    ];
    if (await exists(`${this.#dir}/lock.lock`)) wrong.push("the lock is left behind");
    if (counts.gave_up > 0) wrong.push(`${counts.gave_up} gave up, though they wait for ever`);
    for (const line of lines.filter((line) => line.endsWith(" lost"))) {
      const slug = line.split(" ")[1]!;
      if (await wasInside(this.#plan.root, slug)) {
        wrong.push(`${slug} lost the lock it worked under`);
      }
    }
    for (const finding of wrong) this.evidence.found(finding);
  }
}

function figures(waits: readonly DeadWait[]): string {
  if (waits.length === 0) return "never";
  const sorted = waits.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(0);
  return `${waits.length} times, ${at(0.5)} ms in the middle, ${at(0.95)} ms at 95 %, ` +
    `${at(1)} ms at most`;
}

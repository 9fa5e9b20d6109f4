/**
 * Rounds in which many processes meet one lock that is hours old, all at once. In each, the old lock must be
 * broken once, and all must hold one after the other.
 */

import { exists, namesIn, setBack } from "../process/lock_folder.ts";
import { generator, spread } from "../protocol/simulation/numbers.ts";
import { Contender, endsOf } from "./contender.ts";
import { concludePart, Evidence, type PartReport } from "./evidence.ts";
import { insideCommand, overlapsSeenInside } from "./inside.ts";
import { pause } from "./pause.ts";
import { replay } from "./replay.ts";
import type { Side, Sides } from "./sides.ts";

export interface StaleRounds {
  readonly part: string;
  readonly seed: number;
  readonly rounds: number;
  readonly processes: number;
  /** The storm's folder, as the storm itself sees it. */
  readonly root: string;
  readonly sides: Sides;
  readonly tell: (progress: string) => void;
}

/**
 * How they meet it. `started`: they start together. `thawed`: each is frozen on its way to the lock, and then
 * all go on within milliseconds. `waiting`: they wait for it already when it turns out to be old.
 */
const MANNERS = ["started", "thawed", "waiting"] as const;

const HOURS_SECONDS = 3 * 3600;
/** Long enough that a busy machine makes nobody late. */
const STALE_SECONDS = 60;
/** The first round of a folder makes the state folder, the others find it. */
const ROUNDS_A_FOLDER = 4;
const ROUND_LIMIT_MS = 120_000;
const TELL_EVERY = 25;

export async function staleRounds(plan: StaleRounds): Promise<PartReport> {
  const evidence = new Evidence();
  const breakers = new Set<string>();
  let done = 0;
  for (; done < plan.rounds && evidence.findings.length === 0; done++) {
    const folder = `round-${done - done % ROUNDS_A_FOLDER}`;
    const breaker = await oneRound(plan, evidence, done, folder);
    if (breaker !== null) breakers.add(breaker);
    const lastOfFolder = done % ROUNDS_A_FOLDER === ROUNDS_A_FOLDER - 1;
    if (lastOfFolder && evidence.findings.length === 0) {
      await Deno.remove(`${plan.root}/${folder}`, { recursive: true });
    }
    if ((done + 1) % TELL_EVERY === 0) plan.tell(`${done + 1} of ${plan.rounds} rounds`);
  }
  const summary = `${done} rounds of ${plan.processes} processes and one old lock, ` +
    `${breakers.size} different ones broke it`;
  return await concludePart(plan.part, summary, evidence, plan.root);
}

/** @return the number of the one that broke the old lock */
async function oneRound(
  plan: StaleRounds,
  evidence: Evidence,
  round: number,
  folder: string,
): Promise<string | null> {
  const chance = generator(plan.seed, `${plan.part} ${round}`);
  const manner = MANNERS[Math.floor(chance() * MANNERS.length)]!;
  const ground = `${plan.root}/${folder}`;
  const dir = `${ground}/locks`;
  await Deno.mkdir(dir, { recursive: true });
  const linesBefore = (await logOf(dir)).length;
  await Deno.mkdir(`${dir}/lock.lock`);
  if (manner !== "waiting") await setBack(`${dir}/lock.lock`, HOURS_SECONDS);
  evidence.note(`round ${round}: ${manner}`);
  const contenders = Array.from({ length: plan.processes }, (_, at) => {
    const side = plan.sides.sides[at % plan.sides.sides.length]!;
    return startOne(side, folder, ground, `r${round}-${at}`, chance);
  });
  if (manner === "thawed") await freezeOnTheWay(contenders, chance);
  if (manner === "waiting") {
    await pause(chance() * 1500);
    await setBack(`${dir}/lock.lock`, HOURS_SECONDS);
  }
  const late = await endsOf(contenders, ROUND_LIMIT_MS);
  for (const { slug } of late) evidence.found(`round ${round} (${manner}): ${slug} never ended`);
  const lines = (await logOf(dir)).slice(linesBefore);
  for (const line of lines) evidence.note(line);
  const about = `round ${round} (${manner}, ${ground})`;
  const wrong = [
    ...await endings(contenders),
    ...(await overlapsSeenInside(ground)).map((line) => `marker: ${line}`),
    ...wrongInLog(lines, contenders.length),
    ...await leftBehind(dir),
  ];
  for (const finding of wrong) evidence.found(`${about}: ${finding}`);
  return / r\d+-(\d+) stale_break /.exec(lines[0] ?? "")?.[1] ?? null;
}

function startOne(
  side: Side,
  folder: string,
  ground: string,
  slug: string,
  chance: () => number,
): Contender {
  const staySeconds = chance() < 0.5 ? 0 : spread(chance(), 1, 40) / 1000;
  return new Contender({
    slug,
    dir: `${side.root}/${folder}/locks`,
    flags: ["--stale", String(STALE_SECONDS), "--poll", "0.5"],
    command: insideCommand({ ground, staySeconds, someAreKilled: false }),
    startedBy: side.startedBy,
  });
}

/** A start takes some hundred milliseconds where many start at once: they are frozen anywhere in it. */
async function freezeOnTheWay(
  contenders: readonly Contender[],
  chance: () => number,
): Promise<void> {
  const delays = contenders.map(() => spread(chance(), 20, 1500));
  const apart = contenders.map(() => chance() < 0.7 ? 0 : chance() * 20);
  await Promise.all(contenders.map(async (one, at) => {
    await pause(delays[at]!);
    await one.freeze();
  }));
  await Promise.all(contenders.map(async (one, at) => {
    if (apart[at]! > 0) await pause(apart[at]!);
    await one.thaw();
  }));
}

async function endings(contenders: readonly Contender[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const one of contenders) {
    const [code, saying] = [await one.ended, await one.saying()];
    if (code !== 0 || saying !== "") {
      wrong.push(`${one.slug} ended with ${code}: ${JSON.stringify(saying)}`);
    }
  }
  return wrong;
}

/** The second detector: one break, and then one hold after the other. */
function wrongInLog(lines: readonly string[], processes: number): string[] {
  const { overlaps, counts } = replay(lines);
  const wrong = [...overlaps];
  const { acquired, released, stale_break, lost, gave_up } = counts;
  if (acquired !== processes || released !== processes || stale_break !== 1 || lost + gave_up > 0) {
    wrong.push(`log: ${JSON.stringify(counts)} for ${processes} processes`);
  }
  if (!lines[0]?.includes(" stale_break ")) wrong.push(`log: it begins with "${lines[0]}"`);
  return wrong;
}

async function leftBehind(dir: string): Promise<string[]> {
  const wrong: string[] = [];
  if (await exists(`${dir}/lock.lock`)) wrong.push("the lock is left behind");
  for (const folder of ["queue", "alive", "removing"]) {
    const names = await namesIn(`${dir}/lock.state/${folder}`);
    if (names.length > 0) wrong.push(`${folder}/ holds ${names.join(", ")}`);
  }
  return wrong;
}

async function logOf(dir: string): Promise<string[]> {
  if (!await exists(`${dir}/lock.log`)) return [];
  return (await Deno.readTextFile(`${dir}/lock.log`)).split("\n").slice(0, -1);
}

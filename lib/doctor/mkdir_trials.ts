/** Whether mkdir excludes, and whether a folder that was removed can be made again. */

import type { HandOverFound, RaceFound } from "./rules/judgement.ts";
import { timeUntil } from "./trial.ts";
import type { Ground } from "./trial_ground.ts";

/** The README tells people so; a team of as many is started once for all trials. */
const PROCESSES = 8;
/** Each block begins with all processes waiting for the word, and goes on without waiting. */
const BLOCKS = 40;
const RACES_A_BLOCK = 5;
/** On a slow share fewer races must do. */
const RACE_LIMIT_MS = 6000;
const FEWEST_BLOCKS = 5;

export async function raceForFolders(ground: Ground): Promise<RaceFound> {
  const { sys, team, here, there, prefix } = ground;
  const members = await team.members(PROCESSES);
  const winners: number[] = [];
  const otherCodes = new Set<string>();
  const beginMs = await sys.clock.monotonicMs();
  for (let block = 0; block < BLOCKS; block++) {
    const names = Array.from({ length: RACES_A_BLOCK }, (_, race) => `${prefix}${block}.${race}`);
    const answers = await Promise.all(members.map((member, index) => {
      const side = index % 2 === 0 ? here : there;
      return member.ask({ do: "make", paths: names.map((name) => `${side}/${name}`) });
    }));
    for (let race = 0; race < RACES_A_BLOCK; race++) {
      const codes = answers.map((answer) => answer[race] ?? "UNKNOWN");
      winners.push(codes.filter((code) => code === "").length);
      for (const code of codes) if (code !== "" && code !== "EEXIST") otherCodes.add(code);
    }
    const isLate = await sys.clock.monotonicMs() - beginMs > RACE_LIMIT_MS;
    if (isLate && block + 1 >= FEWEST_BLOCKS) break;
  }
  return {
    processes: PROCESSES,
    races: winners.length,
    severalWinners: winners.filter((number) => number > 1).length,
    mostWinners: Math.max(...winners),
    noWinner: winners.filter((number) => number === 0).length,
    otherCodes: [...otherCodes],
  };
}

/** Enough to meet a slow one, over before anybody wonders. */
const HAND_OVERS = 20;
/** The kernel's own memory of names lasts a second on FUSE; what is not seen now is seen far too late. */
const HAND_OVER_LIMIT_MS = 3000;

export async function handOver(ground: Ground): Promise<HandOverFound> {
  const { sys: { clock }, team, here, there, prefix } = ground;
  const [first, second] = await team.members(2);
  let giver = { member: first!, path: `${here}/${prefix}turn` };
  let taker = { member: second!, path: `${there}/${prefix}turn` };
  const found = {
    handOvers: 0,
    madeWhileHeld: 0,
    slowestMs: 0,
    gaveUpAfterMs: null as number | null,
  };
  const otherCodes = new Set<string>();
  const note = (code: string | undefined, expected: string) => {
    if (code !== expected) otherCodes.add(code || "success");
  };
  const make = async ({ member, path }: typeof giver) =>
    (await member.ask({ do: "make", paths: [path] }))[0];
  note(await make(giver), "");
  while (found.handOvers < HAND_OVERS && otherCodes.size === 0) {
    const tooSoon = await make(taker);
    if (tooSoon === "") {
      found.madeWhileHeld++;
      break;
    }
    note(tooSoon, "EEXIST");
    note((await giver.member.ask({ do: "remove", path: giver.path }))[0], "");
    let code: string | undefined;
    const isFree = async () => (code = await make(taker)) !== "EEXIST";
    const tookMs = await timeUntil(clock, HAND_OVER_LIMIT_MS, isFree);
    if (tookMs === null) {
      found.gaveUpAfterMs = HAND_OVER_LIMIT_MS;
      break;
    }
    note(code, "");
    found.slowestMs = Math.max(found.slowestMs, tookMs);
    found.handOvers++;
    [giver, taker] = [taker, giver];
  }
  return { ...found, otherCodes: [...otherCodes] };
}

/** The storm's parts, by name, each in a folder of its own. */

import type { PartReport } from "./evidence.ts";
import { stormOfKills } from "./kills.ts";
import {
  mountsMissing,
  namespacesMissing,
  oneSide,
  type Sides,
  twoMounts,
  twoNamespaces,
  twoPaths,
} from "./sides.ts";
import { staleRounds } from "./stale_rounds.ts";

/** `stale`: one old lock. `kills`: kills and freezes. `mounts`, `namespaces`: one old lock, from two sides. */
export const PARTS = ["stale", "kills", "mounts", "namespaces"] as const;
export type Part = typeof PARTS[number];

export interface StormPlan {
  readonly seed: number;
  /** Of one old lock; the rounds from two sides are `sideRounds`. */
  readonly rounds: number;
  readonly sideRounds: number;
  readonly holds: number;
  readonly processes: number;
  /** Where the storm's folders are made; null for the system's temporary folder. */
  readonly dir: string | null;
  /** The same folder by another path, for `mounts`; null lets the storm mount it itself. */
  readonly secondDir: string | null;
  readonly tell: (progress: string) => void;
}

/** Why this part cannot be had here; null if it can. */
export async function partMissing(part: Part, secondDir: string | null): Promise<string | null> {
  if (Deno.build.os === "windows") return "it takes POSIX signals";
  if (part === "kills" && Deno.build.os !== "linux") return "it takes Linux";
  if (part === "mounts" && secondDir === null) return await mountsMissing();
  return part === "namespaces" ? await namespacesMissing() : null;
}

export async function runPart(part: Part, plan: StormPlan): Promise<PartReport> {
  const options = { prefix: `storm-${part}-`, ...(plan.dir === null ? {} : { dir: plan.dir }) };
  const root = await Deno.realPath(await Deno.makeTempDir(options));
  const { seed, processes, tell } = plan;
  if (part === "kills") {
    return await stormOfKills({ seed, holds: plan.holds, processes, root, tell });
  }
  await using sides = await sidesOf(part, root, plan.secondDir);
  const rounds = part === "stale" ? plan.rounds : plan.sideRounds;
  return await staleRounds({ part, seed, rounds, processes, root, sides, tell });
}

async function sidesOf(part: Part, root: string, secondDir: string | null): Promise<Sides> {
  if (part === "namespaces") return await twoNamespaces(root);
  if (part !== "mounts") return oneSide(root);
  if (secondDir === null) return await twoMounts(root);
  return twoPaths(root, `${secondDir}/${root.slice(root.lastIndexOf("/") + 1)}`);
}

/**
 * `deno task storm [--seed N] [--rounds N] [--holds N] [--processes N] [--dir DIR] [--second-dir DIR]`:
 * compiled programs on one lock, with kills, freezes, two mounts and two pid namespaces. `--only PART` runs
 * one part of it. With `--second-dir`, another path to `--dir` (a second mount), half of the processes of the
 * part `mounts` go by that one.
 *
 * What the processes do is decided by the seed, when they come to do it is not: a seed makes a finding likely
 * to come again, no more. Exit code 1 on any finding.
 */

import { parseArgs } from "@std/cli/parse-args";
import { type Part, partMissing, PARTS, runPart, type StormPlan } from "../tests/storm/storm.ts";
import { countFlag, refuseAllBut } from "./flags.ts";
import { runTool } from "./plain.ts";

const DEFAULT_ROUNDS = 500;
const DEFAULT_HOLDS = 1000;
const DEFAULT_PROCESSES = 16;
/** Two sides are met by a fifth of the rounds. */
const ROUNDS_A_SIDE_ROUND = 5;

async function storm(plan: StormPlan, parts: readonly Part[]): Promise<void> {
  console.log(`storm: seed ${plan.seed}, ${plan.processes} processes`);
  let findings = 0;
  const skipped: string[] = [];
  for (const part of parts) {
    const missing = await partMissing(part, plan.secondDir);
    if (missing !== null) {
      console.log(`${part}: skipped: ${missing}`);
      skipped.push(part);
      continue;
    }
    const tell = (progress: string) => console.log(`${part}: ${progress}`);
    const startMs = performance.now();
    const report = await runPart(part, { ...plan, tell });
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
    for (const finding of report.findings) console.log(`${part}: FOUND ${finding}`);
    console.log(`${part}: ${report.summary}; ${report.findings.length} findings, ${seconds} s`);
    findings += report.findings.length;
  }
  const left = skipped.length === 0 ? "" : `, skipped: ${skipped.join(", ")}`;
  console.log(`storm: seed ${plan.seed}: ${findings} findings${left}`);
  if (findings > 0) Deno.exit(1);
}

function partsOf(only: unknown): readonly Part[] {
  if (only === undefined) return PARTS;
  const part = PARTS.find((one) => one === only);
  if (!part) throw new Error(`--only takes one of ${PARTS.join(", ")}`);
  return [part];
}

async function main(): Promise<void> {
  const names = ["seed", "rounds", "holds", "processes", "dir", "second-dir", "only"] as const;
  const asked = parseArgs(Deno.args, {
    string: [...names],
    unknown: refuseAllBut(names),
  }) as Partial<Record<typeof names[number], string>>;
  const rounds = countFlag("rounds", asked.rounds, DEFAULT_ROUNDS);
  await storm({
    seed: countFlag("seed", asked.seed, 1 + Math.floor(Math.random() * 1e9)),
    rounds,
    sideRounds: Math.ceil(rounds / ROUNDS_A_SIDE_ROUND),
    holds: countFlag("holds", asked.holds, DEFAULT_HOLDS),
    processes: countFlag("processes", asked.processes, DEFAULT_PROCESSES),
    dir: asked.dir ?? null,
    secondDir: asked["second-dir"] ?? null,
    tell: () => {},
  }, partsOf(asked.only));
}

if (import.meta.main) await runTool("storm", main);

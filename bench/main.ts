/**
 * `deno task bench [--save] [start] [handoff] [flat] [unwoken] [journal] [slots] [idle]`: measures, and prints tables; all
 * of it (about 25 minutes) if nothing is named. `--save` also writes `bench/RESULTS.md`.
 *
 * The numbers are a baseline to compare with on the same machine, never a gate.
 */
import { deno } from "../tools/deno_command.ts";
import { projectFolder } from "../tools/project.ts";
import { runTool } from "../tools/plain.ts";
import { measureFlatness, measureHandOffs, measureUnwoken } from "./handoff.ts";
import { measureJournal } from "./journal.ts";
import { measureIdle } from "./idle.ts";
import { describeMachine } from "./machine.ts";
import { measureSlotUse, measureSlotWaiters } from "./slots.ts";
import { measureStart } from "./start.ts";
import { renderSection, type Section } from "./table.ts";

type Report = (section: Section) => void;
type Measurement = (scratch: string, report: Report) => Promise<void>;

const MEASUREMENTS: ReadonlyMap<string, Measurement> = new Map<string, Measurement>([
  ["start", async (scratch, report) => report(await measureStart(scratch))],
  ["handoff", measureHandOffs],
  ["flat", async (scratch, report) => report(await measureFlatness(scratch))],
  ["unwoken", async (scratch, report) => report(await measureUnwoken(scratch))],
  ["journal", async (scratch, report) => report(await measureJournal(scratch))],
  ["slots", async (scratch, report) => {
    report(await measureSlotUse(scratch));
    report(await measureSlotWaiters(scratch));
  }],
  ["idle", async (scratch, report) => report(await measureIdle(scratch))],
]);

async function bench(): Promise<void> {
  if (Deno.build.os !== "linux") throw new Error("The benchmark reads /proc: it needs Linux");
  const save = Deno.args.includes("--save");
  const wanted = Deno.args.filter((arg) => arg !== "--save");
  const unknown = wanted.find((name) => !MEASUREMENTS.has(name));
  if (unknown !== undefined) {
    const known = [...MEASUREMENTS.keys()].join(", ");
    throw new Error(`Cannot measure "${unknown}": there are ${known}`);
  }
  const results = [`# Measurements\n\n${await describeMachine()}`];
  console.log(results[0]);
  for (const name of wanted.length > 0 ? wanted : MEASUREMENTS.keys()) {
    await inScratchFolder(MEASUREMENTS.get(name)!, (section) => {
      results.push(renderSection(section));
      console.log(results.at(-1));
    });
  }
  if (save) await saveResults(results.join("\n"));
}

/** Formatted, as the gate wants every file to be. */
async function saveResults(text: string): Promise<void> {
  const root = projectFolder();
  await Deno.writeTextFile(`${root}/bench/RESULTS.md`, text);
  await deno(["fmt", "--quiet", "bench/RESULTS.md"], { cwd: root });
}

async function inScratchFolder(measure: Measurement, report: Report): Promise<void> {
  const scratch = await Deno.makeTempDir({ prefix: "lock_folder_util-bench-" });
  try {
    await measure(scratch, report);
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

if (import.meta.main) await runTool("bench", bench);

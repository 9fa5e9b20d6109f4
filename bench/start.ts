/** How long `run -- true` takes when nobody holds the lock. */
import { compiledPeer, ourProgram, pythonProgram } from "./programs.ts";
import { interleaved, median, p95 } from "./statistics.ts";
import { type Section, showMs, showRatio } from "./table.ts";

const ROUNDS = 20;
/** The first runs of a program read it from the disk. */
const WARM_UP_ROUNDS = 3;

const PYTHON_PROGRAM = `
import os, subprocess, sys
os.mkdir(sys.argv[1])
try:
    code = subprocess.call(sys.argv[2:])
finally:
    os.rmdir(sys.argv[1])
sys.exit(code)
`;

interface Candidate {
  readonly name: string;
  readonly command: readonly string[];
  readonly tookMs: number[];
}

/**
 * Measures the start against a compiled program and Python's interpreter doing the bare work.
 *
 * @param scratch an empty absolute folder
 * @return the result
 */
export async function measureStart(scratch: string): Promise<Section> {
  const ours = candidate("lock_folder_util run", [
    ...[await ourProgram(), "run", "--slug", "bench", "--dir", scratch, "--", "true"],
  ]);
  const folder = `${scratch}/peer.lock`;
  const compiled = candidate("compiled, folder only", [
    ...[await compiledPeer("peer_start", scratch), folder, "true"],
  ]);
  const python = await pythonProgram();
  const candidates = [ours, compiled];
  if (python !== null) {
    candidates.push(
      candidate("Python, folder only", [python, "-c", PYTHON_PROGRAM, folder, "true"]),
    );
  }
  candidates.push(candidate("true, no lock at all", ["true"]));
  for (const order of interleaved(candidates, WARM_UP_ROUNDS)) {
    for (const { command } of order) await timedMs(command);
  }
  for (const order of interleaved(candidates, ROUNDS)) {
    for (const { command, tookMs } of order) tookMs.push(await timedMs(command));
  }
  return {
    title: "Start: `run -- true` on a free lock",
    about:
      `${ROUNDS} interleaved runs each. The peers make a folder, run \`true\`, and remove the ` +
      "folder; the compiled one has the same run-time and flags.",
    columns: ["program", "median", "p95", "ours is"],
    rows: candidates.map(({ name, tookMs }) => [
      name,
      showMs(median(tookMs)),
      showMs(p95(tookMs)),
      showRatio(median(ours.tookMs) / median(tookMs)),
    ]),
    remarks: python === null ? ["Python left out: there is no python3 here."] : [],
  };
}

function candidate(name: string, command: readonly string[]): Candidate {
  return { name, command, tookMs: [] };
}

async function timedMs([program, ...args]: readonly string[]): Promise<number> {
  const command = new Deno.Command(program!, {
    args,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  });
  const startMs = performance.now();
  const { success } = await command.spawn().status;
  const tookMs = performance.now() - startMs;
  if (!success) throw new Error(`${program} failed`);
  return tookMs;
}

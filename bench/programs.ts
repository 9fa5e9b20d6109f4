/** The programs that are measured, made ready: ours, the compiled peers, Python, proper-lockfile. */
import { bundleArgs, compileArgs } from "../tools/build.ts";
import { deno } from "../tools/deno_command.ts";
import { projectFolder } from "../tools/project.ts";
import { denortForTests } from "../tools/test_binary.ts";

/** Of npm; fetched when it is first measured, and no dependency of ours. */
const PROPER_LOCKFILE = "proper-lockfile@4.1.2";

/** proper-lockfile has no command line: this runs one command under it, as its README shows. */
const PROPER_LOCKFILE_PROGRAM = `
import { spawnSync } from "node:child_process";
import lockfile from "proper-lockfile";
const [file, retryMs, program, ...args] = process.argv.slice(2);
const retries = { forever: true, factor: 1, minTimeout: Number(retryMs), maxTimeout: Number(retryMs) };
const release = await lockfile.lock(file, { realpath: false, retries });
const { status } = spawnSync(program, args, { stdio: "inherit" });
await release();
process.exit(status);
`;

/**
 * Our program, compiled from the sources as they are now.
 *
 * @return its absolute path
 */
export async function ourProgram(): Promise<string> {
  const root = projectFolder();
  await deno(["run", "-A", "tools/test_binary.ts"], { cwd: root });
  return `${root}/.cache/test-binary/lock_folder_util`;
}

/**
 * A compiled peer: same run-time, same flags as ours.
 *
 * @param name which one: `peer_start` or `peer_floor`
 * @param scratch an absolute folder to build in
 * @return its absolute path
 */
export async function compiledPeer(
  name: "peer_start" | "peer_floor",
  scratch: string,
): Promise<string> {
  const root = projectFolder();
  const denort = await denortForTests(root);
  const bundle = `${scratch}/${name}.js`;
  const program = `${scratch}/${name}`;
  await deno(bundleArgs(`bench/${name}.ts`, scratch), { cwd: root });
  await deno(compileArgs(bundle, program, Deno.build.target), {
    cwd: scratch,
    env: denort.kind === "file" ? { DENORT_BIN: denort.path } : {},
  });
  return program;
}

/**
 * Python's interpreter itself: what is found by its name may be a script that looks for it first.
 *
 * @return its absolute path, or null if there is none
 */
export async function pythonProgram(): Promise<string | null> {
  return (await firstLineOf("python3", ["-c", "import sys; print(sys.executable)"])) || null;
}

/** proper-lockfile, ready to run. */
export interface ProperLockfile {
  readonly node: string;
  /** A module for Node: file to lock, milliseconds between two tries, command, its arguments. */
  readonly script: string;
}

/**
 * Fetches proper-lockfile into a cache folder by npm, unless it is there.
 *
 * @return how to run it, or null if there is no Node or npm cannot fetch it
 */
export async function properLockfile(): Promise<ProperLockfile | null> {
  const node = await firstLineOf("node", ["-p", "process.execPath"]);
  if (!node) return null;
  const folder = `${projectFolder()}/.cache/bench`;
  const script = `${folder}/proper_lockfile.mjs`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/package.json`, `{ "private": true }\n`);
  await Deno.writeTextFile(script, PROPER_LOCKFILE_PROGRAM);
  const args = ["install", "--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  const fetched = await firstLineOf("npm", [...args, "--prefix", folder, PROPER_LOCKFILE]);
  return fetched === null ? null : { node, script };
}

/**
 * The first line that a program prints.
 *
 * @param program a name or a path
 * @param args its arguments
 * @return the line, or null if the program is missing or fails
 */
export async function firstLineOf(
  program: string,
  args: readonly string[],
): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command(program, {
      args: [...args],
      stdin: "null",
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout).split("\n")[0]!.trim() : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

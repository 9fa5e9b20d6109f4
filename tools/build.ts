/**
 * Builds the program: bundled into one file first (a compiled program that still has to resolve npm
 * imports starts 10 to 15 % slower), then compiled. The same sources, Deno and denort give the same
 * bytes, whatever the folder and the hour.
 */
import { deno } from "./deno_command.ts";
import type { Denort } from "./denort.ts";

/** What to build from, where to, and on which run-time. */
export interface Build {
  /** The project's folder, absolute. */
  readonly root: string;
  /** The program to write, absolute; an earlier one is replaced in one step. */
  readonly output: string;
  readonly denort: Denort;
}

/** What to compile, for which machine, where to, and on which run-time. */
export interface Compilation {
  /** The folder that `bundleProgram()` filled, absolute. */
  readonly bundles: string;
  /** Rust's name of the machine, such as `x86_64-unknown-linux-gnu`. */
  readonly target: string;
  /** The program to write, absolute. Its name is not embedded, but `.exe` is what Windows asks for. */
  readonly output: string;
  readonly denort: Denort;
}

/**
 * Modification time of everything that goes into the program, in seconds since 1970. `deno compile`
 * embeds it; any fixed time will do.
 */
const SOURCE_TIME_SECONDS = 0;

/**
 * The program's file name.
 *
 * @param os what it is to run on
 * @return a file name
 */
export function programName(os: typeof Deno.build.os): string {
  return os === "windows" ? "lock_folder_util.exe" : "lock_folder_util";
}

/**
 * Arguments that bundle an entry module, and into files of their own what it loads only when asked to.
 * Minified, because the comments that are left otherwise name the builder's cache folder. Names are not
 * kept: that would run a statement for every function, a millisecond of each start.
 *
 * @param entry the module to start from
 * @param folder where to write; the entry comes out under its own name
 * @return arguments for Deno
 */
export function bundleArgs(entry: string, folder: string): string[] {
  return [
    "bundle",
    "--quiet",
    "--minify",
    "--code-splitting",
    "--outdir",
    folder,
    entry,
  ];
}

/**
 * Arguments that compile a bundled module.
 *
 * - `--allow-all`: `/proc`, where start times and boot ids are, can be read with nothing less
 * - `--no-prompt`: a lock in a script must never wait for a person's answer
 * - `--no-code-cache`: the cache is a file in the temporary folder that anybody could have planted
 * - `--no-sparkplug`: V8 sets up its baseline compiler in the first milliseconds, at a cost of four, and a
 *   program that lives for forty never gains by it
 * - `--no-config`, `--no-lock`: the bundle is complete; nothing else is to be embedded
 *
 * @param bundle the file to compile
 * @param program the program to write
 * @param target Rust's name of the machine it is for, by default this one's
 * @return arguments for Deno
 */
export function compileArgs(
  bundle: string,
  program: string,
  target: string = Deno.build.target,
): string[] {
  return [
    "compile",
    "--quiet",
    "--no-check",
    "--no-config",
    "--no-lock",
    "--allow-all",
    "--no-prompt",
    "--no-code-cache",
    "--v8-flags=--no-sparkplug",
    "--target",
    target,
    "--output",
    program,
    bundle,
  ];
}

/**
 * Bundles `main.ts`.
 *
 * @param root the project's folder, absolute
 * @param bundles the folder to fill, absolute; made if it is not there
 * @throws Error with Deno's words, if it cannot
 */
export async function bundleProgram(root: string, bundles: string): Promise<void> {
  await deno(bundleArgs("main.ts", bundles), { cwd: root });
  for await (const { name } of Deno.readDir(bundles)) {
    await Deno.utime(`${bundles}/${name}`, SOURCE_TIME_SECONDS, SOURCE_TIME_SECONDS);
  }
}

/**
 * Compiles what `bundleProgram()` made.
 *
 * @param compilation what, for which machine, where to, on which run-time
 * @throws Error with Deno's words, if it cannot
 */
export async function compileProgram(compilation: Compilation): Promise<void> {
  const { bundles, target, output, denort } = compilation;
  await deno(compileArgs(`${bundles}/main.js`, output, target), {
    cwd: bundles,
    env: denort.kind === "file" ? { DENORT_BIN: denort.path } : {},
  });
}

/**
 * Bundles and compiles `main.ts` for this machine.
 *
 * @param build what, where to, on which run-time
 * @throws Error with Deno's words, if it cannot bundle or compile
 */
export async function buildProgram({ root, output, denort }: Build): Promise<void> {
  const folder = output.slice(0, Math.max(output.lastIndexOf("/"), output.lastIndexOf("\\")));
  await Deno.mkdir(folder, { recursive: true });
  // Beside the output, so that the rename at the end stays within one file system.
  const scratch = await Deno.makeTempDir({ dir: folder, prefix: ".build-" });
  try {
    const bundles = `${scratch}/bundle`;
    const program = `${scratch}/${programName(Deno.build.os)}`;
    await bundleProgram(root, bundles);
    await compileProgram({ bundles, target: Deno.build.target, output: program, denort });
    await Deno.rename(program, output);
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

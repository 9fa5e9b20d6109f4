/**
 * `deno task release [--target TRIPLE]... [--tag TAG] [--releases URL] [--denort FILE]`: makes a
 * release from the commit that is checked out, in `dist/release`. The same commit gives the same bytes,
 * with the same Deno on the same kind of machine.
 *
 * - `--target` picks some of the machines; without it, all
 * - `--tag` is the tag that is to be released; it has to be the version's
 * - `--releases` is the address that the installers are to fetch from
 * - `--denort`, or DENORT_BIN, is a run-time to use in place of Deno's own; it fits one target only
 *
 * Deno's own run-times, one for each target, are the one thing that comes from the open internet: Deno
 * downloads them while it compiles.
 */
import { parseArgs } from "@std/cli/parse-args";
import { bundleProgram, compileProgram, programName } from "./build.ts";
import { deno } from "./deno_command.ts";
import { type Denort, findDenort, noDenortMessage, runtimeNote } from "./denort.ts";
import { refuseAllBut } from "./flags.ts";
import { runTool, Unavailable } from "./plain.ts";
import { projectFolder } from "./project.ts";
import { pickTargets, type Target } from "./release_targets.ts";
import { makeRelease, type Release, type Workshop } from "./release_work.ts";

/** What the command line asks for. */
export interface Asked {
  readonly targets: readonly Target[];
  readonly tag: string | null;
  readonly releases: string | null;
  readonly denort: string | null;
}

/**
 * Reads the command line.
 *
 * @param args without the program's name
 * @param denortBin the variable DENORT_BIN
 * @return what it asks for
 * @throws Error that says what is wrong with it
 */
export function readArgs(args: readonly string[], denortBin: string | undefined): Asked {
  const names = ["target", "tag", "releases", "denort"] as const;
  const flags = parseArgs(args, {
    string: [...names],
    collect: ["target"],
    unknown: refuseAllBut(names),
  });
  const text = (name: typeof names[number]) => {
    const value = flags[name] as string | undefined;
    if (value === "") throw new Error(`--${name} needs a value`);
    return value ?? null;
  };
  const targets = pickTargets(flags["target"] as string[]);
  const denort = text("denort") ?? denortBin ?? null;
  if (denort !== null && targets.length !== 1) {
    throw new Error("a denort of your own fits one machine: name it with one --target");
  }
  return { targets, tag: text("tag"), releases: text("releases"), denort };
}

/**
 * Whether what is checked out may be released.
 *
 * @param status what `git status --porcelain` says
 * @param tag the tag to release, if there is one
 * @param version the version in deno.json
 * @throws Error if it may not
 */
export function checkTree(status: string, tag: string | null, version: string): void {
  if (status.trim() !== "") {
    throw new Error(`A release is made from a commit, and there are changes:\n${status.trimEnd()}`);
  }
  if (tag !== null && tag !== `v${version}`) {
    throw new Error(`The tag is ${tag}, but deno.json has the version ${version}`);
  }
}

async function release(): Promise<void> {
  const asked = readArgs(Deno.args, Deno.env.get("DENORT_BIN"));
  const root = projectFolder();
  const { version } = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  checkTree(await git(root, "status", "--porcelain"), asked.tag, version);
  const timeSeconds = Number(await git(root, "log", "-1", "--format=%ct"));
  const denorts = await findDenorts(asked);
  const out = `${root}/dist/release`;
  await Deno.mkdir(`${root}/dist`, { recursive: true });
  const scratch = await Deno.makeTempDir({ dir: `${root}/dist`, prefix: ".release-" });
  try {
    const made = `${scratch}/release`;
    await Deno.mkdir(made);
    await bundleProgram(root, `${scratch}/bundle`);
    const { targets, releases } = asked;
    const plan: Release = { version, targets, timeSeconds, releases };
    await makeRelease(plan, workshop(root, scratch, denorts));
    await Deno.remove(out, { recursive: true }).catch(unlessMissing);
    await Deno.rename(made, out);
    console.log(out);
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

function workshop(root: string, scratch: string, denorts: ReadonlyMap<Target, Denort>): Workshop {
  const programOf = ({ triple, os }: Target) => `${scratch}/${triple}/${programName(os)}`;
  return {
    source: (path) => Deno.readFile(`${root}/${path}`),
    runBundle: (args) =>
      deno(["run", "--no-config", "--no-lock", "-A", `${scratch}/bundle/main.js`, ...args]),
    async compile(target) {
      await Deno.mkdir(`${scratch}/${target.triple}`);
      const output = programOf(target);
      const denort = denorts.get(target)!;
      const bundles = `${scratch}/bundle`;
      await compileProgram({ bundles, target: target.triple, output, denort });
      return await Deno.readFile(output);
    },
    runCompiled: async (target, args) =>
      target.triple === Deno.build.target ? await output(programOf(target), args) : null,
    runtimeNote: (target, said) => runtimeNote(said, denorts.get(target)!, Deno.version.deno),
    keep: (name, content) => Deno.writeFile(`${scratch}/release/${name}`, content),
    tell: (line) => console.log(line),
  };
}

/** Looks for all before anything is compiled. */
async function findDenorts({ targets, denort }: Asked): Promise<ReadonlyMap<Target, Denort>> {
  if (denort !== null) Deno.env.set("DENORT_BIN", denort);
  const found = new Map<Target, Denort>();
  for (const target of targets) {
    const one = await findDenort(target.triple);
    if (one === undefined) {
      throw new Unavailable(`${target.triple}: ${noDenortMessage(Deno.version.deno)}`);
    }
    found.set(target, one);
  }
  return found;
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  return await output("git", ["-C", root, ...args]);
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const command = new Deno.Command(program, { args: [...args], stdin: "null" });
  const { success, code, stdout, stderr } = await command.output();
  if (success) return new TextDecoder().decode(stdout);
  const words = new TextDecoder().decode(stderr).trim();
  throw new Error(`${program} ${args.join(" ")} failed with status ${code}: ${words}`);
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

if (import.meta.main) await runTool("release", release);

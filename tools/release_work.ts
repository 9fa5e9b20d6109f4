/**
 * How a release is made. What it takes from outside comes in as a `Workshop`, so that all of this is
 * tested without compiling anything and without the network.
 */
import { programName } from "./build.ts";
import { manPage } from "./man_page.ts";
import { pageDate } from "./man.ts";
import { type Entry, tarGz, zip } from "./release_archive.ts";
import {
  archiveName,
  checksumLines,
  CHECKSUMS,
  COMPLETIONS,
  INSTALLERS,
  stampInstaller,
  type Target,
} from "./release_targets.ts";
import { sha256 } from "./sha256.ts";

/** What is released. */
export interface Release {
  readonly version: string;
  readonly targets: readonly Target[];
  /** The commit's time, which everything in the archives gets; seconds since 1970. */
  readonly timeSeconds: number;
  /** Where the releases will be, for the installers; null if that is open. */
  readonly releases: string | null;
}

/** What making a release takes from outside. */
export interface Workshop {
  /** A file of the source tree. */
  source(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Runs the bundled, not yet compiled program. */
  runBundle(args: readonly string[]): Promise<string>;
  compile(target: Target): Promise<Uint8Array<ArrayBuffer>>;
  /** Runs what was compiled last; null if this machine cannot. */
  runCompiled(target: Target, args: readonly string[]): Promise<string | null>;
  /**
   * On which Deno a program runs, in one line.
   *
   * @param said what it says to `--version --verbose`; null if this machine cannot run it
   */
  runtimeNote(target: Target, said: string | null): string;
  /** Keeps a file of the release. */
  keep(name: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  tell(line: string): void;
}

/**
 * Makes a release: an archive for each target, the installers, the checksums of all.
 *
 * @param release what is released
 * @param workshop what it takes
 * @throws Error if a program is not what it has to be
 */
export async function makeRelease(release: Release, workshop: Workshop): Promise<void> {
  const checksums = new Map<string, string>();
  const keep = async (name: string, content: Uint8Array<ArrayBuffer>) => {
    const checksum = await sha256(content);
    checksums.set(name, checksum);
    await workshop.keep(name, content);
    workshop.tell(`${checksum}  ${name}`);
  };
  const companions = await companionFiles(release, workshop);
  for (const target of release.targets) {
    const program = await workshop.compile(target);
    await checkProgram(target, release, workshop);
    const entries = archiveEntries(target, program, companions);
    const pack = target.os === "windows" ? zip : tarGz;
    await keep(archiveName(target), pack(entries, release.timeSeconds));
  }
  for (const name of INSTALLERS) {
    const script = new TextDecoder().decode(await workshop.source(name));
    await keep(name, new TextEncoder().encode(stampInstaller(script, release.releases)));
  }
  await workshop.keep(CHECKSUMS, new TextEncoder().encode(checksumLines(checksums)));
}

/** Runs it where this machine can; on the other machines the release's workflow does. */
async function checkProgram(
  target: Target,
  { version }: Release,
  workshop: Workshop,
): Promise<void> {
  const said = await workshop.runCompiled(target, ["--version", "--verbose"]);
  if (said === null) workshop.tell(`${target.triple}: cannot be run here`);
  else if (!said.startsWith(`lock_folder_util ${version}\n`)) {
    throw new Error(
      `The program for ${target.triple} is wrong: --version says ${JSON.stringify(said)}`,
    );
  }
  workshop.tell(`${target.triple}: ${workshop.runtimeNote(target, said)}`);
}

/** The README and all that it and its pages link to: in an unpacked archive no link leads nowhere. */
export const PAPERS: readonly string[] = [
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "PROTOCOL.md",
  "README.md",
  "bench/RESULTS.md",
  "docs/commands.md",
  "docs/compare.md",
  "docs/flags.md",
  "docs/guarantees.md",
  "docs/install.md",
  "docs/json.md",
  "docs/report.svg",
  "examples/deno.ts",
  "examples/node.mjs",
  "examples/pre-push",
  "examples/python.py",
  "examples/shell.sh",
];

/** What goes into the archives beside the program, the same for every target. */
async function companionFiles(
  { version, timeSeconds }: Release,
  workshop: Workshop,
): Promise<Entry[]> {
  const text = (path: string, content: string): Entry => ({
    path,
    content: new TextEncoder().encode(content),
    executable: false,
  });
  const files: Entry[] = [];
  for (const path of PAPERS) {
    files.push({ path, content: await workshop.source(path), executable: false });
  }
  const date = pageDate(String(timeSeconds), 0);
  files.push(text("lock_folder_util.1", manPage({ version, date })));
  for (const [shell, file] of COMPLETIONS) {
    files.push(text(`completions/${file}`, await workshop.runBundle(["completions", shell])));
  }
  return files;
}

function archiveEntries(
  { triple, os }: Target,
  program: Uint8Array<ArrayBuffer>,
  companions: readonly Entry[],
): Entry[] {
  return [{ path: programName(os), content: program, executable: true }, ...companions]
    .map((entry) => ({ ...entry, path: `lock_folder_util-${triple}/${entry.path}` }));
}

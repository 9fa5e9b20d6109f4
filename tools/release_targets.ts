/** The machines that a release is made for, and what its files are called. Pure. */

/** A machine that a release is made for. */
export interface Target {
  /** Rust's name of it, which Deno and the archives go by. */
  readonly triple: string;
  readonly os: "linux" | "darwin" | "windows";
  readonly machine: "x86_64" | "aarch64";
}

/** All of them, in the order in which they are made. */
export const TARGETS: readonly Target[] = [
  { triple: "x86_64-unknown-linux-gnu", os: "linux", machine: "x86_64" },
  { triple: "aarch64-unknown-linux-gnu", os: "linux", machine: "aarch64" },
  { triple: "x86_64-apple-darwin", os: "darwin", machine: "x86_64" },
  { triple: "aarch64-apple-darwin", os: "darwin", machine: "aarch64" },
  { triple: "x86_64-pc-windows-msvc", os: "windows", machine: "x86_64" },
];

/** The installers, which a release carries beside the archives. */
export const INSTALLERS = ["install.ps1", "install.sh"] as const;

/** The list of checksums, as `sha256sum --check` reads it. */
export const CHECKSUMS = "SHA256SUMS";

/** Shell to the file that its completions are in, named as that shell looks for them. */
export const COMPLETIONS: readonly (readonly [shell: string, file: string])[] = [
  ["bash", "lock_folder_util.bash"],
  ["fish", "lock_folder_util.fish"],
  ["powershell", "lock_folder_util.ps1"],
  ["zsh", "_lock_folder_util"],
];

/**
 * An archive's name. It has no version in it, so that the address of the newest release's stays the same.
 *
 * @param target the machine
 * @return a file name
 */
export function archiveName({ triple, os }: Target): string {
  return `lock_folder_util-${triple}.${os === "windows" ? "zip" : "tar.gz"}`;
}

/**
 * Picks targets by their names.
 *
 * @param triples what was asked for; none means all
 * @return the targets, in the order of `TARGETS`
 * @throws Error if one of the names is no target's
 */
export function pickTargets(triples: readonly string[]): readonly Target[] {
  const names = TARGETS.map(({ triple }) => triple);
  const unknown = triples.find((triple) => !names.includes(triple));
  if (unknown !== undefined) {
    throw new Error(`There is no target "${unknown}"; there are ${names.join(", ")}`);
  }
  return triples.length === 0 ? TARGETS : TARGETS.filter(({ triple }) => triples.includes(triple));
}

/**
 * The list of checksums.
 *
 * @param files name and SHA-256 in hexadecimal
 * @return a line for each file, sorted by name
 */
export function checksumLines(files: ReadonlyMap<string, string>): string {
  return [...files].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, checksum]) => `${checksum}  ${name}\n`).join("");
}

/**
 * Writes the address of the releases into an installer, which does not know it in the source tree.
 *
 * @param script the installer
 * @param releases the address, without a slash at its end; null leaves it open
 * @return the installer as it is published
 * @throws Error if the address could mean something to a shell, or the installer has no place for it
 */
export function stampInstaller(script: string, releases: string | null): string {
  if (releases === null) return script;
  if (!/^https:\/\/[\w.:-]+(?:\/[\w.-]+)*$/.test(releases)) {
    throw new Error(`No plain https address of releases: "${releases}"`);
  }
  const place = /^( *\$?releases ?= ?)''/m;
  if (!place.test(script)) throw new Error("The installer has no line for the releases' address");
  return script.replace(place, (_, before: string) => `${before}'${releases}'`);
}

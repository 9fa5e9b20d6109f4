/**
 * Which lock a command line means: `--dir`, be it a path or a word, `--name`, and the environment. Nothing else in the
 * command line chooses between kinds of lock.
 */

import { lookAtMount } from "../folder/place/mount.ts";
import { sharedWord } from "../words/paths.ts";
import { openSite } from "../folder/open_site.ts";
import { FolderService } from "../folder/service.ts";
import type { Site } from "../folder/site.ts";
import { type LockPaths, lockPaths } from "../folder/state/layout.ts";
import { DEFAULT_LOCK_NAME } from "../lock/times.ts";
import { UsageError } from "../lock/failures.ts";
import type { LockService } from "../lock/service.ts";
import { DIR_VARIABLE, HELD_VARIABLE, inheritedTokens } from "../lock/variables.ts";
import type { Environment, Host } from "../sys/sys.ts";
import { isLockName, LOCK_NAME_RULE, showForeign } from "../words/slugs.ts";
import type { ParsedLine } from "./command_line.ts";
import { absoluteDir } from "./options.ts";
import { say } from "./say.ts";

/** Where a person who says nothing keeps the lock. */
const DEFAULT_DIR = ".tmp";

/** Opens the lock that a line names; the tests of the command line have one in memory. */
export type OpenLock = (parsed: ParsedLine, host: Host) => Promise<LockService>;

/** Commands that say with `--slots` that they mean one of several: without it, they must find none. */
const TAKERS = ["run", "acquire"];

/** @throws UsageError */
export async function serviceOf(parsed: ParsedLine, host: Host): Promise<LockService> {
  if (parsed.names) return await severalOf(parsed, parsed.names, host);
  const site = await folderOf(parsed, host);
  const takes = parsed.command !== null && TAKERS.includes(parsed.command.name);
  if (takes && parsed.values.slots === undefined) return new FolderService(site, host);
  const { slotsOption } = await import("./slots_option.ts");
  const { openCountedService } = await import("../folder/slots/open_service.ts");
  const counted = openCountedService(site, host, slotsOption(parsed, "slots"));
  // A list that cannot be read is written anew.
  const isRepair = parsed.values.set !== undefined;
  return await (isRepair ? counted.catch(() => null) : counted) ?? new FolderService(site, host);
}

/** @throws UsageError */
async function severalOf(
  { names: _, ...parsed }: ParsedLine,
  names: readonly string[],
  host: Host,
): Promise<LockService> {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(`--name ${showForeign(twice)} is given twice; name each lock once`);
  }
  if (parsed.values.slots !== undefined) {
    throw new UsageError("--slots goes with one --name: nest a run for each lock, or drop one");
  }
  const locks = [];
  for (const name of names) {
    const service = await serviceOf({ ...parsed, values: { ...parsed.values, name } }, host);
    locks.push({ name, service });
  }
  const { SeveralLocks } = await import("../lock/several.ts");
  const tokens = inheritedTokens(host.environment.get(HELD_VARIABLE));
  return new SeveralLocks(locks, tokens, () => host.clock.monotonicMs());
}

/**
 * The same lock, for what only a folder has.
 * @throws UsageError
 */
export async function folderOf(parsed: ParsedLine, host: Host): Promise<Site> {
  const paths = lockOption(parsed, host.environment);
  const onUnlogged = (missing: string, reason: string) =>
    say(host, (messages) => messages.unlogged(paths.log, missing, reason));
  const mount = await lookAtMount(host.mounts, paths.dir);
  return openSite(host, paths, { onUnlogged, mount });
}

/** Where the lock is that a line names. */
export function lockOption(line: ParsedLine, environment: Environment): LockPaths {
  const { name = DEFAULT_LOCK_NAME } = line.values;
  if (!isLockName(name)) {
    throw new UsageError(`--name "${showForeign(name)}" is no name for a lock: ${LOCK_NAME_RULE}`);
  }
  const dir = givenDir(line, environment) ?? DEFAULT_DIR;
  return lockPaths(absoluteDir(dir, environment), name);
}

/** The working folder, if its own lock folder is meant, named or not; else null. */
export function defaultFrom({ dir }: LockPaths, environment: Environment): string | null {
  const { workingFolder } = environment;
  if (workingFolder === null || dir !== absoluteDir(DEFAULT_DIR, environment)) return null;
  return absoluteDir(".", environment);
}

/**
 * The folder that a flag or the environment names, be it a path or a word.
 * @return null where neither does
 * @throws UsageError if the variable is empty: a mistake in a script, which must not end in another folder
 */
export function givenDir({ values }: ParsedLine, environment: Environment): string | null {
  const dir = values.dir ?? environment.get(DIR_VARIABLE) ?? null;
  if (dir !== "") return dir;
  throw new UsageError(
    `${DIR_VARIABLE} is set but empty; set it to the lock folder, unset it, or name the folder with --dir`,
  );
}

/**
 * `herd` knows `--dir` alone, `guide` makes no folder, and a word such as the file of `report FILE` takes the
 * place of the lock folder.
 */
function namesFolder({ command, operands }: ParsedLine): boolean {
  const own = command?.name === "guide" || command?.name === "herd";
  const isOfFile = command?.name === "report" && operands.length > 0;
  return command !== null && command.flags.includes("dir") && !isOfFile && !own;
}

/**
 * The line with the path of the folder that its word stands for; the folder is made on first use.
 * @throws FolderUnusable
 */
export async function withSharedDir(line: ParsedLine, host: Host): Promise<ParsedLine> {
  if (!namesFolder(line)) return line;
  return await withWord(line, givenDir(line, host.environment) ?? undefined, host);
}

/** As `withSharedDir()`, for `--dir` alone. */
export async function withGivenSharedDir(line: ParsedLine, host: Host): Promise<ParsedLine> {
  return await withWord(line, line.values.dir, host);
}

async function withWord(
  line: ParsedLine,
  dir: string | undefined,
  host: Host,
): Promise<ParsedLine> {
  const word = sharedWord(dir);
  if (word === null) return line;
  const { openSharedFolder } = await import("../folder/place/shared_folder.ts");
  const path = await openSharedFolder(word, host.files, host.environment);
  return { ...line, values: { ...line.values, dir: path } };
}

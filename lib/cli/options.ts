/** From flags to values: durations, names and numbers, each with its rule. */

import { UsageError } from "../lock/failures.ts";
import { isNote, isSlug, normalSlug, NOTE_RULE, showForeign, SLUG_RULE } from "../words/slugs.ts";
import { type FlagName, flagNamed } from "./commands.ts";
import { POLL_FLOOR_MS, STALE_FLOOR_MS } from "../lock/times.ts";
import { DURATION_RULE, parseDurationMs, showDuration } from "../words/durations.ts";
import { EXIT } from "../lock/exit_codes.ts";
import { SLUG_VARIABLE } from "../lock/variables.ts";
import { absolutePathFrom } from "../words/paths.ts";
import type { Limits } from "../lock/command.ts";
import type { Environment } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";

export interface WaitOptions {
  readonly slug: string;
  readonly pollMs: number;
  readonly staleMs: number;
  readonly timeoutMs: number | null;
  readonly keepPlaceMs: number;
  readonly note?: string;
}

/** @throws UsageError */
export function waitOptions(line: ParsedLine): WaitOptions {
  // Even where it is of no use, a wrong one is a mistake to be told of now and not in the night.
  conflictExitCode(line);
  return {
    slug: slugOption(line),
    pollMs: durationOption(line, "poll", POLL_FLOOR_MS),
    staleMs: durationOption(line, "stale", STALE_FLOOR_MS),
    timeoutMs: line.values.timeout === "none" ? null : durationOption(line, "timeout", 0),
    keepPlaceMs: durationOption(line, "keep-place", 0),
    ...noteOption(line),
  };
}

function noteOption({ values: { note } }: ParsedLine): { note?: string } {
  if (note === undefined) return {};
  if (isNote(note)) return { note };
  throw new UsageError(`--note "${showForeign(note)}" is no note: ${NOTE_RULE}`);
}

export function slugOption(line: ParsedLine): string {
  const { slug } = line.values;
  if (slug === undefined) {
    throw new UsageError(
      `--slug is missing; say who you are: --slug NAME, or ${SLUG_VARIABLE}, ${SLUG_RULE}`,
    );
  }
  if (!isSlug(slug)) throw new UsageError(`--slug "${showForeign(slug)}" is no name: ${SLUG_RULE}`);
  return slug;
}

/** Commands in which a slug says who calls, and not whom to ask or tell of. */
const CALLERS = ["run", "acquire", "release", "renew"];

/**
 * The line, with the slug that the environment names where none is given.
 * @throws UsageError if that is no name
 */
export function withSlugOf(line: ParsedLine, environment: Pick<Environment, "get">): ParsedLine {
  const isCaller = line.command !== null && CALLERS.includes(line.command.name);
  if (!isCaller || line.values.slug !== undefined) return line;
  const slug = normalSlug(environment.get(SLUG_VARIABLE) ?? "");
  if (slug === "") return line;
  if (isSlug(slug)) return { ...line, values: { ...line.values, slug } };
  throw new UsageError(`${SLUG_VARIABLE} "${showForeign(slug)}" is no name: ${SLUG_RULE}`);
}

export function durationOption(line: ParsedLine, name: FlagName, floorMs: number): number {
  const given = line.values[name] ?? flagNamed(name).byDefault!;
  const ms = parseDurationMs(given);
  const none = name === "timeout" ? ", or none" : "";
  if (ms === null) {
    throw new UsageError(
      `--${name} "${showForeign(given)}" is no duration: ${DURATION_RULE}${none}`,
    );
  }
  if (ms < floorMs) {
    throw new UsageError(`--${name} ${given} is too short: at least ${showDuration(floorMs)}`);
  }
  return ms;
}

/** @throws UsageError */
export function runLimits(line: ParsedLine): Limits {
  const onLost = line.values["on-lost"] ?? flagNamed("on-lost").byDefault!;
  if (onLost !== "warn" && onLost !== "terminate") {
    throw new UsageError(`--on-lost "${showForeign(onLost)}" is neither warn nor terminate`);
  }
  const limited = line.values["max-hold"] !== undefined;
  return {
    maxHoldMs: limited ? durationOption(line, "max-hold", 1) : null,
    endOnLoss: onLost === "terminate",
  };
}

/** @return null if it is not given */
export function fenceOption(line: ParsedLine): number | null {
  const given = line.values.fence;
  if (given === undefined) return null;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(
    `--fence "${showForeign(given)}" is no fence number: what LOCK_FOLDER_FENCE says`,
  );
}

/**
 * A whole number from 1 on.
 * @param most the largest that is allowed
 * @throws UsageError
 */
export function countOption(line: ParsedLine, name: FlagName, most: number): number {
  const given = line.values[name] ?? flagNamed(name).byDefault!;
  const count = Number(given);
  if (/^\d{1,9}$/.test(given) && count >= 1 && count <= most) return count;
  throw new UsageError(
    `--${name} "${showForeign(given)}" is out of range: a whole number from 1 to ${most}`,
  );
}

/** The status for giving up: any code can be the command's own, so a script may choose one that is not. */
export function conflictExitCode(line: ParsedLine): number {
  const given = line.values["conflict-exit-code"];
  if (given === undefined) return EXIT.gaveUp;
  const code = Number(given);
  if (/^\d{1,3}$/.test(given) && code <= 255) return code;
  throw new UsageError(
    `--conflict-exit-code "${showForeign(given)}" is no exit code: a number from 0 to 255`,
  );
}

/**
 * A folder named by a flag, absolute.
 * @return null if it is not given
 */
export function folderOption(
  line: ParsedLine,
  name: FlagName,
  environment: Environment,
): string | null {
  const given = line.values[name];
  return given === undefined ? null : absoluteDir(given, environment);
}

/** A lock folder, made absolute once, so that a command that changes its folder changes nothing here. */
export function absoluteDir(dir: string, { workingFolder }: Environment): string {
  const path = absolutePathFrom(dir, workingFolder);
  if (path !== null) return path;
  throw new UsageError(`${NO_WORKING_FOLDER}; name an absolute lock folder with --dir`);
}

/** Where a file of the user's own is, absolute. */
export function documentPath(path: string, { workingFolder }: Environment): string {
  const absolute = absolutePathFrom(path, workingFolder);
  if (absolute !== null) return absolute;
  throw new UsageError(`${NO_WORKING_FOLDER}; name ${showForeign(path)} by its absolute path`);
}

const NO_WORKING_FOLDER =
  "the folder this was started in has been removed, or its name is not UTF-8";

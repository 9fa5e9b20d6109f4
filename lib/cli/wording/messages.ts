/**
 * The wording of failures and of what is told while the lock is held: one line each, with the thing, the cause,
 * the holder where there is one, and the next step. Wrong command lines are told where they are found out, in
 * `command_line.ts` and `options.ts`; why a hold counts as held or stale, by `folder/verdict/judge.ts`.
 */

import { showCount } from "../../words/columns.ts";
import { showDuration } from "../../words/durations.ts";
import {
  CallerGone,
  type FenceMismatch,
  FolderUnusable,
  GaveUp,
  HoldLost,
  Interrupted,
  type LossKind,
  NoInput,
  NoLog,
  NotHolder,
  UsageError,
} from "../../lock/failures.ts";
import { JobCancelled, JobRefused, NoJob } from "../../lock/job_failures.ts";
import type { HolderView } from "../../lock/views.ts";
import { HELD_VARIABLE } from "../../lock/variables.ts";
import type { Killed } from "../../lock/command.ts";
import { shellWord, showForeign } from "../../words/slugs.ts";
import type { Trouble } from "../../lock/service.ts";
import { UnknownWord } from "../command_line.ts";
import { describeGaveUp } from "./giving_up.ts";
import { describeHolder, holderWords, type Told } from "./holder_words.ts";
import { PROGRAM } from "./line.ts";
import { describeObstacle } from "./obstacle_text.ts";
import { describeUnknown } from "./unknown_words.ts";

/** ` --dir /srv/locks --name dev7`, of these as many as were given. */
export function lockFlags(values: { readonly dir?: string; readonly name?: string }): string {
  return (["dir", "name"] as const).flatMap((flag) => {
    const value = values[flag];
    if (value === undefined) return [];
    // A value that looks like a flag must be tied to its own.
    return [` --${flag}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`];
  }).join("");
}

/** What went wrong, in one line without the program's name. */
export function describeFailure(failure: unknown, told: Told): string {
  if (failure instanceof UnknownWord) return describeUnknown(failure);
  if (failure instanceof UsageError) return failure.message;
  if (failure instanceof GaveUp) return describeGaveUp(failure, told);
  if (failure instanceof NotHolder) return describeNotHolder(failure, told);
  if (failure instanceof HoldLost) {
    return `${failure.slug} has lost ${failure.lock}: ${lossWords(failure.how)}`;
  }
  if (failure instanceof NoLog) return describeNoLog(failure);
  if (failure instanceof NoInput) {
    return `${
      showForeign(failure.path)
    } cannot be read: ${failure.reason}; check its name and its folder`;
  }
  if (failure instanceof JobCancelled) {
    return `job ${failure.id} was cancelled before it ran; nothing is held`;
  }
  if (failure instanceof JobRefused) {
    return `no job was submitted for ${failure.lock}, and nothing runs: ${failure.reason}`;
  }
  if (failure instanceof NoJob) {
    return `${failure.lock} has no job ${failure.id}: ask with the --dir and --name that it was submitted with; if they are these, its folder was deleted, or its --keep is over; ${PROGRAM} status${told.lockFlags} lists all jobs`;
  }
  if (failure instanceof CallerGone) {
    return `pid ${failure.pid}, which called, is gone (--die-with-parent): gave up waiting for ${failure.lock}; nothing was run, and nothing is held`;
  }
  if (failure instanceof Interrupted) {
    return `ended by ${failure.signal} on the way to ${failure.lock}; nothing was run, and nothing is held`;
  }
  if (failure instanceof FolderUnusable) {
    return describeObstacle(failure.path, failure.obstacle, told.noInodes ?? false);
  }
  return `this is a defect of ${PROGRAM}: ${
    (failure instanceof Error ? failure.message : String(failure)).replace(/\s*\n\s*/g, " ")
  }`;
}

function describeNoLog({ path, found }: NoLog): string {
  const isNone = `${showForeign(path)} is no log of a lock`;
  if (found === "folder") return `${isNone}: it is a folder; name the log in it`;
  if (found === 0) return `${isNone}: it is empty; name the log itself`;
  const none = found === 1 ? "its one line is not" : `none of its ${showCount(found)} lines is`;
  return `${isNone}: ${none} of the form "2026-08-22T23:05:52Z NAME acquired"; name the log itself, unpacked and in UTF-8`;
}

function describeNotHolder(
  failure: NotHolder,
  { slug, lockFlags, nowMs }: Told,
): string {
  const { lock, holder } = failure;
  switch (failure.problem) {
    case "never held":
      return `${lock} is not held by anybody, and has no log: look at --dir and --name, by which nobody has held`;
    case "not held":
      return `${lock} is not held by anybody; ${PROGRAM} report${lockFlags} tells what became of it`;
    case "no hold inherited":
      return `this runs under no hold of ${lock} (${HELD_VARIABLE} names none); run it under "run", or say which hold with --fence N`;
    case "held by another":
      return `${lock} is not ${slug === undefined ? "ours" : `${slug}'s`}: ${
        describeFences(failure.fences)
      }${describeHolder(holder, nowMs)}; ${
        slug === undefined
          ? "stop here: what it guards may be another's"
          : "wait for it with run or acquire, or let an operator remove it with release --force"
      }`;
    case "dead":
      return `${lock} is ${
        holderWords(holder, nowMs)
      }, and that hold is dead: ${holder?.why}; stop here: the next waiter breaks it`;
    case "beats by itself":
      return `${lock} is ${describeHolder(holder, nowMs)}; ${
        holder?.oddity?.isOutOfSight
          ? "nothing beats for it any more, and there is nothing to renew"
          : "run freshens it by itself, there is nothing to renew"
      }`;
    case "command still running":
      return `${lock} is ${describeHolder(holder, nowMs)}; ${
        commandRuns(holder)
      }, an operator may remove it with release --force`;
  }
}

function commandRuns(holder: HolderView | null): string {
  if (holder?.oddity?.isOutOfSight) return "its command may be still running: age decides";
  const next = holder?.oddity?.isOrphan ? "the next waiter breaks it" : "run gives it back";
  return `its command is still running: ${next} when that ends`;
}

function describeFences(fences: FenceMismatch | null): string {
  if (fences === null) return "";
  const present = fences.present === null ? "no fence" : `fence ${fences.present}`;
  return `--fence ${fences.asked} was asked for, the present hold has ${present}, `;
}

/** A command that could not be started, in the words of shells. */
export function describeStartFailure(program: string, code: string, reason: string): string {
  const shown = showForeign(program);
  if (code === "ENOENT") {
    return `${shown}: command not found (or its interpreter, or the working folder, is missing); the lock was released${
      asLine(program)
    }`;
  }
  return `${shown}: cannot be executed: ${reason}; the lock was released`;
}

/** Said before the wait: a wait in vain would end so too. */
export function describeNotFound(program: string): string {
  return `${showForeign(program)}: command not found; the lock was not taken${asLine(program)}`;
}

function asLine(program: string): string {
  return /\s/.test(program)
    ? `; one word with blanks? say sh -c ${shellWord(showForeign(program))}`
    : "";
}

export function goesStraightThrough(lock: string, holderSlug: string): string {
  return `already inside the hold of ${showForeign(holderSlug)} on ${lock}; going straight through`;
}

/** A file of the user's own that was asked for is there. */
export function wrote(path: string): string {
  return `wrote ${path}`;
}

function lossWords(how: LossKind): string {
  return how === "removed" ? "somebody else removed it" : "its folder was deleted or moved away";
}

/**
 * Said at the moment at which it is found that the lock is gone.
 * @param then what becomes of the command
 */
export function holdLost(
  lock: string,
  how: LossKind,
  then: "is ended" | "runs on" | "had ended",
): string {
  const next = {
    "is ended": "ending the command",
    "runs on": "the command runs on: see --on-lost terminate",
    "had ended": "the command had ended by then",
  }[then];
  return `${lock} is lost: ${lossWords(how)}, and what it guards may be another's now; ${next}`;
}

export function beatFails(lock: string, { reason, folder }: Trouble): string {
  switch (folder) {
    case "there":
      return `${lock} could not be freshened: ${reason}; it is still held, and it is tried again`;
    case "gone":
      return `${lock} could not be freshened: its folder is not there; the lock counts as lost if that stays so for two beats`;
    case "away":
      return `${lock} could not be freshened: its folder is not there; a share that is away for a while has lost no lock, and it is tried again`;
  }
}

export function unlogged(logPath: string, line: string, reason: string): string {
  return `${logPath} could not be written: ${reason}; it lacks "${
    showForeign(line)
  }", which was done all the same`;
}

/** @param killed what TERM was not enough for */
export function heldTooLong(lock: string, maxHoldMs: number, killed: Killed | null): string {
  return `${lock} was held for longer than --max-hold ${showDuration(maxHoldMs)} allows; ${
    endedWords(killed)
  }`;
}

/** @param why a `CallerGone`, or a `JobCancelled` @param killed what TERM was not enough for */
export function endedWithCaller(lock: string, why: unknown, killed: Killed | null): string {
  const what = why instanceof JobCancelled
    ? "the job was cancelled"
    : "the process that called is gone (--die-with-parent)";
  return `${lock}: ${what}; ${endedWords(killed)}`;
}

function endedWords(killed: Killed | null): string {
  switch (killed) {
    case null:
      return "the command was ended";
    case "command":
      return "the command did not heed TERM, and was killed";
    case "what it started":
      return "the command was ended, and what it had started did not heed TERM, and was killed";
  }
}

/** Said by who has removed the lock of another. @param worksOn whether its holder lives */
export function forcedOff(
  lock: string,
  holder: HolderView,
  nowMs: number,
  worksOn: boolean,
): string {
  const rest = worksOn
    ? "; what works under it works on, unless its run has --on-lost terminate"
    : "";
  return `removed ${lock}, ${describeHolder(holder, nowMs)}${rest}`;
}

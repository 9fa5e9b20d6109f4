/** All exit codes of this program, and which failure ends with which. */

import {
  CallerGone,
  FolderUnusable,
  GaveUp,
  HoldLost,
  Interrupted,
  NoInput,
  NoLog,
  NotHolder,
  UsageError,
} from "./failures.ts";
import { JobCancelled, JobRefused, NoJob } from "./job_failures.ts";
import { SIGNAL_NUMBER, type SignalName } from "../sys/signals.ts";

/** Every status this program can end with that is not its command's own. */
export const EXIT = {
  done: 0,
  /** Not the holder; for a report or a doctor: something is broken. */
  no: 1,
  /** The command line is wrong (EX_USAGE of sysexits). */
  usage: 64,
  /** What was given as a log is none (EX_DATAERR). */
  noLog: 65,
  /** What was given as a log cannot be read: there is no such file, say (EX_NOINPUT). */
  noInput: 66,
  /** A defect of this program: nothing that a caller did (EX_SOFTWARE). */
  defect: 70,
  /** The lock folder could not be written: disk full, I/O (EX_IOERR). */
  ioFailed: 74,
  /** Gave up waiting (EX_TEMPFAIL): try again later. */
  gaveUp: 75,
  /** The hold was lost, and the command was ended for it. */
  holdLost: 76,
  /** The lock folder cannot be used as it is (EX_CONFIG). */
  folderUnusable: 78,
  /** The command stands there but cannot be executed, as shells have it. */
  notExecutable: 126,
  /** There is no such command, as shells have it. */
  notFound: 127,
} as const;

/** The exit code for a failure; null if it is none of ours. */
export function exitCodeOf(failure: unknown, gaveUpCode: number = EXIT.gaveUp): number | null {
  if (failure instanceof UsageError) return EXIT.usage;
  if (failure instanceof GaveUp) return gaveUpCode;
  if (failure instanceof CallerGone) return EXIT.gaveUp;
  if (failure instanceof JobRefused) return EXIT.ioFailed;
  if (failure instanceof JobCancelled || failure instanceof NoJob) return EXIT.no;
  if (failure instanceof NotHolder) return EXIT.no;
  if (failure instanceof HoldLost) return EXIT.holdLost;
  if (failure instanceof NoLog) return EXIT.noLog;
  if (failure instanceof NoInput) return EXIT.noInput;
  if (failure instanceof Interrupted) return exitCodeAfter(failure.signal);
  if (failure instanceof FolderUnusable) {
    const { kind } = failure.obstacle;
    return kind === "io" || kind === "lock not empty" || kind === "not given back"
      ? EXIT.ioFailed
      : EXIT.folderUnusable;
  }
  return null;
}

/** As shells have it, for who was ended by a signal. */
export function exitCodeAfter(signal: SignalName): number {
  return 128 + SIGNAL_NUMBER[signal];
}

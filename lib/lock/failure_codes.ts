/** Which failure ends with which exit code. Loaded once something has failed. */

import { EXIT } from "./exit_codes.ts";
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

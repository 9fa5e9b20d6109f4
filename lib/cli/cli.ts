/** The command line from end to end: parse, do, and tell what failed in one line. */

import { EXIT } from "../lock/exit_codes.ts";
import { FolderUnusable, GaveUp, Interrupted, UsageError } from "../lock/failures.ts";
import { ENVIRONMENT, FileFault } from "../sys/faults.ts";
import type { Host } from "../sys/sys.ts";
import { parseCommandLine, type ParsedLine } from "./command_line.ts";
import { conflictExitCode, withSlugOf } from "./options.ts";
import type { Caller } from "./caller.ts";
import { say } from "./say.ts";
import { runCommandUnderLock } from "./commands/run.ts";
import { type OpenLock, serviceOf, withSharedDir } from "./which_lock.ts";

/**
 * `run` is the one that must feel instant. What all others need is loaded in one piece, when one of them is
 * called, so that `run` does not start later for every picture that `report` can draw.
 */
async function loadOthers(): Promise<typeof import("./commands/other_commands.ts")> {
  return await import("./commands/other_commands.ts");
}

/** What could not be written to a person (a full disk behind `>`), in the words for all that is not written. */
function asFailure(thrown: unknown): unknown {
  if (!(thrown instanceof FileFault)) return thrown;
  const { path, operation, reason } = thrown;
  if (operation === ENVIRONMENT) return new UsageError(`${path} in the environment: ${reason}`);
  return new FolderUnusable(path, { kind: "io", operation, reason });
}

/** The end of a wait is told by its line of JSON, to who asked for that: see `waitAndSay()`. */
function isTold(failure: unknown, parsed: ParsedLine | null): boolean {
  const isEnd = failure instanceof GaveUp || failure instanceof Interrupted;
  return isEnd && parsed !== null && parsed.set.has("json");
}

/** The system has one word for both: no room for bytes, and none for another file. */
async function isWithoutInodes(failure: unknown, { diagnosis }: Host): Promise<boolean> {
  if (!(failure instanceof FolderUnusable) || failure.obstacle.kind !== "io") return false;
  if (!/^no space left/.test(failure.obstacle.reason)) return false;
  const folder = failure.path.slice(0, failure.path.lastIndexOf("/")) || "/";
  const space = await diagnosis.space(folder);
  return space !== null && space.freeFiles === 0 && space.freeBytes > 0;
}

/** How this program calls itself, and completions call it: these first words are not for people. */
const PART = /-part$|^complete$/;
const JOB_PART = "job-part";

/**
 * Does what a command line says.
 * @param args without the program's name
 * @param openLock how to come to the lock that they name
 * @param caller for whom a `run` waits and works; null for the process that called
 * @return the exit code
 */
export async function cli(
  args: readonly string[],
  host: Host,
  openLock: OpenLock = serviceOf,
  caller: Caller | null = null,
): Promise<number> {
  let parsed: ParsedLine | null = null;
  try {
    const part = await partNamed(args[0] ?? "");
    if (part) return await part(args.slice(1), host);
    if (args[0] === JOB_PART) return await asJob(args.slice(1), host, openLock);
    parsed = withSlugOf(parseCommandLine(args), host.environment);
    return await dispatch(parsed, host, openLock, caller);
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (!isTold(failure, parsed)) {
      const nowMs = await host.clock.wallMs();
      const { slug, ...values } = parsed?.values ?? {};
      const noInodes = await isWithoutInodes(failure, host);
      await say(
        host,
        ({ describeFailure, lockFlags }) =>
          describeFailure(failure, { slug, lockFlags: lockFlags(values), nowMs, noInodes }),
      );
    }
    // A shell goes on with its script after a program that exits, and stops after one that INT has ended.
    // A job has to tell of its end first.
    if (failure instanceof Interrupted && !caller) await host.commands.endBy(failure.signal);
    // A waiter that gave up had a good value there; one that failed before that may not.
    const gaveUpCode = parsed && failure instanceof GaveUp ? conflictExitCode(parsed) : undefined;
    const { exitCodeOf } = await import("../lock/failure_codes.ts");
    return exitCodeOf(failure, gaveUpCode) ?? EXIT.defect;
  }
}

/** Not among the others: a job is in line sooner without them. */
async function asJob(args: readonly string[], host: Host, openLock: OpenLock): Promise<number> {
  const { jobPart } = await import("./commands/job_part.ts");
  return await jobPart(args, host, openLock, (own, caller) => cli(own, host, openLock, caller));
}

async function partNamed(name: string) {
  return PART.test(name) && name !== JOB_PART ? (await loadOthers()).PARTS[name] : undefined;
}

async function dispatch(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
  caller: Caller | null,
): Promise<number> {
  const { command, set } = parsed;
  if (set.has("help") || set.has("version")) return await (await loadOthers()).tell(parsed, host);
  if (!command) return await (await loadOthers()).tellWhatThereIs(host);
  const located = await withSharedDir(parsed, host);
  if (command.name === "run") return await runCommandUnderLock(located, host, openLock, caller);
  return await (await loadOthers()).OTHERS[command.name]!(located, host, openLock);
}

/** `run`: acquires, executes, releases, whatever happens. */

import { EXIT } from "../../lock/exit_codes.ts";
import { type HoldLost, UsageError } from "../../lock/failures.ts";
import { FileFault } from "../../sys/faults.ts";
import { HELD_VARIABLE } from "../../lock/variables.ts";
import { holdVariables, type Limits, runCommand, runUnderHold } from "../../lock/command.ts";
import type { RunnableHold } from "../../lock/service.ts";
import type { CommandLine, Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { runLimits, waitOptions } from "../options.ts";
import {
  endSoon,
  goesThrough,
  type Granted,
  hear,
  type HeardHost,
  waitAndSay,
} from "../waiting.ts";
import type { Caller } from "../caller.ts";
import { say } from "../say.ts";
import type { OpenLock } from "../which_lock.ts";

export async function runCommandUnderLock(
  parsed: ParsedLine,
  anyHost: Host,
  openLock: OpenLock,
  caller: Caller | null = null,
): Promise<number> {
  const host = hear(anyHost);
  const [program, ...args] = userCommand(parsed);
  const request = {
    ...waitOptions(parsed),
    mode: "run",
    command: [program, ...args],
  } as const;
  const limits = runLimits(parsed);
  const service = await openLock(parsed, host);
  // A job outlives the hold that it may be submitted in.
  if (!parsed.set.has("detach") && await goesThrough(service, host, parsed)) {
    return await statusOf(host, program, async () => {
      return (await runCommand(host.commands, { program, args, env: {} })).code;
    });
  }
  if (!await host.commands.isFound(program)) {
    await say(host, (messages) => messages.describeNotFound(program));
    return EXIT.notFound;
  }
  if (parsed.set.has("detach")) {
    const { submit } = await import("./detach.ts");
    return await submit(service, parsed, host, request.slug);
  }
  const granted = await waitAndSay(service, host, request, parsed, caller);
  return await runAndRelease(host, granted, { program, args }, limits);
}

/** What befalls the hold while the command runs, told as it happens. */
interface Teller {
  /** To be called when the command has ended. */
  onEnd(): void;
  /** All has been written: a program that ends before that takes the words with it. */
  hasSaid(): Promise<unknown>;
}

function tellOf(hold: RunnableHold, host: Host, limits: Limits): Teller {
  const saying: Promise<void>[] = [];
  const tell = (choose: Parameters<typeof say>[1]) => void saying.push(say(host, choose));
  let hasEnded = false;
  hold.lost.addEventListener("abort", () => {
    const then = limits.endOnLoss ? "is ended" : "runs on";
    const { how } = hold.lost.reason as HoldLost;
    const what = hasEnded ? "had ended" : then;
    tell((messages) => messages.holdLost(hold.lock, how, what));
  });
  hold.onTrouble = (trouble) => tell((messages) => messages.beatFails(hold.lock, trouble));
  return { onEnd: () => void (hasEnded = true), hasSaid: () => Promise.all(saying) };
}

function userCommand({ userCommand }: ParsedLine): readonly [string, ...string[]] {
  const [program, ...args] = userCommand ?? [];
  if (program === undefined) {
    throw new UsageError(
      "run needs a command after --: lock_folder_util run --slug NAME -- COMMAND",
    );
  }
  return [program, ...args];
}

/** Whatever fails after the grant, a defect of ours too, the lock is given back. */
async function runAndRelease(
  host: HeardHost,
  { hold, commitOrThrow, caller }: Granted,
  command: Pick<CommandLine, "program" | "args">,
  limits: Limits,
): Promise<number> {
  const teller = tellOf(hold, host, limits);
  const run = async () => {
    const env = holdVariables(hold, host.environment.get(HELD_VARIABLE));
    // Nothing is awaited from here to the start: a signal that comes later finds a command to go on to.
    commitOrThrow();
    const { code, endedFor, killed } = await runUnderHold(
      host,
      hold,
      { ...command, env },
      { ...limits, ...(caller && { callerGone: caller.gone }) },
      { onStart: (pid) => void caller?.started?.(pid), onEnd: teller.onEnd },
    );
    if (endedFor === "max_hold") {
      await say(host, (messages) => messages.heldTooLong(hold.lock, limits.maxHoldMs!, killed));
    }
    if (endedFor === "caller gone") {
      await say(
        host,
        (messages) => messages.endedWithCaller(hold.lock, caller?.gone.reason, killed),
      );
    }
    return endedFor === "lost" ? EXIT.holdLost : code;
  };
  try {
    return await statusOf(host, command.program, run, () => hold.release());
  } finally {
    try {
      // There is no command any more for signals to go on to.
      await host.commands.catchSignals((name) => void endSoon(host, hold.lock, name));
    } finally {
      await hold.release().finally(teller.hasSaid);
    }
  }
}

/** The command's own status; 126 or 127, as shells have it, if it could not be started. */
async function statusOf(
  host: Host,
  program: string,
  run: () => Promise<number>,
  beforeTelling: () => Promise<void> = async () => {},
): Promise<number> {
  try {
    return await run();
  } catch (fault) {
    if (!(fault instanceof FileFault) || fault.operation !== "exec") throw fault;
    await beforeTelling();
    await say(host, (messages) => messages.describeStartFailure(program, fault.code, fault.reason));
    return fault.code === "ENOENT" ? EXIT.notFound : EXIT.notExecutable;
  }
}

/** `run`: acquires, executes, releases, whatever happens. */

import { EXIT } from "../core/exit_codes.ts";
import { UsageError } from "../core/failures.ts";
import { FileFault } from "../core/faults.ts";
import { HELD_VARIABLE } from "../core/inherited.ts";
import type { Hold } from "../lock/hold.ts";
import { holdVariables, runCommand, runUnderHold } from "../lock/run.ts";
import { openSite } from "../lock/site.ts";
import type { CommandLine, Ended, Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { describeStartFailure, holdLost, line } from "./messages.ts";
import { lockOption, waitOptions } from "./options.ts";
import { isInside, waitAndSay } from "./waiting.ts";

export async function runCommandUnderLock(parsed: ParsedLine, host: Host): Promise<number> {
  const [program, ...args] = userCommand(parsed);
  const request = {
    ...waitOptions(parsed, host.environment),
    mode: "run",
    command: [program, ...args],
  } as const;
  const site = openSite(host, lockOption(parsed, host.environment));
  if (await isInside(site, host, parsed)) {
    return await statusOf(
      host,
      program,
      () => runCommand(host.commands, { program, args, env: {} }),
    );
  }
  const hold = await waitAndSay(site, host, request, parsed);
  hold.lost.addEventListener("abort", () => void host.terminal.err(line(holdLost(hold.lockPath))));
  const env = holdVariables(hold, host.environment.get(HELD_VARIABLE));
  return await runAndRelease(host, hold, { program, args, env });
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

async function runAndRelease(host: Host, hold: Hold, command: CommandLine): Promise<number> {
  try {
    return await statusOf(
      host,
      command.program,
      () => runUnderHold(host.commands, host.processes, hold, command),
      () => hold.release(),
    );
  } finally {
    await hold.release();
  }
}

/** The command's own status; 126 or 127, as shells have it, if it could not be started. */
async function statusOf(
  host: Host,
  program: string,
  run: () => Promise<Ended>,
  beforeTelling: () => Promise<void> = async () => {},
): Promise<number> {
  try {
    return (await run()).code;
  } catch (fault) {
    if (!(fault instanceof FileFault) || fault.operation !== "exec") throw fault;
    await beforeTelling();
    await host.terminal.err(line(describeStartFailure(program, fault.code, fault.reason)));
    return fault.code === "ENOENT" ? EXIT.notFound : EXIT.notExecutable;
  }
}

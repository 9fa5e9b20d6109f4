/** The command line from end to end: parse, do, and tell what failed in one line. */

import { EXIT } from "../core/exit_codes.ts";
import { exitCodeOf, UsageError } from "../core/failures.ts";
import type { Host } from "../sys/sys.ts";
import { acquireCommand } from "./acquire_command.ts";
import { parseCommandLine, type ParsedLine } from "./command_line.ts";
import { commandNamed, COMMANDS } from "./commands.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { describeFailure, line } from "./messages.ts";
import { conflictExitCode } from "./options.ts";
import { checkCommand } from "./check_command.ts";
import { releaseCommand } from "./release_command.ts";
import { renewCommand } from "./renew_command.ts";
import { runCommandUnderLock } from "./run_command.ts";
import { versionText } from "./version.ts";

/** A defect of ours: nothing that a caller did (EX_SOFTWARE of sysexits). */
const EXIT_DEFECT = 70;

type Run = (parsed: ParsedLine, host: Host) => Promise<number>;

const RUNS: Readonly<Record<string, Run>> = {
  run: runCommandUnderLock,
  acquire: acquireCommand,
  release: releaseCommand,
  renew: renewCommand,
  check: checkCommand,
  help: helpCommand,
};

/**
 * Does what a command line says.
 * @param args without the program's name
 * @return the exit code
 */
export async function cli(args: readonly string[], host: Host): Promise<number> {
  let parsed: ParsedLine | null = null;
  try {
    parsed = parseCommandLine(args);
    return await dispatch(parsed, host);
  } catch (failure) {
    const nowMs = await host.clock.wallMs();
    await host.terminal.err(line(describeFailure(failure, parsed?.values.slug, nowMs)));
    const gaveUpCode = parsed && !(failure instanceof UsageError)
      ? conflictExitCode(parsed)
      : undefined;
    return exitCodeOf(failure, gaveUpCode) ?? EXIT_DEFECT;
  }
}

async function dispatch(parsed: ParsedLine, host: Host): Promise<number> {
  const { command, set } = parsed;
  if (set.has("help")) {
    return await say(
      host,
      command && command.name !== "help" ? commandHelp(command) : generalHelp(),
    );
  }
  if (set.has("version")) {
    return await say(
      host,
      versionText(set.has("verbose") ? host.environment.runtimeVersion : null),
    );
  }
  if (!command) {
    throw new UsageError(
      "a command is missing, such as run, acquire or release; see lock_folder_util --help",
    );
  }
  return await RUNS[command.name]!(parsed, host);
}

async function helpCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const [topic] = parsed.operands;
  if (topic === undefined) return await say(host, generalHelp());
  const command = commandNamed(topic);
  if (!command) {
    throw new UsageError(
      `no help on "${topic}"; there is help on ${COMMANDS.map(({ name }) => name).join(", ")}`,
    );
  }
  return await say(host, commandHelp(command));
}

async function say(host: Host, text: string): Promise<number> {
  await host.terminal.out(text);
  return EXIT.done;
}

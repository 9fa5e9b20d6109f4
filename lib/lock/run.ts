/** A command under a hold: started once the record is on disk, waited for, then the lock goes back once. */

import { FENCE_VARIABLE, HELD_VARIABLE, SLUG_VARIABLE, withHold } from "../core/inherited.ts";
import type { Child, CommandLine, Commands, Ended, Processes, SignalName } from "../sys/sys.ts";
import type { Hold } from "./hold.ts";

/** What the command finds in its environment. */
export function holdVariables(hold: Hold, inherited: string | undefined): Record<string, string> {
  return {
    [HELD_VARIABLE]: withHold(inherited, hold.lockPath, hold.token),
    [SLUG_VARIABLE]: hold.slug,
    [FENCE_VARIABLE]: String(hold.fence),
  };
}

/**
 * Starts the command and waits for its end. Signals that reach us go on to it.
 * @param onStart called once it runs
 * @throws FileFault if it cannot be started
 */
export async function runCommand(
  commands: Commands,
  command: CommandLine,
  onStart: (child: Child) => Promise<void> = async () => {},
): Promise<Ended> {
  let child: Child | null = null;
  const early: SignalName[] = [];
  child = await commands.start(command, (signal) => {
    if (child) void passOn(commands, child, signal);
    else early.push(signal);
  });
  for (const signal of early) void passOn(commands, child, signal);
  await onStart(child);
  return await child.ended;
}

/** A terminal sends INT and QUIT to all that run in its foreground: the command has had its own already. */
async function passOn(commands: Commands, child: Child, signal: SignalName): Promise<void> {
  const fromTerminal = (signal === "SIGINT" || signal === "SIGQUIT") &&
    await commands.terminalSignalsCommand();
  if (!fromTerminal) await child.signal(signal);
}

/** Runs a command under a hold, which is given back whatever happens. */
export async function runUnderHold(
  commands: Commands,
  processes: Processes,
  hold: Hold,
  command: CommandLine,
): Promise<Ended> {
  return await runCommand(commands, command, async (child) => {
    const found = await processes.look(child.pid);
    await hold.nameCommand(child.pid, found.state === "alive" ? found.start : null);
  });
}

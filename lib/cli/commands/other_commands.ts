/** All commands but `run`, and what the program tells of itself. */

import project from "../../../deno.json" with { type: "json" };
import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import { showForeign } from "../../words/slugs.ts";
import type { Host } from "../../sys/sys.ts";
import { acquireCommand } from "./acquire.ts";
import { checkCommand } from "./check.ts";
import type { ParsedLine } from "../command_line.ts";
import { commandNamed, COMMANDS } from "../commands.ts";
import { COMPLETE, completeCommand } from "./complete.ts";
import { completionsCommand } from "./completions.ts";
import { DOCTOR_PART, doctorCommand, doctorPart } from "./doctor.ts";
import { guideCommand } from "./guide.ts";
import { commandHelp, generalHelp, shortHelp } from "../wording/help.ts";
import { HERD_PART, herdCommand, herdPart } from "./herd.ts";
import { cancelCommand, resultCommand } from "./result.ts";
import { planCommand } from "./plan.ts";
import { releaseCommand } from "./release.ts";
import { renewCommand } from "./renew.ts";
import { reportCommand } from "./report.ts";
import { slotsCommand } from "./slots.ts";
import { statusCommand } from "./status.ts";
import { line, PROGRAM } from "../wording/line.ts";
import { widthFor } from "../say.ts";
import type { OpenLock } from "../which_lock.ts";

type Run = (parsed: ParsedLine, host: Host, openLock: OpenLock) => Promise<number>;

export const OTHERS: Readonly<Record<string, Run>> = {
  acquire: acquireCommand,
  release: releaseCommand,
  renew: renewCommand,
  check: checkCommand,
  herd: herdCommand,
  doctor: doctorCommand,
  guide: guideCommand,
  completions: completionsCommand,
  result: resultCommand,
  cancel: cancelCommand,
  status: statusCommand,
  slots: slotsCommand,
  report: reportCommand,
  plan: planCommand,
  help: helpCommand,
};

type Part = (args: readonly string[], host: Host) => Promise<number>;

/** First words that no person says: this program when it starts copies of itself, and the completions. */
export const PARTS: Readonly<Record<string, Part>> = {
  [HERD_PART]: herdPart,
  [DOCTOR_PART]: doctorPart,
  [COMPLETE]: completeCommand,
};

/** `--help` and `--version`, with or without a command. */
export async function tell({ command, set }: ParsedLine, host: Host): Promise<number> {
  if (!set.has("help")) {
    return await say(
      host,
      versionText(set.has("verbose") ? host.environment.runtimeVersion : null),
    );
  }
  const width = helpWidth(host, await host.terminal.outColumns());
  return await say(
    host,
    command && command.name !== "help" ? commandHelp(command, width) : generalHelp(width),
  );
}

/** Without a command there is nothing to do: that is told, and then what could be said instead. */
export async function tellWhatThereIs(host: Host): Promise<number> {
  const missing =
    "a command is missing, such as run, acquire or release; see lock_folder_util --help";
  const help = shortHelp(helpWidth(host, await host.terminal.errColumns()));
  await host.terminal.err(`${line(missing)}\n${help}`);
  return EXIT.usage;
}

const HELP_WITHOUT_TERMINAL = 80;
/** In longer lines the eye loses its way back. */
const HELP_WIDEST = 100;

function helpWidth(host: Host, columns: number | null): number {
  return Math.min(widthFor(host, columns, HELP_WITHOUT_TERMINAL), HELP_WIDEST);
}

/**
 * Our own version as `deno.json` has it; the run-time's only when asked.
 * @param runtimeVersion shown if given
 */
function versionText(runtimeVersion: string | null): string {
  return `${PROGRAM} ${project.version}\n${
    runtimeVersion === null ? "" : `deno ${runtimeVersion}\n`
  }`;
}

async function helpCommand({ operands: [topic] }: ParsedLine, host: Host): Promise<number> {
  const width = helpWidth(host, await host.terminal.outColumns());
  if (topic === undefined) return await say(host, generalHelp(width));
  const command = commandNamed(topic);
  if (command) return await say(host, commandHelp(command, width));
  const names = COMMANDS.map(({ name }) => name).join(", ");
  throw new UsageError(`no help on "${showForeign(topic)}"; there is help on ${names}`);
}

async function say(host: Host, text: string): Promise<number> {
  await host.terminal.out(text);
  return EXIT.done;
}

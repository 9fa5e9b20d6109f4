/** `doctor`: examines a lock folder, and says of each thing that a lock needs whether it can be relied on. */

import { checksOf, outcomeOf } from "../../doctor/rules/checkup.ts";
import { EXIT } from "../../lock/exit_codes.ts";
import { exitCodeAfter } from "../../lock/failure_codes.ts";
import { Checkup } from "../../doctor/examine.ts";
import { type Order, Part } from "../../doctor/helper_orders.ts";
import { READY } from "../../doctor/team.ts";
import { checkupJson, checkupText } from "../../doctor/rules/checkup_text.ts";
import type { Host, SignalName } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { folderOption } from "../options.ts";
import { line } from "../wording/line.ts";
import { defaultFrom, lockOption } from "../which_lock.ts";

export const DOCTOR_PART = "doctor-part";

/** The others are meant for a command, and there is none. */
const INTERRUPTS: ReadonlySet<SignalName> = new Set(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]);

export async function doctorCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const paths = lockOption(parsed, host.environment);
  const peer = folderOption(parsed, "peer", host.environment);
  const folders = peer === null ? [paths.dir] : [paths.dir, peer];
  // Asked for once: the program may be replaced by a newer one while we are at it.
  const { program, args } = await host.commands.ownProgram();
  const part = { program, args: [...args, DOCTOR_PART, ...folders] };
  const checkup = new Checkup(host, paths, peer, part, defaultFrom(paths, host.environment));
  const first = Promise.withResolvers<SignalName>();
  const second = Promise.withResolvers<SignalName>();
  let signals = 0;
  await host.diagnosis.catchSignals((name) => {
    if (INTERRUPTS.has(name)) (signals++ === 0 ? first : second).resolve(name);
  });
  const findings = await Promise.race([checkup.findings(), first.promise]);
  if (typeof findings === "string") {
    const left = await Promise.race([checkup.clear(), second.promise]);
    const words = left === null ? "" : `; what was made for the trials may be left in ${paths.dir}`;
    await host.terminal.err(line(`interrupted; there is nothing to say of this folder${words}`));
    return exitCodeAfter(findings);
  }
  const checks = checksOf(findings);
  const examined = { folder: paths.dir, peer };
  const columns = await host.terminal.outColumns();
  const show = parsed.set.has("json") ? checkupJson : checkupText;
  await host.terminal.out(show(examined, checks, columns));
  return outcomeOf(checks).trusted ? EXIT.done : EXIT.no;
}

/**
 * The other processes of `doctor`: carries out what it is told, line by line, until whoever started it has
 * gone. A command of ours, hidden from help.
 * @param dirs folders to work in: files there are treated as those of a lock are
 */
export async function doctorPart(dirs: readonly string[], host: Host): Promise<number> {
  const part = new Part(host);
  for (const dir of dirs) await host.mounts.typeOf(dir);
  await host.terminal.out(`${JSON.stringify([READY])}\n`);
  for await (const order of host.diagnosis.orders()) {
    await host.terminal.out(`${await answerTo(order, part)}\n`);
  }
  return EXIT.done;
}

/** A list; or, if it could not be done at all, a text that says why. */
async function answerTo(order: string, part: Part): Promise<string> {
  try {
    return JSON.stringify(await part.carryOut(JSON.parse(order) as Order));
  } catch (failure) {
    return (failure instanceof Error ? failure.message : String(failure)).replaceAll("\n", " ");
  }
}

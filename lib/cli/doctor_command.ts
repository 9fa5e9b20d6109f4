/** `doctor`: examines a lock folder, and says of each thing that a lock needs whether it can be relied on. */

import { checksOf, outcomeOf } from "../core/checkup.ts";
import { EXIT } from "../core/exit_codes.ts";
import { Checkup } from "../lock/trial/checkup.ts";
import { checkupJson, checkupText } from "../report/checkup.ts";
import type { Host, SignalName } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { DOCTOR_PART } from "./doctor_part.ts";
import { line } from "./messages.ts";
import { folderOption, lockOption } from "./options.ts";

/** As shells have it: 128 and the signal's number. */
const CODE_AFTER: Partial<Record<SignalName, number>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGQUIT: 131,
  SIGTERM: 143,
};

export async function doctorCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const paths = lockOption(parsed, host.environment);
  const peer = folderOption(parsed, "peer", host.environment);
  const folders = peer === null ? [paths.dir] : [paths.dir, peer];
  // Asked for once: the program may be replaced by a newer one while we are at it.
  const { program, args } = await host.commands.ownProgram();
  const part = { program, args: [...args, DOCTOR_PART, ...folders] };
  const checkup = new Checkup(host, paths, peer, part);
  const first = Promise.withResolvers<SignalName>();
  const second = Promise.withResolvers<SignalName>();
  let signals = 0;
  await host.diagnosis.catchSignals((name) => {
    if (CODE_AFTER[name] !== undefined) (signals++ === 0 ? first : second).resolve(name);
  });
  const findings = await Promise.race([checkup.findings(), first.promise]);
  if (typeof findings === "string") {
    const left = await Promise.race([checkup.clear(), second.promise]);
    const words = left === null ? "" : `; what was made for the trials may be left in ${paths.dir}`;
    await host.terminal.err(line(`interrupted; there is nothing to say of this folder${words}`));
    return CODE_AFTER[findings]!;
  }
  const checks = checksOf(findings);
  const examined = { folder: paths.dir, peer };
  await host.terminal.out(
    parsed.set.has("json")
      ? checkupJson(examined, checks)
      : checkupText(examined, checks, await host.terminal.outColumns()),
  );
  return outcomeOf(checks).trusted ? EXIT.done : EXIT.no;
}

/**
 * The other processes of `doctor`: carries out what it is told, line by line, until whoever started it has
 * gone. A command of ours, hidden from help.
 */

import { EXIT } from "../../lock/exit_codes.ts";
import { type Order, Part } from "../../doctor/orders.ts";
import { READY } from "../../doctor/team.ts";
import type { Host } from "../../sys/sys.ts";

export const DOCTOR_PART = "doctor-part";

/** @param dirs folders to work in: files there are treated as those of a lock are */
export async function doctorPart(dirs: readonly string[], host: Host): Promise<number> {
  const part = new Part(host);
  for (const dir of dirs) await host.mounts.typeOf(dir);
  await host.terminal.out(`${JSON.stringify([READY])}\n`);
  for await (const line of host.diagnosis.orders()) {
    await host.terminal.out(`${await answerTo(line, part)}\n`);
  }
  return EXIT.done;
}

/** A list; or, if it could not be done at all, a text that says why. */
async function answerTo(line: string, part: Part): Promise<string> {
  try {
    return JSON.stringify(await part.carryOut(JSON.parse(line) as Order));
  } catch (failure) {
    return (failure instanceof Error ? failure.message : String(failure)).replaceAll("\n", " ");
  }
}

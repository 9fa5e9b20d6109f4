/** Whether lines that several processes append at once are all there and all whole. */

import type { AppendsFound } from "./rules/findings.ts";
import { trialLine } from "./helper_orders.ts";
import { timeUntil } from "./trial.ts";
import type { Ground } from "./trial_ground.ts";

/** As many processes as race for folders: they are there already. */
const WRITERS = 8;
const LINES_EACH = 25;
/** Forty times what all of them write: no folder of ours is read without a limit. */
const LARGEST_BYTES = 2 ** 20;
/** What another mount has written may show a little later. */
const SHOWS_LIMIT_MS = 2000;

export async function appendTogether(ground: Ground): Promise<AppendsFound> {
  const { sys: { files, clock }, team, here, there, prefix } = ground;
  const members = await team.members(WRITERS);
  const name = `${prefix}lines`;
  const answers = await Promise.all(members.map((member, writer) => {
    const path = `${writer % 2 === 0 ? here : there}/${name}`;
    return member.ask({ do: "append", path, writer, lines: LINES_EACH });
  }));
  const wanted = new Set(
    Array.from(
      { length: WRITERS * LINES_EACH },
      (_, index) => trialLine(index % WRITERS, Math.floor(index / WRITERS)),
    ),
  );
  let lost = wanted.size;
  let torn = 0;
  await timeUntil(clock, SHOWS_LIMIT_MS, async () => {
    const text = (await files.read(`${here}/${name}`, LARGEST_BYTES))?.text ?? "";
    const lines = text.split("\n").filter((line) => line !== "");
    const whole = new Set(lines.filter((line) => wanted.has(line)));
    lost = wanted.size - whole.size;
    torn = lines.filter((line) => !wanted.has(line)).length;
    return lost === 0 && torn === 0;
  });
  const failures = [...new Set(answers.flat())];
  return { writers: WRITERS, lines: wanted.size, lost, torn, failures };
}
